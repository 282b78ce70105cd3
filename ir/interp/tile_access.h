// Creates, moves, reads and writes tiles. The offsets of tiles are 64-bit numbers and may have any value: they are added
// modulo 2^64, which has no undefined behaviour.
#pragma once
#include "ir/interp/monitor.h"

#include <optional>
#include <span>

namespace xt {

// Returns the tile at `offsets`, one for each dimension of the base, which has at least two. The leading offsets select the
// matrix; if one of them is out of bounds, so are all elements of the tile. `pack`: Type::packFactor of the tile.
TileValue initTile(const MemRefValue &base, std::span<const int64_t> offsets, int64_t pack = 1);
TileValue moveTile(TileValue tile, int64_t down, int64_t right);

// An element that is in bounds according to the tile's explicit shape and strides, but lies outside of the tile's buffer.
struct Overreach {
  std::array<int64_t, 2> index{}; // in the base
};

// Reads the elements at `rows` x `columns` of the tile, row-major, into `out`; elements out of bounds are read as `padding`.
// Returns the first overreach, if there is one; elements outside of the buffer are not accessed.
std::optional<Overreach> loadTile(const TileValue &tile, std::span<const int64_t> rows, std::span<const int64_t> columns,
                                  Number padding, Number *out, const AccessSite &site = {});
// Writes `in` to the elements. Elements out of bounds are not written. Returns the first overreach, as loadTile does.
std::optional<Overreach> storeTile(const TileValue &tile, std::span<const int64_t> rows, std::span<const int64_t> columns,
                                   const Number *in, const AccessSite &site = {});
// Sets each byte of the elements to `byte`; otherwise like storeTile.
std::optional<Overreach> poisonTile(const TileValue &tile, std::span<const int64_t> rows, std::span<const int64_t> columns,
                                    unsigned char byte, const AccessSite &site);
// What an atomic does to each element.
struct ElementUpdate {
  std::string_view kind;            // the word of the op that combines the element with its value (ir/combine.h)
  const Number *values = nullptr;
  const Number *expected = nullptr; // not null: a compare and swap, which writes the value where the element is as expected
};
// `before` receives the old values, and 0 for elements out of bounds. Returns the first overreach, as loadTile does.
std::optional<Overreach> updateTile(const TileValue &tile, std::span<const int64_t> rows, std::span<const int64_t> columns,
                                    const ElementUpdate &update, Number *before, const AccessSite &site = {});

// These read, write and update the elements of a scatter tile, in the order of its offsets. Elements that the mask does not
// select are not accessed; their values in `out` are `padding`, and in `before` 0. A null mask selects all elements.
void loadGather(const ScatterTile &tile, const Fragment *mask, Number padding, Number *out, const AccessSite &site = {});
void storeScatter(const ScatterTile &tile, const Fragment *mask, const Number *in, const AccessSite &site = {});
void updateScatter(const ScatterTile &tile, const Fragment *mask, const ElementUpdate &update, Number *before,
                   const AccessSite &site = {});

// The address of an element of a memref; null if the index is out of bounds.
unsigned char *elementOf(const MemRefValue &memref, std::span<const int64_t> index);
// The same memory with the dimensions of the type `to` (memrefCastDims).
MemRefValue castMemRef(const MemRefValue &memref, Type from, Type to);

} // namespace xt
