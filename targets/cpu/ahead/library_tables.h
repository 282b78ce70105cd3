// The tables of a library for CPUs that describe the code of its kernels to the run time.
#pragma once
#include "targets/ahead/library_text.h"
#include "targets/cpu/ahead/library_code.h"

namespace xt {

// The tables of each kernel of a module.
std::vector<KernelTables> kernelTables(const Module &module, const LibraryCode &code);

// The table of one kernel of headerCode(); its name begins with `table`.
KernelTables headerTables(const KernelCode &code, size_t frameBytes, const std::string &table);

} // namespace xt
