// Internal to the pass block-tiles: whether memory accesses of a sweep meet in different parts of it.
#pragma once
#include "ir/op.h"

#include <array>
#include <optional>
#include <span>

namespace xt {

// For each dimension of a vector, the dimension of the sweep that it follows; kWhole: each part needs all of it.
inline constexpr int kWhole = -1;
using Follows = std::array<int, 2>;

// What has to hold of a kernel's arguments (ir/interp/disjoint_arguments.h).
enum class ArgumentPromise : uint8_t { Nothing, DisjointOrSame, Disjoint };

struct SweepAccess {
  const Op *op = nullptr;
  const Value *tile = nullptr;
  bool writes = false;
  Follows follows = {kWhole, kWhole}; // of the tile
};

// What arguments have to be so that the accesses can be performed part by part, with the same results; nullopt: whatever they
// are, accesses of different parts may meet.
std::optional<ArgumentPromise> neededPromise(std::span<const SweepAccess> accesses);

// A tile as its init_tile, and the tiles on the way to it: those update_tile_offset ops that moved it, last one first. The
// init_tile is null where the tile comes from a loop or a branch.
struct TileChain {
  const Op *init = nullptr;
  std::vector<const Op *> moves;
};
TileChain chainOf(const Value *tile);

} // namespace xt
