// Tiles: making, moving, reading and writing them. All offsets are 64-bit and may be anything, without overflow.
#pragma once
#include "ir/interp/monitor.h"

#include <optional>
#include <span>

namespace xt {

// The window at `offsets` (one per dimension of the base, which has at least two): the leading offsets pick the matrix;
// where one is out of range, everything is outside. `pack`: Type::packFactor of the tile.
TileValue initTile(const MemRefValue &base, std::span<const int64_t> offsets, int64_t pack = 1);
TileValue moveTile(TileValue tile, int64_t down, int64_t right);

// An element that lies inside a tile's base by the shape and strides that the tile gives it, but outside of its buffer.
struct Overreach {
  std::array<int64_t, 2> index{}; // in the base
};

// Reads the elements at rows x columns of the tile, row-major, into `out`; `padding` where they lie outside. The first
// overreach is returned; nothing of it is touched.
std::optional<Overreach> loadTile(const TileValue &tile, std::span<const int64_t> rows,
                                  std::span<const int64_t> columns, Number padding, Number *out,
                                  const AccessSite &site = {});
// Writes them; what lies outside is dropped.
std::optional<Overreach> storeTile(const TileValue &tile, std::span<const int64_t> rows,
                                   std::span<const int64_t> columns, const Number *in, const AccessSite &site = {});
// Combines each with its value in `in` (ir/combine.h's kinds); `before` takes the values before, 0 outside.
std::optional<Overreach> updateTile(const TileValue &tile, std::span<const int64_t> rows,
                                    std::span<const int64_t> columns, std::string_view kind, const Number *in,
                                    Number *before, const AccessSite &site = {});

// The same for scatter tiles, on the elements of a fragment. Masked-off ones touch nothing and read as the padding;
// a null mask selects all.
void loadGather(const ScatterTile &tile, const Fragment *mask, Number padding, Number *out,
                const AccessSite &site = {});
void storeScatter(const ScatterTile &tile, const Fragment *mask, const Number *in, const AccessSite &site = {});
void updateScatter(const ScatterTile &tile, const Fragment *mask, std::string_view kind, const Number *in, Number *before,
                   const AccessSite &site = {});

// One element of a memref; null outside.
unsigned char *elementOf(const MemRefValue &memref, std::span<const int64_t> index);
// The same memory in another shape, which differs in dimensions of extent 1.
MemRefValue castMemRef(const MemRefValue &memref, Type from, Type to);

} // namespace xt
