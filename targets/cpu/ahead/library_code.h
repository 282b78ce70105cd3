// The code of a module's kernels for each level of a library that is compiled ahead of time.
#pragma once
#include "ir/base/diagnostics.h"
#include "targets/cpu/ahead/runtime/code_levels.h"
#include "targets/cpu/jit/emitted_module.h"

#include <array>
#include <string>
#include <vector>

namespace xt {

// `symbol` of a KernelCode is the function's name in the object.
struct ObjectCode {
  std::string object; // an object file
  std::vector<KernelCode> kernels;
  size_t frameBytes = 0; // an upper bound on the stack that a function uses
};
struct LibraryCode {
  std::array<ObjectCode, XTRT_LEVELS> levels; // the kernels in the order of the module
  ObjectCode headers; // of headerKernel() for the kernels with a header to compute, in the same order; for any processor
};

// The beginning of the names of functions and tables in the objects of a library.
std::string symbolPrefix(const std::string &library);

// The code of LibraryCode::headers, which libraries for GPUs have, too.
Result<ObjectCode> headerCode(const Module &module, const std::string &prefix, Diagnostics &diagnostics);

// `prefix` begins the names of all functions and tables in the objects. An Error says that a kernel cannot be compiled ahead of
// time, because its subgroups or lanes wait for each other; a warning, that a kernel's prints are left out.
Result<LibraryCode> libraryCode(const Module &module, const std::string &prefix, Diagnostics &diagnostics);

// The name of the table of numbers that a function reads.
std::string numbersName(const KernelCode &code);

} // namespace xt
