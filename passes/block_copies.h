// Internal to the pass block-tiles: asynchronous copies, of which each lane performs its own portions.
#pragma once
#include "passes/async_copy_width.h"
#include "passes/block_windows.h"

namespace xt {

// Replaces the asynchronous copies of a kernel by loads and stores if the target cannot perform one of them, and says why.
void keepAsyncCopies(Kernel &kernel, Context &context, const TargetInfo &target, int64_t lanes, Diagnostics &diagnostics);

class BlockCopies {
public:
  BlockCopies(const TargetInfo &target, Builder &builder, BlockValues &values, const BlockClasses &classes,
              const TileRoots &roots, BlockWindows &windows)
      : target_(target), b_(builder), values_(values), classes_(classes), roots_(roots), windows_(windows) {}

  void asyncCopy(const Op &op);

private:
  const TargetInfo &target_;
  Builder &b_;
  BlockValues &values_;
  const BlockClasses &classes_;
  const TileRoots &roots_;
  BlockWindows &windows_;
};

} // namespace xt
