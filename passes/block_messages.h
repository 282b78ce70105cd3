// Internal to the pass block-tiles: decides whether 2D block messages can access a tile, and creates the descriptors of the
// blocks that they move.
#pragma once
#include "ir/base/diagnostics.h"
#include "passes/block_windows.h"

#include <string>

namespace xt {

class BlockMessages {
public:
  BlockMessages(const Kernel &kernel, const TargetInfo &target, Builder &builder, Diagnostics &diagnostics,
                const BlockClasses &classes, const TileRoots &roots, BlockWindows &windows)
      : kernel_(kernel), target_(target), b_(builder), diagnostics_(diagnostics), classes_(classes), roots_(roots),
        windows_(windows) {}

  // Why 2D block messages cannot access the tile; "" if they can.
  std::string whyNot(const Value *tile, bool stores) const;
  // Reports that the op accesses memory element by element, and why block messages cannot perform it.
  void remarkOnFallback(const Op &op, const std::string &reason);

  // Creates the descriptor of a block. `origin` and `shape` are in memory order: if the matrix is stored by columns, they are
  // those of its transpose.
  Value *descriptor(const Value *tile, const std::vector<int64_t> &origin, const std::vector<int64_t> &shape);

private:
  std::string whyNoBase(const Op &root) const;

  const Kernel &kernel_;
  const TargetInfo &target_;
  Builder &b_;
  Diagnostics &diagnostics_;
  const BlockClasses &classes_;
  const TileRoots &roots_;
  BlockWindows &windows_;
};

// Gives an XeGPU op the mode `vc`, in which the subgroup works on whole vectors.
void setVc(Op *op);

// The bits that an element takes in memory.
int memoryBits(Elem elem);

// Whether the matrix of the tile is stored by columns.
inline bool isByColumns(const Value *tile) { return tile->type().data().order == Order::ColumnMajor; }

} // namespace xt
