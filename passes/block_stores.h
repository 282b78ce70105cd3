// Internal to the pass block-tiles: stores to tiles, by 2D block messages if these can access the tile and take from each lane
// the elements that the kernel states.
#pragma once
#include "passes/block_messages.h"
#include "passes/block_parts.h"

namespace xt {

class BlockStores {
public:
  BlockStores(const TargetInfo &target, Builder &builder, BlockValues &values, const BlockClasses &classes,
              const TileRoots &roots, BlockParts &parts, BlockWindows &windows, BlockMessages &messages)
      : target_(target), b_(builder), values_(values), classes_(classes), roots_(roots), parts_(parts), windows_(windows),
        messages_(messages) {}

  void storeTile(const Op &op);

private:
  BlockGrid messageGrid(Type tile, const BlockShape &shape) const;
  // The widest message that stores at most `columns` columns; null if there is no such message.
  const BlockShape *widestWithin(int bits, int64_t columns) const;
  bool takesStatedLayout(const Value *value, const BlockGrid &grid) const;
  void storeByMessages(const Op &op, const BlockGrid &grid);
  void storeByLanes(const Op &op, const std::string &reason);

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
