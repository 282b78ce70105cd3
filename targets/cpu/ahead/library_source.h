// The C text of a library that is compiled ahead of time: its header, the tables that describe its kernels to the run time, and a
// function for each kernel.
#pragma once
#include "ir/base/result.h"
#include "ir/module.h"
#include "targets/cpu/ahead/library_code.h"
#include "targets/output.h"

#include <string>

namespace xt {

struct LibraryNames {
  std::string name; // of the library, in letters, digits and `_`: "gemm"
  std::string source; // the file that was compiled
  std::string maker; // the compiler and its version
  std::vector<LibraryVariant> variants = {}; // kernels that serve launches of some sizes in place of others
};

// Whether a kernel only serves launches of another one, so that it has no function of its own.
bool isVariant(const Kernel &kernel);

// The name of the C function that launches a kernel: "gemm_softmax" for @softmax of the library gemm.
std::string functionName(const LibraryNames &names, const Kernel &kernel);

// An Error names a kernel whose function would have the name of another function of the library.
Result<void> checkFunctionNames(const Module &module, const LibraryNames &names);

std::string librarySource(const Module &module, const LibraryCode &code, const LibraryNames &names);
std::string libraryHeader(const Module &module, const LibraryNames &names);
// What the library has, as JSON: its kernels with their functions, parameters and grids, and the levels of code.
std::string libraryJson(const Module &module, const LibraryCode &code, const LibraryNames &names);

} // namespace xt
