// Tiles: creating, moving, reading and writing them. All offsets are 64-bit and may have any value, without overflow.
#pragma once
#include "ir/interp/monitor.h"

#include <optional>
#include <span>

namespace xt {

// The window at `offsets` (one per dimension of the base, which has at least two): the leading offsets select the matrix; if
// one of them is out of bounds, everything is outside. `pack`: Type::packFactor of the tile.
TileValue initTile(const MemRefValue &base, std::span<const int64_t> offsets, int64_t pack = 1);
TileValue moveTile(TileValue tile, int64_t down, int64_t right);

// An element that is inside a tile's base by the tile's shape and strides, but outside of its buffer.
struct Overreach {
  std::array<int64_t, 2> index{}; // in the base
};

// Reads the elements at rows x columns of the tile, row-major, into `out`; `padding` for elements outside. Returns the first
// overreach; no such element is accessed.
std::optional<Overreach> loadTile(const TileValue &tile, std::span<const int64_t> rows, std::span<const int64_t> columns,
                                  Number padding, Number *out, const AccessSite &site = {});
// Writes the elements; drops those outside.
std::optional<Overreach> storeTile(const TileValue &tile, std::span<const int64_t> rows, std::span<const int64_t> columns,
                                   const Number *in, const AccessSite &site = {});
// Fills the elements' bytes.
std::optional<Overreach> poisonTile(const TileValue &tile, std::span<const int64_t> rows, std::span<const int64_t> columns,
                                    unsigned char byte, const AccessSite &site);
// Combines each element with its value in `in` (a kind of ir/combine.h); `before` receives the old values, 0 outside.
std::optional<Overreach> updateTile(const TileValue &tile, std::span<const int64_t> rows, std::span<const int64_t> columns,
                                    std::string_view kind, const Number *in, Number *before, const AccessSite &site = {});

// The same for scatter tiles, on the elements of a fragment. Masked-off elements are not accessed and read as the padding; a
// null mask selects all.
void loadGather(const ScatterTile &tile, const Fragment *mask, Number padding, Number *out, const AccessSite &site = {});
void storeScatter(const ScatterTile &tile, const Fragment *mask, const Number *in, const AccessSite &site = {});
void updateScatter(const ScatterTile &tile, const Fragment *mask, std::string_view kind, const Number *in, Number *before,
                   const AccessSite &site = {});

// The address of an element of a memref; null if it is outside.
unsigned char *elementOf(const MemRefValue &memref, std::span<const int64_t> index);
// The same memory in another shape, which may only differ in dimensions of extent 1.
MemRefValue castMemRef(const MemRefValue &memref, Type from, Type to);

} // namespace xt
