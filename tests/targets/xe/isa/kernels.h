// Kernels whose code is looked at: the GEMM of the RFC's appendix 2.1 in its variants. 256x256 of C to a workgroup of 8x4
// subgroups, 32x64 to each.
#pragma once
#include <string>

namespace xt::test {

struct GemmVariant {
  std::string elem = "f16", sum = "f32"; // of A and B, and of C
  int depth = 32;                        // of a step
  bool prefetches = false;               // three steps ahead
  bool transposed = false;               // B is stored NxK
  bool columnsA = false, columns = false; // A, B is stored by columns
  bool epilogue = false;                 // C = gelu(A B + bias), by the approximation with tanh
  int extent = 0;                        // of all matrices, known when it is compiled; 0: any
};

// Text of the one kernel @gemm.
std::string gemmText(const GemmVariant &variant);

} // namespace xt::test
