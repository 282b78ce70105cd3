// What the parts of a nest's emitter share: the problem and its plan, and the values of the nest that is being emitted.
#pragma once
#include "targets/cpu/products/microkernel.h"
#include "targets/cpu/products/nest_plan_call.h"
#include "targets/cpu/products/shared_panels.h"
#include "targets/cpu/vector/fused_loop.h"

namespace xt {

struct NestBlock { // a block of K
  LlvmValue *first, *depth; // in steps
  LlvmValue *isFirst, *isLast;
  LlvmValue *isEpilogueTurn; // a turn after the last block, which multiplies nothing and runs the epilogue on all sums
  LlvmValue *ready; // the sums after this block are final and may be used as they are computed
  LlvmValue *left; // address of a[0, first]
  LlvmValue *least; // least magnitude of a: of bf16, or the key of sliced floats; not set if scansLeftWhileMultiplying
  LlvmValue *rightInside; // whether all of b that is read is in bounds
  LlvmValue *panels; // the most panels of b that are packed together, with AMX; null: 1
};

// The place of a panel's sums: its first row, bytes from row to row within a tile, and bytes per row of a to the start of a tile.
struct SumPlace {
  LlvmValue *first, *step, *tileStep;
};

// The prefetches of a panel's tiles. The first tile prefetches from `first` on, each later one tileStep bytes further, and `step`
// is the distance per loop iteration. The `tilesInSource` tiles after the first one, which may copy, instead prefetch the next
// panel that is copied or read in place, at `source` (PanelPrefetcher::prefetchedBy); tiles of the last rows do so only if they
// are among the first `lastInSource` ones.
struct PanelPrefetch {
  LlvmValue *first, *tileStep, *step;
  LlvmValue *source = nullptr, *tilesInSource = nullptr, *lastInSource = nullptr;
};

struct NestPanel {
  LlvmValue *column; // its first column
  LlvmValue *right; // address of b[first row of the block, column]
  LlvmValue *step; // bytes from one row of K to the next
  LlvmValue *least; // least magnitude of b, as in NestBlock
  SharedPanel shared;
  LlvmValue *columnSums = nullptr; // if movesLeft: the address of its column sums, from which its sums start
  LlvmValue *leftLeast = nullptr; // if scansLeftWhileMultiplying: the least magnitude that a may have (leastNormalPartner)
  LlvmValue *width = nullptr; // columns that are multiplied; null: the full width of a panel, whatever is in bounds
  LlvmValue *panels = nullptr; // consecutive packed panels from this one on, at most kMostPanels; null: 1
  // Its address in b, and whether its tiles may prefetch the next panel there. Null unless mayPrefetchSource.
  LlvmValue *source = nullptr, *prefetchesSource = nullptr;
  LlvmValue *copies = nullptr; // if mayCopy: whether the first tile of rows packs it (RowLoop::copying)
  LlvmValue *copyTo = nullptr; // the rows that are read are packed here; null: they are not
  LlvmValue *narrow = nullptr; // whether narrowTile() or middleTile() takes its rows, unless bf16 are converted; null: never
  LlvmValue *middle = nullptr; // whether it is middleTile(); null: it is narrowTile()
  // Set by SumPlaces. The final sums are stored to the result if `stores` holds, otherwise to the cells, one tile after the
  // other.
  LlvmValue *stores = nullptr;
  LlvmValue *begins = nullptr; // whether the sums start at 0, whatever `before` is
  SumPlace before{}, last{}, after{}; // before this block, at the end, and after this block
  PanelPrefetch next{};
};

struct NestTile { // of rows of a
  LlvmValue *index, *row, *rowEnd;
};

inline LlvmValue *least(llvm::IRBuilderBase &b, LlvmValue *x, LlvmValue *y) {
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y);
}
inline LlvmValue *most(llvm::IRBuilderBase &b, LlvmValue *x, LlvmValue *y) {
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, y);
}

// The classes that take a context call it `n`, its problem `p` and its builder `b`, as those are in almost every line.
struct NestContext {
  NestContext(KernelEmitter &emitter, const Op &nest, SharedPanels &panels);

  LlvmValue *planned(int64_t NestPlan::*word) { return plan.get(b, word); }
  LlvmValue *isSet(int64_t NestPlan::*word) { return plan.isSet(b, word); }

  LlvmValue *number(int64_t value) { return e.context.number(value); }

  const Buffer &buffer(NestBuffer which) { return *e.context.buffers.stagingOf(&op, which); }
  LlvmValue *addressOf(NestBuffer which) { return e.context.bufferAddress(buffer(which)); }
  LlvmValue *pitchOf(NestBuffer which) { return e.context.pitchOf(buffer(which)); }
  LlvmValue *rowOf(NestBuffer which, LlvmValue *row) {
    return byteOffset(b, addressOf(which), b.CreateMul(row, pitchOf(which)));
  }
  llvm::Align vectorAlign() const { return llvm::Align(static_cast<uint64_t>(problem.lanes() * problem.bytes())); }

  LlvmValue *multiplied(Elem from, LlvmValue *chunk); // from storage form to the type that is multiplied in
  LlvmValue *inAllLanes(Elem from, LlvmValue *at); // broadcasts the element at `at`
  LlvmValue *registerAt(Elem from, LlvmValue *at, int count); // an unaligned load, in storage form
  LlvmValues panelRow(LlvmValue *at); // the registers of a row of a packed panel, or of the row of facts behind it

  LlvmValue *leftBytes(const NestBlock &block); // of a row of a in this block; staged rows are padded to whole registers
  LlvmValue *leftOf(const NestBlock &block, const NestTile &tile) { // a[first row of the tile, first step of the block]
    return byteOffset(b, block.left, b.CreateMul(tile.row, leftRowStep));
  }
  LlvmValue *panelBytes(const NestBlock &block); // of a packed panel, whose rows of K are rounded up to a multiple of the lanes
  // The byte distance to the facts about the panels that are packed together.
  LlvmValue *behindPanels(const NestBlock &block, const NestPanel &panel);
  // The byte distance of shared panels that were packed one after the other.
  LlvmValue *toNextPanel(const NestBlock &block, const NestPanel &panel);
  LlvmValue *packedWord(LlvmValue *step); // the index of the word in packed memory that holds a step's first slice

  KernelEmitter &e;
  llvm::IRBuilder<> &b;
  const Op &op;
  NestProblem problem;
  Microkernel microkernel;
  SharedPanels &sharedPanels;
  NestPlanCall plan;
  // Set before blocks are emitted.
  NestRules rules{};
  TileAccess left{}, right{}; // a and b over all of K, in the order of their memory (NestOperand::transposed)
  LlvmValue *rows = nullptr, *depth = nullptr; // rows that are computed, and steps of K
  LlvmValue *elementDepth = nullptr; // elements of K
  LlvmValue *columnBegin = nullptr, *columns = nullptr; // first column that is computed, and the end
  LlvmValue *shares = nullptr; // whether workgroups share packed panels; null: they cannot
  LlvmValue *leftInPlace = nullptr; // whether rows of a are read in place
  LlvmValue *leftRowStep = nullptr, *leftStep = nullptr; // bytes
};

} // namespace xt
