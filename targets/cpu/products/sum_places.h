// Where the sums of a nest are: in registers during a block, in scratch memory between blocks, and after the last block in the
// result, or in cells that stay in the L1 cache, from which the epilogue takes them.
#pragma once
#include "targets/cpu/products/nest_context.h"

namespace xt {

class SumPlaces {
public:
  explicit SumPlaces(NestContext &context) : n(context), p(context.problem), b(context.b) {}

  // `sink`: the epilogue. `storesSums`: whether it stores the sums without further computation.
  void setSink(FusedLoop &sink, bool storesSums);
  // Sets the places of a panel's sums before and after this block.
  void placeSums(const NestBlock &block, NestPanel &panel);
  SumPlace choose(LlvmValue *condition, const SumPlace &x, const SumPlace &y);
  LlvmValue *sumsAt(const SumPlace &sums, const NestTile &tile) {
    return byteOffset(b, sums.first, b.CreateMul(tile.row, sums.tileStep));
  }
  llvm::Align sumAlign() const { return stores_ ? llvm::Align(1) : n.vectorAlign(); } // alignment of sums at a panel's `after`
  // Runs the epilogue for a tile.
  void sinkTile(const NestBlock &block, const NestPanel &panel, const NestTile &tile);

  // The following functions prefetch lines of the result. storesRows(): whether there are such lines.
  bool storesRows() const { return stored_ != &own_ && stored_->unitStride; }
  LlvmValue *storedStep() const { return stored_->rowStride; }
  LlvmValue *prefetchesResult(const NestBlock &block);
  void prefetchStored(LlvmValue *first, LlvmValue *step, LlvmValue *rows);
  LlvmValue *storedRow(const NestPanel &panel, LlvmValue *row);
  void prefetchStoredRow(LlvmValue *line);

private:
  SumPlace cells() { return {n.addressOf(kNestCells), n.number(kNestPanelBytes), n.number(0)}; } // every tile reuses them
  const TileAccess *sumsAsTile();
  LlvmValue *widthOf(const NestPanel &panel); // in columns
  LlvmValue *isInsideStored(const NestPanel &panel);

  NestContext &n;
  const NestProblem &p;
  llvm::IRBuilder<> &b;
  FusedLoop *sink_ = nullptr;
  TileAccess own_{}; // the sums of a nest without a store
  const TileAccess *stored_ = nullptr; // the tile to which the epilogue stores, or `own_`
  bool stores_ = false; // whether final sums may be stored from registers to the result, without the epilogue
};

} // namespace xt
