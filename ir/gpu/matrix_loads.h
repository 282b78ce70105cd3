// Loads of matrices from shared local memory by instructions of a whole subgroup (TargetInfo::matrixLoads, NVIDIA's ldmatrix).
// Such an instruction loads matrices of 8 rows of 16 bytes, from any 8 addresses each, and gives lane 4 r + c word c of row r; in its
// transposed form, which is for elements of 16 bits, lane 4 c + r gets the elements 2 r and 2 r + 1 of column c.
// Source: PTX ISA, "ldmatrix".
#pragma once
#include "ir/elem.h"
#include "ir/layout/layout.h"

#include <optional>

namespace xt {

inline constexpr int64_t kMatrixRows = 8, kMatrixRowBytes = 16;

// How such instructions load a block.
struct MatrixLoad {
  bool transposed = false;
  int64_t down = 0, across = 0; // numbers of matrices in the block
};
// The loads of a block in memory whose lanes hold it in this layout; nullopt if they give lanes other elements.
std::optional<MatrixLoad> matrixLoad(const Layout &block, Elem elem);

} // namespace xt
