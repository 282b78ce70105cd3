// The C text of a library that is compiled ahead of time: its header, the tables that describe its kernels to the run time (xtrt.h),
// and a function for each kernel.
#pragma once
#include "ir/base/result.h"
#include "ir/module.h"
#include "targets/output.h"

#include <span>
#include <string>
#include <vector>

namespace xt {

struct LibraryNames {
  std::string name; // of the library, in letters, digits and `_`: "gemm"
  std::string source; // the file that was compiled
  std::string maker; // the compiler and its version
  std::vector<LibraryVariant> variants = {}; // kernels that serve launches of some sizes in place of others
};

// A function of a library besides those of its kernels.
struct OwnFunction {
  std::string name;
  std::string what; // in an error: "which sets the number of threads"
  std::string declaration; // with a comment before it
};

// In which libraries for CPUs and those for GPUs differ.
struct LibraryForm {
  std::string description; // of how functions are called, as lines of a comment
  std::vector<OwnFunction> functions;
  std::string launch; // begins the call that launches a kernel: "xtrt_launch("
  std::string definitions; // what that call needs, and `functions`
};

// The tables of one kernel's code.
struct KernelTables {
  std::string definitions;
  std::string header = "0", levels = "0"; // what members of xtrt_kernel are
};

// Whether a kernel only serves launches of another one, so that it has no function of its own.
bool isVariant(const Kernel &kernel);

// The name of the C function that launches a kernel: "gemm_softmax" for @softmax of the library gemm.
std::string functionName(const LibraryNames &names, const Kernel &kernel);

// The beginning of the names of a kernel's tables: xtrt_k and the number of the kernel, as no function of a library begins.
std::string tableName(size_t kernel);

// A string of C, and the elements of an array; kDynamic is XTRT_DYNAMIC.
std::string cString(std::string_view text);
std::string numbers(std::span<const int64_t> values);

// An Error names a kernel whose function would have the name of another function of the library.
Result<void> checkFunctionNames(const Module &module, const LibraryNames &names, const LibraryForm &form);

// `tables`: of the module's kernels, in their order.
std::string librarySource(const Module &module, const LibraryNames &names, const LibraryForm &form,
                          std::span<const KernelTables> tables);
std::string libraryHeader(const Module &module, const LibraryNames &names, const LibraryForm &form);

// What the JSON says of the code.
struct LibraryFacts {
  std::vector<std::string> levels; // of code for CPUs
  std::string target; // the GPUs that the code is for
  std::vector<std::vector<int64_t>> scratchBytes; // of each kernel, per thread, by level; empty: of GPUs
};
// What the library has, as JSON: its kernels with their functions, parameters and grids.
std::string libraryJson(const Module &module, const LibraryFacts &facts, const LibraryNames &names);

} // namespace xt
