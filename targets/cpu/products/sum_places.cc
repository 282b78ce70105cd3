#include "targets/cpu/products/sum_places.h"
#include "targets/cpu/vector/prefetch.h"

namespace xt {

void SumPlaces::setSink(FusedLoop &sink, bool storesSums) {
  sink_ = &sink;
  stored_ = sink.storedTile();
  if (!stored_) stored_ = sumsAsTile();
  stores_ = storesSums && stored_->elem == p.elem && stored_->unitStride;
}

// The sums of a nest without a store, as a tile in bounds: they stay where they are.
const TileAccess *SumPlaces::sumsAsTile() {
  const BufferShape &shape = n.buffer(kNestSums).shape;
  own_ = TileAccess{};
  own_.elem = shape.elem, own_.unitStride = true, own_.pack = 1;
  own_.base = own_.origin = n.addressOf(kNestSums);
  own_.rowLow = own_.columnLow = n.number(0);
  own_.rowHigh = n.e.context.argument(shape.rows), own_.columnHigh = n.e.context.argument(shape.columns);
  own_.rowStride = n.pitchOf(kNestSums), own_.columnStride = n.number(p.bytes());
  return &own_;
}

// Sets the places of a panel's sums before and after this block. Final sums are stored to the result directly if they are
// stored unchanged and all rows and columns of the panel are in bounds of the store.
void SumPlaces::placeSums(const NestBlock &block, NestPanel &panel) {
  LlvmValue *pitch = n.pitchOf(kNestSums), *zero = n.number(0);
  LlvmValue *panelByte = b.CreateMul(panel.column, n.number(p.bytes()));
  SumPlace kept{byteOffset(b, n.addressOf(kNestSums), panelByte), pitch, pitch};
  SumPlace none{byteOffset(b, n.addressOf(kNestCells), n.number(kNestZeroRow * kNestPanelBytes)), zero, zero};
  panel.begins = p.fresh ? block.isFirst : b.getFalse();
  panel.before = choose(panel.begins, none, kept);
  panel.last = cells();
  panel.stores = b.getFalse();
  if (stores_) {
    panel.stores = b.CreateAnd(b.CreateAnd(block.ready, b.CreateNot(block.isEpilogueTurn)), isInsideStored(panel));
    panel.last =
        choose(panel.stores, {byteOffset(b, stored_->origin, panelByte), stored_->rowStride, stored_->rowStride}, panel.last);
  }
  panel.after = choose(block.ready, panel.last, kept);
}

SumPlace SumPlaces::choose(LlvmValue *condition, const SumPlace &x, const SumPlace &y) {
  return {b.CreateSelect(condition, x.first, y.first), b.CreateSelect(condition, x.step, y.step),
          b.CreateSelect(condition, x.tileStep, y.tileStep)};
}

LlvmValue *SumPlaces::widthOf(const NestPanel &panel) {
  LlvmValue *wide = n.number(p.panelColumns());
  if (!p.hasNarrow() || p.isBf16()) return wide; // with bf16, any panel may be multiplied by a full-width tile that converts
  LlvmValue *narrow = n.number(narrowTile(p.tile).vectors * p.lanes());
  if (panel.middle) narrow = b.CreateSelect(panel.middle, n.number(middleTile(p.tile).vectors * p.lanes()), narrow);
  return b.CreateSelect(panel.narrow, narrow, wide);
}

LlvmValue *SumPlaces::isInsideStored(const NestPanel &panel) {
  LlvmValue *end = b.CreateAdd(panel.column, widthOf(panel));
  LlvmValue *columns = b.CreateAnd(b.CreateICmpSGE(panel.column, stored_->columnLow),
                                   b.CreateICmpSLE(end, least(b, stored_->columnHigh, n.columns)));
  LlvmValue *rows = b.CreateAnd(b.CreateICmpSLE(stored_->rowLow, n.number(0)), b.CreateICmpSLE(n.rows, stored_->rowHigh));
  return b.CreateAnd(columns, rows);
}

// Whether a tile prefetches the lines to which it will store its sums, before it computes them. If the computation takes long,
// this is not necessary, because the stores have time to complete until those of the next tile. AMX tiles prefetch in each
// iteration of their loop (AmxTiles::multiplyWhole).
LlvmValue *SumPlaces::prefetchesResult(const NestBlock &block) {
  return b.CreateAnd(block.ready, n.isSet(&NestPlan::prefetchesResult));
}

// Prefetches `rows` rows of the result, `step` bytes apart.
void SumPlaces::prefetchStored(LlvmValue *first, LlvmValue *step, LlvmValue *rows) {
  forLoop(b, n.number(0), rows, n.number(1), {first}, [&](LlvmValue *, llvm::ArrayRef<LlvmValue *> carried) {
    prefetchStoredRow(carried[0]);
    return LlvmValues{byteOffset(b, carried[0], step)};
  });
}

LlvmValue *SumPlaces::storedRow(const NestPanel &panel, LlvmValue *row) {
  LlvmValue *column = b.CreateMul(panel.column, n.number(elemInfo(stored_->elem).storageBytes));
  return byteOffset(b, stored_->origin, b.CreateAdd(column, b.CreateMul(row, stored_->rowStride)));
}

void SumPlaces::prefetchStoredRow(LlvmValue *line) {
  int64_t bytes = p.panelColumns() * elemInfo(stored_->elem).storageBytes;
  for (int64_t at = 0; at < bytes; at += kCacheLine) prefetch(b, byteOffset(b, line, n.number(at)), Prefetch::ToWrite);
}

// The epilogue reads the sums of a tile from the cells; in the epilogue turn it reads them from kNestSums.
void SumPlaces::sinkTile(const NestBlock &block, const NestPanel &panel, const NestTile &tile) {
  LlvmValue *columnEnd = least(b, b.CreateAdd(panel.column, widthOf(panel)), n.columns);
  LlvmValue *before =
      b.CreateAdd(b.CreateMul(tile.row, n.number(kNestPanelBytes)), b.CreateMul(panel.column, n.number(p.bytes())));
  LlvmValue *cells = byteOffset(b, n.addressOf(kNestCells), b.CreateNeg(before));
  sink_->emitPart({tile.row, tile.rowEnd, panel.column, columnEnd,
                   b.CreateSelect(block.isEpilogueTurn, n.addressOf(kNestSums), cells),
                   b.CreateSelect(block.isEpilogueTurn, n.pitchOf(kNestSums), n.number(kNestPanelBytes))});
}

} // namespace xt
