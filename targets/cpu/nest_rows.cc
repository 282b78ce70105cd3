// The rows of a, tile after tile, times one panel of b, and where their sums go.
#include "targets/cpu/nest_emitter.h"

#include "ir/base/check.h"
#include "targets/cpu/prefetch.h"

namespace xt {

// Down the rows of a; the last few by a smaller tile. What uses the sums stands once, behind whichever.
void NestEmitter::emitRows(const Block &block, const Panel &panel, FusedLoop &sink, LlvmValue *inPlace) {
  RegisterTile last = lastRowsTile(tile_);
  bool rest = hasRest();
  LlvmValue *more = rest ? number(0) : number(tile_.rows - 1);
  LlvmValue *large = rest && isBf16() ? areNormal(block, panel) : b.getTrue(); // others convert, a few rows at a time
  LlvmValue *whole = b.CreateSelect(large, b.CreateUDiv(b.CreateAdd(rows_, more), number(tile_.rows)), number(0));
  LlvmValue *wholeRows = b.CreateMul(whole, number(tile_.rows));
  LlvmValue *few = number(last.rows);
  LlvmValue *left = most(b.CreateSub(rows_, wholeRows), number(0));
  LlvmValue *others = b.CreateUDiv(b.CreateAdd(left, b.CreateSub(few, number(1))), few);
  forLoop(b, number(0), b.CreateAdd(whole, others), number(1), [&](LlvmValue *i) {
    LlvmValue *isWhole = b.CreateICmpSLT(i, whole);
    LlvmValue *row = b.CreateAdd(b.CreateMul(least(i, whole), number(tile_.rows)), b.CreateMul(most(b.CreateSub(i, whole), number(0)), few));
    LlvmValue *ready = b.CreateOr(b.CreateAnd(block.isLast, inPlace), block.handsOn);
    Tile tile{row, least(b.CreateAdd(row, b.CreateSelect(isWhole, number(tile_.rows), few)), rows_), ready, nullptr};
    tile.stores = b.CreateAnd(b.CreateAnd(ready, b.CreateNot(block.handsOn)), isInsideStored(panel, tile));
    prefetchStored(block, panel, tile);
    auto by = [&](RegisterTile shape) {
      if (usesTiles(style_)) emitAmxTile(block, panel, tile);
      else emitTile(block, panel, shape, tile);
      return LlvmValues();
    };
    LlvmValue *multiplies = b.CreateNot(block.handsOn);
    auto byLast = [&] {
      ifThen(b, multiplies, [&] { by(last); });
      return LlvmValues();
    };
    auto byCopy = [&] { return emitCopyingTile(block, panel, tile), LlvmValues(); };
    auto byWhole = [&] {
      if (!mayCopy()) return by(tile_);
      return ifElse(b, b.CreateAnd(panel.copies, b.CreateICmpEQ(i, number(0))), byCopy, [&] { return by(tile_); });
    };
    if (!rest) ifThen(b, multiplies, [&] { by(tile_); });
    else ifElse(b, b.CreateAnd(isWhole, multiplies), byWhole, byLast); // as few branches in front of most tiles as can be
    ifThen(b, b.CreateAnd(tile.ready, b.CreateNot(tile.stores)), [&] { sinkTile(block, panel, tile, sink); });
  });
}

void NestEmitter::emitCopyingTile(const Block &block, const Panel &panel, const Tile &tile) {
  multiplyTile(block, panel, tile_, tile, true);
  ifThen(b, panel.shared.found, [&] { e_.panelIsReady(panel.shared); });
}

// Of two rows the second may be beyond the last one: it repeats the first, and its sums go to the same place.
void NestEmitter::multiplyTile(const Block &block, const Panel &panel, RegisterTile shape, const Tile &tile, bool copies) {
  XT_CHECK(shape.rows <= 2 || hasRest(), "only a smaller tile takes the last rows");
  LlvmValue *isSingle = shape.rows <= 2 ? b.CreateICmpEQ(tile.row, b.CreateSub(rows_, number(1))) : b.getFalse();
  auto stepOf = [&](LlvmValue *step) { return b.CreateSelect(isSingle, number(0), step); };
  auto lines = [&](LlvmValue *first, LlvmValue *step) {
    step = stepOf(step);
    LlvmValues all{first};
    while (std::ssize(all) < shape.rows) all.push_back(byteOffset(b, all.back(), step));
    return all;
  };
  LlvmValue *panelByte = b.CreateMul(panel.column, number(bytes_)), *cells = addressOf(kNestCells);
  auto [ready, readyStep] = readySums(panel, tile);
  LlvmValue *kept = byteOffset(b, rowOf(kNestSums, tile.row), panelByte), *keptStep = number(buffer(kNestSums).shape.pitch);
  LlvmValue *starts = fresh_ ? block.isFirst : b.getFalse(), *zeros = byteOffset(b, cells, number(kNestZeroRow * kNestPanelBytes));
  LlvmValue *left = byteOffset(b, block.left, b.CreateMul(tile.row, leftRowStep_));
  LlvmValues from = lines(b.CreateSelect(starts, zeros, kept), b.CreateSelect(starts, number(0), keptStep));
  LlvmValues to = lines(b.CreateSelect(tile.ready, ready, kept), b.CreateSelect(tile.ready, readyStep, keptStep));
  LlvmValues columns;
  auto cell = [&](LlvmValue *line, int v) { return byteOffset(b, line, number(v * lanes_ * bytes_)); };
  auto before = [&] {
    LlvmValues sums;
    for (LlvmValue *line : from)
      for (int v = 0; v < shape.vectors; ++v) sums.push_back(b.CreateAlignedLoad(e_.ops_.type(elem_, lanes_), cell(line, v), vectorAlign()));
    return sums;
  };
  for (int v = 0; v < shape.vectors; ++v) columns.push_back(number(v * lanes_ * bytes_));
  Microkernel::Operands operands{left, stepOf(leftRowStep_), shape.rows, panel.right, columns, leftStep_, panel.step, block.depth, !mayBeDirect(), fresh_};
  if (!inWords() && !copies && shape.rows == tile_.rows) askForNext(block, panel, tile, operands);
  if (copies) {
    operands.right = panel.source;
    operands.rightStep = right_.access.rowStride;
    operands.copy = panel.right;
  }
  if (!inWords()) operands.ahead = b.CreateMul(operands.rightStep, copies ? nearRows() : panel.rowsAhead);
  LlvmValues sums = inWords() ? multiplyWords(block, panel, operands, tile.row, before) : microkernel_.multiply(operands, before());
  for (size_t r = 0; r < to.size(); ++r)
    for (int v = 0; v < shape.vectors; ++v)
      b.CreateAlignedStore(sums[r * static_cast<size_t>(shape.vectors) + static_cast<size_t>(v)], cell(to[r], v), stores_ ? llvm::Align(1) : vectorAlign());
}

// Panels that were packed before lie in the order in which they are used, nearly always, and are in the third cache: a panel's
// tiles ask for the one behind it, each for its part. 4 to 6% of f32 of 1024x1024x1024 and more (Intel Xeon with AMX). Others ask
// for what they read.
void NestEmitter::askForNext(const Block &block, const Panel &panel, const Tile &tile, Microkernel::Operands &operands) {
  LlvmValue *wasPacked = b.CreateAnd(panel.shared.found, b.CreateNot(panel.shared.mustFill));
  LlvmValue *before = b.CreateMul(b.CreateMul(block.depth, nextStep_), b.CreateUDiv(tile.row, number(tile_.rows)));
  LlvmValue *distance = b.CreateAdd(b.CreateAdd(behindPanel(block), number(kCacheLine)), before);
  operands.next = byteOffset(b, panel.right, b.CreateSelect(wasPacked, distance, number(0)));
  operands.nextStep = b.CreateSelect(wasPacked, nextStep_, panel.step);
}

// Where the last sums of a tile go, and the bytes to the next row: to memory, or the cells.
std::pair<LlvmValue *, LlvmValue *> NestEmitter::readySums(const Panel &panel, const Tile &tile) {
  LlvmValue *cells = addressOf(kNestCells), *step = number(kNestPanelBytes);
  if (!stores_) return {cells, step};
  LlvmValue *panelByte = b.CreateMul(panel.column, number(bytes_));
  LlvmValue *stored = byteOffset(b, stored_->origin, b.CreateAdd(b.CreateMul(tile.row, stored_->rowStride), panelByte));
  return {b.CreateSelect(tile.stores, stored, cells), b.CreateSelect(tile.stores, stored_->rowStride, step)};
}

// Whether sums that are stored as they are may go straight to memory: all columns of the panel are there.
LlvmValue *NestEmitter::isInsideStored(const Panel &panel, const Tile &tile) {
  if (!stores_) return b.getFalse();
  LlvmValue *end = b.CreateAdd(panel.column, number(tile_.vectors * lanes_));
  LlvmValue *columns = b.CreateAnd(b.CreateICmpSGE(panel.column, stored_->columnLow), b.CreateICmpSLE(end, least(stored_->columnHigh, columns_)));
  LlvmValue *rows = b.CreateAnd(b.CreateICmpSGE(tile.row, stored_->rowLow), b.CreateICmpSLE(tile.rowEnd, stored_->rowHigh));
  return b.CreateAnd(columns, rows);
}

// What a tile is stored over comes while it is computed. Where that takes long, the stores have time until the next tile's, and
// to ask first takes 2% of 256x256x256 of f32 (Intel Xeon with AMX). AMX's tiles ask with each turn of their loop (multiplyWhole),
// and here where it has one or two: 256x256x256 of bytes, which has four, takes 10% longer with this, 8192x64x64 as much without.
void NestEmitter::prefetchStored(const Block &block, const Panel &panel, const Tile &tile) {
  constexpr int64_t kFewSteps = 127; // 128x128x128 is faster without
  const int64_t fewSteps = usesTiles(style_) ? 2 * TileMicrokernel::kDepth : kFewSteps;
  LlvmValue *asks = b.CreateAnd(tile.ready, b.CreateICmpSLE(block.depth, number(fewSteps)));
  if (storesRows()) forLoop(b, tile.row, b.CreateSelect(asks, tile.rowEnd, tile.row), number(1), [&](LlvmValue *row) { prefetchStoredRow(panel, row); });
}

void NestEmitter::prefetchStoredRow(const Panel &panel, LlvmValue *row) {
  if (!storesRows()) return;
  int64_t bytes = elemInfo(stored_->elem).storageBytes;
  LlvmValue *line = byteOffset(b, stored_->origin, b.CreateAdd(b.CreateMul(panel.column, number(bytes)), b.CreateMul(row, stored_->rowStride)));
  for (int64_t at = 0; at < tile_.vectors * lanes_ * bytes; at += kCacheLine) prefetch(b, byteOffset(b, line, number(at)), Prefetch::ToWrite);
}

// The sums of a tile are in the cells; of a block that hands on, where all are.
void NestEmitter::sinkTile(const Block &block, const Panel &panel, const Tile &tile, FusedLoop &sink) {
  LlvmValue *columnEnd = least(b.CreateAdd(panel.column, number(tile_.vectors * lanes_)), columns_);
  LlvmValue *before = b.CreateAdd(b.CreateMul(tile.row, number(kNestPanelBytes)), b.CreateMul(panel.column, number(bytes_)));
  LlvmValue *cells = byteOffset(b, addressOf(kNestCells), b.CreateNeg(before));
  sink.emitPart({tile.row, tile.rowEnd, panel.column, columnEnd, b.CreateSelect(block.handsOn, addressOf(kNestSums), cells),
                 b.CreateSelect(block.handsOn, number(buffer(kNestSums).shape.pitch), number(kNestPanelBytes))});
}

} // namespace xt
