// Data that all parts of a nest's emitter share: the problem and its plan, and the values of the nest that is being emitted.
#pragma once
#include "targets/cpu/products/microkernel.h"
#include "targets/cpu/products/nest_plan_call.h"
#include "targets/cpu/products/shared_panels.h"
#include "targets/cpu/vector/fused_loop.h"

namespace xt {

struct NestBlock { // a block of K
  LlvmValue *first, *depth; // in steps
  LlvmValue *isFirst, *isLast;
  // Whether this is the epilogue turn: an extra iteration after the last block, which multiplies nothing and runs the epilogue
  // on all sums.
  LlvmValue *isEpilogueTurn;
  LlvmValue *ready; // whether the sums after this block are final and may be used as soon as they are computed
  LlvmValue *left; // address of `a`[0, first], in place or staged
  // The least magnitude of `a` if it holds bf16, or its key if it holds sliced floats. Null if scansLeftWhileMultiplying, and
  // for other types.
  LlvmValue *least;
  LlvmValue *rightInside; // whether all elements of `b` that the block reads are in bounds; null unless maySweep
  LlvmValue *panels; // maximum number of panels of `b` that are packed together, with AMX; null: 1
};

// The place of a panel's sums in memory. The sums of row i of a tile that begins with row r of `a` start at `first` + r *
// `tileStep` + i * `step` (bytes).
struct SumPlace {
  LlvmValue *first, *step, *tileStep;
};

// The addresses that the tiles of a panel prefetch. Tile i prefetches from `first` + i * `tileStep` on, and each loop iteration
// adds `step`. The first tile may be one that packs the panel. The `tilesInSource` tiles after it instead prefetch the next
// panel that is packed by a tile or read in place, at `source` (PanelPrefetcher::prefetchedBy); the smaller tiles of the last
// rows do so only if they are among the first `lastInSource` of these.
struct PanelPrefetch {
  LlvmValue *first, *tileStep, *step;
  LlvmValue *source = nullptr, *tilesInSource = nullptr, *lastInSource = nullptr;
};

struct NestPanel {
  LlvmValue *column; // the first column of the panel
  LlvmValue *right; // address of `b`[first row of the block, column], packed or in place
  LlvmValue *step; // bytes from one row of K to the next
  LlvmValue *least; // the least magnitude or key of `b`, like NestBlock::least
  SharedPanel shared;
  LlvmValue *columnSums = nullptr; // if movesLeft: the address of the corrections of its sums, computed from its column sums
  LlvmValue *leftLeast = nullptr; // if scansLeftWhileMultiplying: the least magnitude that `a` may have (leastNormalPartner)
  LlvmValue *width = nullptr; // number of columns that are multiplied; null: the full width of a panel, in bounds or not
  LlvmValue *panels = nullptr; // number of consecutive packed panels from this one on, at most kMostPanels; null: 1
  // The address of the panel in `b`, and whether its tiles may prefetch the next panel in `b`. Null if neither
  // mayPrefetchSource nor mayBeDirect is set.
  LlvmValue *source = nullptr, *prefetchesSource = nullptr;
  LlvmValue *copies = nullptr; // if mayCopy: whether the first tile of rows packs the panel (RowLoop::copying)
  LlvmValue *copyTo = nullptr; // address to which rows are packed as they are read; null: they are not packed
  LlvmValue *narrow = nullptr; // whether its tiles are narrowTile() or middleTile(), unless bf16 are converted; null: neither
  LlvmValue *middle = nullptr; // if `narrow` holds: whether they are middleTile(); null: they are narrowTile()
  // Set by SumPlaces. The final sums are stored to the result if `stores` holds, otherwise to the cells, which one tile after
  // the other uses.
  LlvmValue *stores = nullptr;
  LlvmValue *begins = nullptr; // whether the sums start at 0; `before` is a row of zeros then
  SumPlace before{}, last{}, after{}; // where the sums are before this block, after the last block, and after this block
  PanelPrefetch next{};
};

struct NestTile { // a tile of rows of `a`: its index, its first row, and the end of its rows
  LlvmValue *index, *row, *rowEnd;
};

inline LlvmValue *least(llvm::IRBuilderBase &b, LlvmValue *x, LlvmValue *y) {
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y);
}
inline LlvmValue *most(llvm::IRBuilderBase &b, LlvmValue *x, LlvmValue *y) {
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, y);
}

// The classes that take a context call it `n`, its problem `p` and its builder `b`, because these names are in almost every
// line. In comments, `a` and `b` are the operands of the product.
struct NestContext {
  NestContext(KernelEmitter &emitter, const Op &nest, SharedPanels &panels);

  LlvmValue *planned(int64_t NestPlan::*word) { return plan.get(b, word); }
  LlvmValue *isSet(int64_t NestPlan::*word) { return plan.isSet(b, word); }

  LlvmValue *number(int64_t value) { return e.context.number(value); }

  const Buffer &buffer(NestBuffer which) {
    const Buffer *own = e.context.buffers.stagingOf(&op, which);
    if (!own && which == kNestSums) own = e.context.buffers.bufferOf(op.result()); // a nest without a store
    return *own;
  }
  LlvmValue *addressOf(NestBuffer which) { return e.context.bufferAddress(buffer(which)); }
  LlvmValue *pitchOf(NestBuffer which) { return e.context.pitchOf(buffer(which)); }
  LlvmValue *rowOf(NestBuffer which, LlvmValue *row) {
    return byteOffset(b, addressOf(which), b.CreateMul(row, pitchOf(which)));
  }
  llvm::Align vectorAlign() const { return llvm::Align(static_cast<uint64_t>(problem.lanes() * problem.bytes())); }

  LlvmValue *multiplied(Elem from, LlvmValue *chunk); // converts from storage form to the type that is multiplied in
  LlvmValue *inAllLanes(Elem from, LlvmValue *at); // broadcasts the element at `at`
  LlvmValue *registerAt(Elem from, LlvmValue *at, int count); // loads `count` elements unaligned, in storage form
  LlvmValues panelRow(LlvmValue *at); // loads the registers of a row of a packed panel, or of the column sums after it

  LlvmValue *leftBytes(const NestBlock &block); // bytes of a row of `a` in this block; a staged row is whole registers
  // The address of `a`[first row of the tile, first step of the block].
  LlvmValue *leftOf(const NestBlock &block, const NestTile &tile) {
    return byteOffset(b, block.left, b.CreateMul(tile.row, leftRowStep));
  }
  // The bytes of a packed panel. The number of its rows of K is rounded up to a multiple of the lanes.
  LlvmValue *panelBytes(const NestBlock &block);
  // The bytes of the panels that are packed together. The facts about them follow: column sums or the least magnitude.
  LlvmValue *behindPanels(const NestBlock &block, const NestPanel &panel);
  // The bytes of the panels that are packed together and of the facts about them: the distance between shared panels that were
  // packed one after the other.
  LlvmValue *toNextPanel(const NestBlock &block, const NestPanel &panel);
  LlvmValue *packedWord(LlvmValue *step); // index of the row of a packed panel that holds the words of a step's first slice

  KernelEmitter &e;
  llvm::IRBuilder<> &b;
  const Op &op;
  NestProblem problem;
  Microkernel microkernel;
  SharedPanels &sharedPanels;
  NestPlanCall plan;
  // Set before blocks are emitted.
  NestRules rules{};
  TileAccess left{}, right{}; // `a` and `b` over all of K, with rows as in memory (NestOperand::transposed)
  LlvmValue *rows = nullptr, *depth = nullptr; // rows that are computed, and steps of K
  LlvmValue *elementDepth = nullptr; // elements of K
  LlvmValue *columnBegin = nullptr, *columns = nullptr; // first column that is computed, and the end
  LlvmValue *shares = nullptr; // whether workgroups share packed panels; null: they cannot
  LlvmValue *leftInPlace = nullptr; // whether rows of `a` are read in place
  LlvmValue *leftRowStep = nullptr, *leftStep = nullptr; // bytes from row to row of `a`, and from step to step
};

} // namespace xt
