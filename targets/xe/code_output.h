// The output of `xtc --emit` for Intel GPUs.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/gpu/target_info.h"
#include "ir/module.h"
#include "targets/output.h"

namespace xt {

// Returns all requested kinds of output for a module at lane scope. The kernels are compiled once for all kinds.
Result<Output> xeOutput(const Module &module, const TargetInfo &target, const OutputOptions &options, Diagnostics &diagnostics);

} // namespace xt
