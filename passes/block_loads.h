// Internal to the pass block-tiles: loads and prefetches of tiles, by 2D block messages if these can access the tile and give
// each lane the elements that the kernel states.
#pragma once
#include "passes/block_messages.h"
#include "passes/block_parts.h"

#include <optional>

namespace xt {

class BlockLoads {
public:
  BlockLoads(const TargetInfo &target, Builder &builder, BlockValues &values, const BlockClasses &classes,
             const TileRoots &roots, BlockParts &parts, BlockWindows &windows, BlockMessages &messages)
      : target_(target), b_(builder), values_(values), classes_(classes), roots_(roots), parts_(parts), windows_(windows),
        messages_(messages) {}

  void loadTile(const Op &op);
  void prefetchTile(const Op &op);

private:
  struct Message {
    std::vector<int64_t> origin, size; // of the block in memory
    std::vector<int64_t> used;         // the size of the part of the block that is needed
  };
  // The messages that load a tile: one per block of `grid`.
  struct Plan {
    BlockGrid grid; // of the result
    std::vector<Message> messages;
    bool transposed = false, packs = false;
  };
  // Nullopt: the target has no message for the tile's elements.
  std::optional<Plan> plan(const Op &op) const;
  std::optional<Plan> planShaped(const Op &op, Plan plan) const;
  BlockGrid messageGrid(Type tile, const BlockShape &shape, bool operandSized, const BlockGrid &wanted) const;
  bool givesStatedLayout(const Op &op, const Plan &plan) const;

  void loadByMessages(const Op &op, const Plan &plan);
  Value *load(const Op &op, const Plan &plan, const Message &message);
  void loadByLanes(const Op &op);
  bool loadsMatrices(const Op &op) const;
  BlockGrid matricesGrid(const Op &op, BlockGrid grid) const;
  bool mayLoadRows(const Op &op) const;
  bool loadsRows(const Op &op) const;
  BlockGrid rowsGrid(const Op &op, const BlockGrid &own) const;
  const Layout *rowsLayout(const Op &op, const std::vector<int64_t> &shape) const;
  Values loadWindows(const Op &op, const BlockGrid &grid);

  const TargetInfo &target_;
  Builder &b_;
  BlockValues &values_;
  const BlockClasses &classes_;
  const TileRoots &roots_;
  BlockParts &parts_;
  BlockWindows &windows_;
  BlockMessages &messages_;
};

} // namespace xt
