// Compiles the kernels of a module ahead of time into a library for programs in C.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/module.h"
#include "targets/output.h"

namespace xt {

// The files of the library NAME: NAME.h, libNAME.a, libNAME.so and NAME.json. `stage` receives the name of each step. Runs the C
// compiler `cc` and `ar`; an Error says if one of them, or the run time (runtime/), is not there, or fails.
Result<std::vector<OutputFile>> makeLibrary(const Module &module, const OutputOptions &options, Diagnostics &diagnostics);

} // namespace xt
