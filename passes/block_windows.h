// Internal to the pass block-tiles: the windows through which a kernel accesses the blocks of a tile. A tile whose root is
// known has no windows of its own: only its offsets are kept, and each access creates the windows that it needs.
#pragma once
#include "passes/block_values.h"

namespace xt {

class BlockWindows {
public:
  // To be constructed before any op of the new kernel body is created.
  BlockWindows(Kernel &kernel, Builder &builder, BlockValues &values, const BlockClasses &classes, const TileRoots &roots)
      : kernel_(kernel), b_(builder), values_(values), classes_(classes), roots_(roots), lastOld_(kernel.body.last()) {}

  void initTile(const Op &op);
  void updateTile(const Op &op);
  // Performs a gather, a scatter or an atomic op on each block of its tile.
  void eachWindow(const Op &op);

  // Returns the window onto block k of `grid`. If the root of the tile is not known, `grid` must be the tile's own grid.
  // `lanes`: which lane accesses which elements; null: distribute-to-lanes chooses. It has no effect for a scatter tile, whose
  // offsets say so, and for a tile whose root is not known.
  Value *of(const Value *tile, const BlockGrid &grid, size_t k, const Layout *lanes = nullptr);
  // Creates the window onto [origin, origin + shape) of a tile whose root is known and which is not a scatter tile.
  Value *at(const Value *tile, const std::vector<int64_t> &origin, const std::vector<int64_t> &shape,
            const Layout *lanes = nullptr);
  // Returns the operands of an init_tile for the region at `origin` of the tile. If `transposed`, `origin` is a position in
  // the transpose of the tile, and the operands are for the transpose of the matrix.
  Values initOperands(const Value *tile, const std::vector<int64_t> &origin, bool transposed = false);

  // The blocks in which a vector is accessed without block messages: `wanted`, or the default blocks if a block of `wanted` is
  // larger than a message can move.
  BlockGrid accessGrid(Type vector, const BlockGrid &wanted) const;

private:
  Value *scatterWindow(const Op &init, Value *offsets);
  // The transpose of a parameter that is stored by columns. A cast at the start of the kernel makes it.
  Value *transposedBase(const Value *param);

  Kernel &kernel_;
  Builder &b_;
  BlockValues &values_;
  const BlockClasses &classes_;
  const TileRoots &roots_;
  Op *lastOld_; // the last op of the old kernel body, which new ops follow; null if it was empty
  std::unordered_map<const Value *, Value *> transposed_; // by parameter; for lookup only
};

} // namespace xt
