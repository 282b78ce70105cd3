// Kernels whose code is inspected: the GEMM of the RFC's appendix 2.1 in its variants. A workgroup of 8x4 subgroups computes
// 256x256 of C, each subgroup 32x64.
#pragma once
#include <string>

namespace xt::test {

struct GemmVariant {
  std::string elem = "f16", sum = "f32"; // element types of A and B, and of C
  int depth = 32;                        // depth of one step
  bool prefetches = false;               // whether the loop prefetches three steps ahead
  bool transposed = false;               // B is stored NxK
  bool columnsA = false, columns = false; // A or B is column-major
  bool epilogue = false;                 // C = gelu(A B + bias), with the tanh approximation
  int extent = 0;                        // extent of all matrices, if known at compile time; 0: dynamic
};

// Returns the text with the single kernel @gemm.
std::string gemmText(const GemmVariant &variant);

} // namespace xt::test
