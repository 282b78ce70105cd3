// Blocks of XeGPU as vectors: their rows and columns, transposes, and the VNNI form.
#pragma once
#include "ir/interp/values.h"
#include "ir/op.h"
#include "ir/views/xegpu.h"

#include <numeric>

namespace xt {

inline std::vector<int64_t> upTo(int64_t count) {
  std::vector<int64_t> indices(static_cast<size_t>(count));
  std::iota(indices.begin(), indices.end(), int64_t{0});
  return indices;
}

// A one-dimensional descriptor is a block of one row.
inline int64_t rowsOf(Type desc) { return desc.rank() == 2 ? desc.extent(0) : 1; }
inline int64_t columnsOf(Type desc) { return desc.extent(desc.rank() - 1); }

inline Fragment turned(const Fragment &block, int64_t rows, int64_t columns) {
  Fragment result(block.size());
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      result[static_cast<size_t>(c * rows + r)] = block[static_cast<size_t>(r * columns + c)];
  return result;
}

// Calls move(p, q) for each element of a block: p is its row-major position in the shape [rows, columns], and q its position
// in the VNNI form, whose shape is [rows / factor, columns, factor].
template <class Move> void forEachVnni(int64_t rows, int64_t columns, int64_t factor, Move move) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      move(static_cast<size_t>(r * columns + c), static_cast<size_t>((r / factor * columns + c) * factor + r % factor));
}

// The number of rows and columns of the block in memory whose elements are used after a load_nd: its attribute `used`, or all.
inline std::vector<int64_t> usedOf(const Op &op, int64_t rows, int64_t columns) {
  const std::vector<int64_t> *written = LoadNdOp(op).used();
  if (!written) return {rows, columns};
  std::vector<int64_t> used = *written;
  if (used.size() == 1) used.insert(used.begin(), 1);
  return used;
}

} // namespace xt
