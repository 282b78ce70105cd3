// NVIDIA's assembler ptxas, a program of the CUDA toolkit: PTX to the code of one architecture.
#pragma once
#include "ir/base/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace xt {

// How to get ptxas, for messages.
inline constexpr std::string_view kPtxasRemedy =
    "install NVIDIA's CUDA toolkit, or its Python package into a virtual environment: `python3 -m venv build/ptxas && "
    "build/ptxas/bin/pip install nvidia-cuda-nvcc`";

// The path of ptxas: in PATH, or where the Python package nvidia-cuda-nvcc puts it, in the active virtual environment or in the
// one that tests/run makes, build/ptxas, for a program in build/release/bin. "" if there is none.
std::string ptxasPath();

// The bytes that a kernel stores to memory for lack of registers and loads from there: those of all such instructions together.
struct SpillBytes {
  int64_t stores = 0, loads = 0;
};
struct AssembledPtx {
  std::string cubin; // an ELF file
  std::map<std::string, SpillBytes> spills; // by the name of the entry point
  std::vector<std::string> warnings;
};
// `architecture`: "sm_80". `entry`: the only kernel to assemble; "": all of them. The Error says that there is no ptxas, or
// what it does not take.
Result<AssembledPtx> assemblePtx(std::string_view ptx, const std::string &architecture, const std::string &entry = "");

// Reads what `ptxas -v` prints: spills and warnings.
AssembledPtx readPtxasOutput(std::string_view output);

} // namespace xt
