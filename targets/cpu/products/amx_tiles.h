// Emits the loop over the rows of `a` in nests that AMX multiplies (bf16, bytes and sliced floats), for one panel of `b` or
// two. AMX's tiles together hold 32x32 sums.
#pragma once
#include "targets/cpu/products/nest_slices.h"
#include "targets/cpu/products/sum_places.h"
#include "targets/cpu/products/tile_microkernel.h"

namespace xt {

class AmxTiles {
public:
  AmxTiles(NestContext &context, NestSlices &slices, SumPlaces &sums);
  // begin() and end() enclose all products of a nest.
  void begin() { microkernel_.begin(e_.context.ops.stackSlot(0)); }
  void end() { microkernel_.end(); }
  // Multiplies all rows of `a` by the panels of `b` that are packed together: `first`, and the one after it if there are two.
  void emitAmxRows(const NestBlock &block, NestPanel first);

private:
  struct ResultLines { // the rows of the result that a tile prefetches: address of the first, bytes from row to row, number
    LlvmValue *first, *step, *rows;
  };
  NestPanel choose(LlvmValue *condition, const NestPanel &x, const NestPanel &y);
  void emitAmxTile(const NestBlock &block, const NestPanel &panel, const NestTile &tile);
  LlvmValue *areNormal(const NestBlock &block, const NestPanel &panel);
  void multiplyWhole(const NestBlock &block, const NestPanel &panel, const NestTile &tile,
                     const TileMicrokernel::Operands &operands);
  void multiplyConverted(const TileMicrokernel::Operands &operands, LlvmValue *rows, LlvmValue *start);
  void addTile(const NestPanel &panel, const NestTile &tile);
  ResultLines resultLinesOf(const NestBlock &block, const NestPanel &panel, const NestTile &tile);
  LlvmValue *resultLineAt(const ResultLines &lines, LlvmValue *turn, LlvmValue *rows);
  void prefetchResult(const ResultLines &lines, LlvmValue *turn, LlvmValue *rows);
  void prefetchTwoResultLines(const ResultLines &lines, LlvmValue *turn);

  NestContext &n;
  const NestProblem &p;
  llvm::IRBuilder<> &b;
  KernelEmitter &e_;
  NestSlices &slices_;
  SumPlaces &sums_;
  TileMicrokernel microkernel_;
};

} // namespace xt
