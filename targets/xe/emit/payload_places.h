// Where the block messages of a function are: how a position changes in a loop, and how far two are apart.
#pragma once
#include "targets/xe/emit/payload_messages.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>

namespace xt {

// A coordinate before a loop, and its change in each turn; without a loop, the coordinate.
struct BlockCoordinate {
  llvm::Value *start;
  int64_t step = 0;
};

// A message, and what its payload holds.
struct BlockPlacement {
  BlockMessageCall *message;
  std::vector<llvm::Value *> matrix;
  BlockCoordinate x, y;
};

class PayloadPlaces {
public:
  explicit PayloadPlaces(llvm::Function &function);
  llvm::Loop *loopOf(const BlockMessageCall &message) const { return loops_.getLoopFor(message.call->getParent()); }

  // The place of a message in a loop that has a preheader and a latch, if all but the position is the same in each turn and the
  // position changes by a constant; then all of it is computed before the loop.
  std::optional<BlockPlacement> inLoop(BlockMessageCall &message);
  // The place of a message where it is sent.
  static std::optional<BlockPlacement> here(BlockMessageCall &message);
  // From one place to another. nullopt if the two do not share what else a payload holds, or move in other steps.
  std::optional<BlockOffset> offset(const BlockPlacement &from, const BlockPlacement &to);

private:
  bool isInvariant(llvm::Value *value, llvm::Loop *loop);
  std::optional<BlockCoordinate> coordinate(llvm::IRBuilder<> &b, llvm::Value *value, llvm::Loop *loop);
  std::optional<int64_t> difference(llvm::Value *from, llvm::Value *to);

  llvm::TargetLibraryInfoImpl library_;
  llvm::DominatorTree tree_;
  llvm::LoopInfo loops_;
  llvm::AssumptionCache assumptions_;
  llvm::TargetLibraryInfo libraryInfo_;
  llvm::ScalarEvolution evolution_;
};

} // namespace xt
