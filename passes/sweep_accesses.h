// Internal to the pass block-tiles: decides whether accesses in different parts of a sweep may touch the same memory.
#pragma once
#include "ir/op.h"

#include <array>
#include <optional>
#include <span>

namespace xt {

// For each dimension of a value, the dimension of the sweep (tile_sweeps.h) along which it may be cut into parts; kWhole: it is
// not cut, because each part needs all of it.
inline constexpr int kWhole = -1;
using Follows = std::array<int, 2>;

// A promise about the memory of a kernel's arguments, which each launch checks (ir/interp/disjoint_arguments.h).
enum class ArgumentPromise : uint8_t { Nothing, DisjointOrSame, Disjoint };

struct SweepAccess {
  const Op *op = nullptr;
  const Value *tile = nullptr;
  bool writes = false;
  Follows follows = {kWhole, kWhole}; // for the dimensions of the tile
};

// The promise about the arguments that is needed to perform the accesses part by part with the same results. Nullopt: no
// promise is enough, because accesses in different parts may touch the same memory.
std::optional<ArgumentPromise> neededPromise(std::span<const SweepAccess> accesses);

// How a tile was made: its init_tile, and the update_tile_offset ops that moved it afterwards, the last one first. The
// init_tile is null if the tile comes from a loop or a branch.
struct TileChain {
  const Op *init = nullptr;
  std::vector<const Op *> moves;
};
TileChain chainOf(const Value *tile);

} // namespace xt
