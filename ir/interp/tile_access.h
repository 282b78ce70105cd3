// Tiles: making, moving, reading and writing them. All offsets are 64-bit and may be anything, without overflow.
#pragma once
#include "ir/interp/values.h"

#include <span>

namespace xt {

// The window at `offsets` (one per dimension of the base, which has at least two): the leading offsets pick the matrix;
// where one is out of range, everything is outside.
TileValue initTile(const MemRefValue &base, std::span<const int64_t> offsets);
// Whether every element of `view` (same data and rank) lies between the first and the last element of `base`. A view
// without elements does; negative sizes count as none, negative strides do not.
bool withinBuffer(const MemRefValue &view, const MemRefValue &base);
TileValue moveTile(TileValue tile, int64_t down, int64_t right);

// Reads the elements at rows x columns of the tile, row-major, into `out`; `padding` where they lie outside.
void loadTile(const TileValue &tile, std::span<const int64_t> rows, std::span<const int64_t> columns, Number padding,
              Number *out);
// Writes them; what lies outside is dropped.
void storeTile(const TileValue &tile, std::span<const int64_t> rows, std::span<const int64_t> columns,
               const Number *in);

} // namespace xt
