// Internal to the pass block-tiles: products of tiles, as matrix instructions of the target or, if it has none for the element
// types, as products of blocks.
#pragma once
#include "ir/base/diagnostics.h"
#include "passes/block_parts.h"

namespace xt {

class BlockProducts {
public:
  BlockProducts(const TargetInfo &target, Builder &builder, Diagnostics &diagnostics, BlockValues &values,
                const BlockClasses &classes, BlockParts &parts)
      : target_(target), b_(builder), diagnostics_(diagnostics), values_(values), classes_(classes), parts_(parts) {}

  void tileMma(const Op &op);

private:
  // Return the blocks of an operand, and of the accumulator, cut by `grid`, as the chosen instruction takes them. If there is no
  // instruction, the elements stay as they are.
  Values operandBlocks(const Op &op, size_t operand, const BlockGrid &grid, const MmaChoice &choice);
  Values accumulatorBlocks(const Op &op, const BlockGrid &grid, const MmaChoice &choice);

  const TargetInfo &target_;
  Builder &b_;
  Diagnostics &diagnostics_;
  BlockValues &values_;
  const BlockClasses &classes_;
  BlockParts &parts_;
};

} // namespace xt
