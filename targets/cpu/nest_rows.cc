// Multiplies the rows of a, tile after tile, by one panel of b, and places the sums.
#include "targets/cpu/nest_emitter.h"

#include "ir/base/check.h"
#include "targets/cpu/prefetch.h"

namespace xt {

LlvmValue *NestEmitter::isNarrow(LlvmValue *column) {
  const int vectors = hasMiddleTile(tile_) ? middleTile(tile_).vectors : narrowTile(tile_).vectors;
  LlvmValue *left = b.CreateSub(columns_, column), *fits = b.CreateICmpSLE(left, number(vectors * lanes_));
  if (!narrowTakesAnyRest(tile_)) return fits;
  LlvmValue *oneMore =
      b.CreateAnd(b.CreateICmpSGT(left, number(panelColumns())), b.CreateICmpSLE(left, number(panelColumns() + lanes_)));
  return b.CreateOr(fits, oneMore); // endsByTwoNarrow
}

// Whether more columns are left than narrowTile takes. If the panel isNarrow, middleTile takes them.
LlvmValue *NestEmitter::isMiddle(LlvmValue *column) {
  return b.CreateICmpSGT(b.CreateSub(columns_, column), number(narrowTile(tile_).vectors * lanes_));
}

LlvmValue *NestEmitter::widthAt(LlvmValue *column) {
  if (!narrowTakesAnyRest(tile_)) return nullptr;
  return b.CreateSelect(isNarrow(column), number(narrowTile(tile_).vectors * lanes_), number(panelColumns()));
}

LlvmValue *NestEmitter::widthOf(const Panel &panel) {
  LlvmValue *wide = number(panelColumns());
  if (!hasNarrow() || isBf16()) return wide; // with bf16, a tile that converts may take any panel
  LlvmValue *narrow = number(narrowTile(tile_).vectors * lanes_);
  if (panel.middle) narrow = b.CreateSelect(panel.middle, number(middleTile(tile_).vectors * lanes_), narrow);
  return b.CreateSelect(panel.narrow, narrow, wide);
}

NestEmitter::RowTiles NestEmitter::tilesOf(const Block &block, const Panel &panel) {
  LlvmValue *wholeTiles = planned(&NestPlan::wholeTiles);
  if (!hasRest()) return {wholeTiles, wholeTiles};
  LlvmValue *large = b.CreateNot(block.handsOn); // blocks that hand on use a few rows at a time
  auto tilesFor = [&](LlvmValue *rows, int64_t each) {
    return b.CreateUDiv(b.CreateAdd(rows, number(each - 1)), number(each));
  };
  LlvmValue *whole = b.CreateSelect(large, wholeTiles, number(0));
  if (rules_.mayCopy) whole = most(whole, b.CreateZExt(panel.copies, b.getInt64Ty()));
  LlvmValue *left = most(b.CreateSub(rows_, b.CreateMul(whole, number(tile_.rows))), number(0));
  LlvmValue *count = b.CreateAdd(whole, tilesFor(left, lastRowsTile(tile_).rows));
  if (!hasNarrow()) return {whole, count};
  LlvmValue *ofNarrow = tilesFor(rows_, narrowTile(tile_).rows), *byNarrow = b.CreateAnd(large, panel.narrow);
  return {b.CreateSelect(byNarrow, ofNarrow, whole), b.CreateSelect(byNarrow, ofNarrow, count)};
}

// Iterates over the rows of a; a smaller tile takes the last few. The code that uses the sums is emitted once, after all kinds
// of tiles. Values that are the same for all tiles are computed before the first, which saves 2% of f32 128x128x128 (Intel Xeon
// with AMX).
void NestEmitter::emitRows(const Block &block, Panel panel, FusedLoop &sink) {
  if (hasNarrow()) panel.narrow = isNarrow(panel.column);
  if (hasNarrow() && hasMiddleTile(tile_)) panel.middle = isMiddle(panel.column);
  placeSums(block, panel);
  if (!inWords()) panel.next = nextOf(block, panel);
  RowTiles tiles = tilesOf(block, panel);
  if (rules_.mayAskForNextBlock) ifThen(b, holds(&NestPlan::asksForNextBlock), [&] { askForNextBlock(block, panel); });
  LlvmValue *multiplies = b.CreateNot(block.handsOn),
            *copies = rules_.mayCopy ? b.CreateZExt(panel.copies, b.getInt64Ty()) : number(0);
  LlvmValue *rowsOfWhole = number(tile_.rows), *rowsOfFew = number(lastRowsTile(tile_).rows);
  if (hasNarrow()) rowsOfWhole = b.CreateSelect(panel.narrow, number(narrowTile(tile_).rows), rowsOfWhole);
  LlvmValue *asks = asksForStored(block), *sinks = b.CreateAnd(block.ready, b.CreateNot(panel.stores));
  const LlvmValues none =
      looksBeside() ? LlvmValues{b.getFalse()} : LlvmValues{}; // carried after the row: whether an earlier tile missed
  LlvmValues begin{number(0)};
  begin.append(none);
  forLoop(b, number(0), tiles.count, number(1), begin, [&](LlvmValue *i, llvm::ArrayRef<LlvmValue *> carried) {
    LlvmValue *isWhole = b.CreateICmpSLT(i, tiles.whole), *row = carried[0];
    LlvmValue *next = b.CreateAdd(row, b.CreateSelect(isWhole, rowsOfWhole, rowsOfFew));
    Tile tile{i, row, least(next, rows_)};
    if (storesRows())
      ifThen(b, asks,
             [&] { prefetchStored(storedRow(panel, tile.row), stored_->rowStride, b.CreateSub(tile.rowEnd, tile.row)); });
    auto by = [&](RegisterTile shape) { return [&, shape] { return emitTile(block, panel, shape, tile); }; };
    auto byNarrow = [&] {
      return panel.middle ? ifElse(b, panel.middle, by(middleTile(tile_)), by(narrowTile(tile_))) : by(narrowTile(tile_))();
    };
    auto byEither = [&] { return hasNarrow() ? ifElse(b, panel.narrow, byNarrow, by(tile_)) : by(tile_)(); };
    auto byFirst = [&] { return emitFirstTile(block, panel, tile), none; }; // multiplies elements, which never miss
    auto byWhole = [&] { return rules_.mayCopy ? ifElse(b, b.CreateICmpSLT(i, copies), byFirst, byEither) : byEither(); };
    auto byNone = [&] { return none; };
    auto byFew = [&] { return ifElse(b, multiplies, by(lastRowsTile(tile_)), byNone); };
    // Most tiles pass few branches.
    auto byAny = [&] { return hasRest() ? ifElse(b, isWhole, byWhole, byFew) : ifElse(b, multiplies, byWhole, byNone); };
    LlvmValues following{next};
    if (looksBeside())
      following.append(missedOrConverted(block, panel, tile, carried[1], byAny));
    else
      byAny();
    ifThen(b, sinks, [&] { sinkTile(block, panel, tile, sink); });
    return following;
  });
}

void NestEmitter::askForNextBlock(const Block &block, const Panel &panel) {
  LlvmValue *first = byteOffset(b, panel.source, b.CreateMul(block.depth, right_.access.rowStride));
  forLoop(b, number(0), block.depth, number(1), {first}, [&](LlvmValue *, llvm::ArrayRef<LlvmValue *> carried) {
    for (int64_t at = 0; at < panelPitch(); at += kCacheLine)
      e_.askFor(byteOffset(b, carried[0], number(std::min(at + kCacheLine, panelPitch()) - 1)));
    return LlvmValues{byteOffset(b, carried[0], right_.access.rowStride)};
  });
}

// The tile that packs the panel while it multiplies.
void NestEmitter::emitFirstTile(const Block &block, const Panel &panel, const Tile &tile) {
  emitTile(block, copying(panel), tile_, tile);
  if (shares_) ifThen(b, panel.shared.found, [&] { e_.panelIsReady(panel.shared); });
}

// Reads b in place, converts it if necessary, and prefetches ahead.
void NestEmitter::readSource(Microkernel::Operands &operands) {
  operands.ahead = b.CreateMul(operands.rightStep, planned(&NestPlan::nearRows));
  const Elem elem = right_.access.elem;
  if (elem == elem_) return;
  operands.rightBytes = sourceBytes();
  operands.load = [this, elem](LlvmValue *at) { return multiplied(elem, registerAt(elem, at, lanes_)); };
}

NestEmitter::Panel NestEmitter::copying(const Panel &panel) {
  Panel from = panel;
  from.right = panel.source;
  from.step = right_.access.rowStride;
  from.copyTo = panel.right;
  return from;
}

// Rows behind the last one repeat it, and their sums are stored to the same place.
Microkernel::Operands NestEmitter::operandsOf(const Block &block, const Panel &panel, RegisterTile shape, const Tile &tile) {
  const bool isWhole = shape.rows == tile_.rows && shape.vectors == tile_.vectors;
  const bool takesAll = hasRest() && isWhole && !(panel.copyTo && copyingRepeatsRows());
  LlvmValues columns;
  for (int v = 0; v < shape.vectors; ++v) columns.push_back(number(v * lanes_ * (panel.copyTo ? sourceBytes() : bytes_)));
  Microkernel::Operands operands{leftOf(block, tile), leftRowStep_, shape.rows,  panel.right,         columns,
                                 leftStep_,           panel.step,   block.depth, !rules_.mayBeDirect, fresh_};
  operands.lastRow = takesAll ? nullptr : b.CreateSub(b.CreateSub(tile.rowEnd, number(1)), tile.row);
  if (leftElem_ != elem_) operands.broadcast = [this](LlvmValue *at) { return inAllLanes(leftElem_, at); };
  if (movesLeft_) operands.broadcast = [this](LlvmValue *at) { return moved(inAllLanes(Elem::I32, at)); };
  operands.copy = panel.copyTo;
  if (panel.copyTo)
    readSource(operands);
  else if (!inWords())
    operands.steps = shape.steps, operands.leavesRest = shape.steps > 1;
  if (operands.steps > 1 && (isWhole || shape.fewerByOne))
    std::tie(operands.next, operands.nextStep) =
        askedBy(block, panel, tile, isWhole ? panel.next.tilesInSource : panel.next.lastInSource);
  return operands;
}

// Visits the registers of a tile's sums, row by row. Each row's address is emitted once, because more instructions take code
// generation longer (3% of its time).
void NestEmitter::ofEachSum(const Sums &sums, const Tile &tile, const Microkernel::Operands &operands,
                            llvm::function_ref<void(LlvmValue *at)> visit) {
  LlvmValue *first = sumsAt(sums, tile);
  for (int r = 0; r < operands.rows; ++r) {
    LlvmValue *row = stepsOn(b, first, sums.step, r, operands.lastRow);
    for (int64_t v = 0; v < std::ssize(operands.columns); ++v) visit(byteOffset(b, row, number(v * lanes_ * bytes_)));
  }
}

LlvmValues NestEmitter::sumsBefore(const Panel &panel, const Tile &tile, const Microkernel::Operands &operands) {
  LlvmValues sums;
  ofEachSum(panel.before, tile, operands,
            [&](LlvmValue *at) { sums.push_back(b.CreateAlignedLoad(e_.ops_.type(elem_, lanes_), at, vectorAlign())); });
  return sums;
}

void NestEmitter::storeSums(const Panel &panel, const Tile &tile, const Microkernel::Operands &operands,
                            const LlvmValues &sums) {
  ofEachSum(panel.after, tile, operands,
            [&, sum = sums.begin()](LlvmValue *at) mutable { b.CreateAlignedStore(*sum++, at, sumAlign()); });
}

// Returns the result of multiplyPairs, if that multiplies.
LlvmValues NestEmitter::emitTile(const Block &block, const Panel &panel, RegisterTile shape, const Tile &tile) {
  Microkernel::Operands operands = operandsOf(block, panel, shape, tile);
  if (looksBeside()) return multiplyPairs(block, panel, tile, operands);
  auto load = [&] { return sumsBefore(panel, tile, operands); };
  // If zeros were loaded instead, f32 128x128x128 would take 1% longer, and 8192x64x64 2.5% (Zen 5). Rare tiles do without this
  // code, and so do bytes, which take the same time.
  auto begin = [&] {
    if (panel.copyTo || shape.vectors < tile_.vectors) return load();
    const LlvmValues zeros(static_cast<size_t>(shape.rows * shape.vectors), e_.ops_.zero(elem_, lanes_));
    return ifElse(b, panel.begins, [&] { return zeros; }, load);
  };
  storeSums(panel, tile, operands,
            inWords() ? multiplyBytes(panel, operands, tile.row, load()) : microkernel_.multiply(operands, begin()));
  return {};
}

// Panels that were packed before are nearly always in the order of their use, and in the L3 cache: the tiles of a panel
// prefetch the next one, each a part. This saves 4 to 6% of f32 of 1024x1024x1024 and more (Intel Xeon with AMX). If a panel is
// packed by a tile, converted, or read in place, and there are few tiles of rows, they prefetch the next panel in b (askedBy).
// Other tiles prefetch their own first line. On a Zen 5, prefetching slows the tiles of the last rows, which are quickest to
// read b, unless b comes from memory: of f32, 37x1111x513 would take 1.05 of the time, 37x1900x1000 the same, 50x2500x2500
// takes 0.93, 32x4096x4096 0.88.
NestEmitter::Next NestEmitter::nextOf(const Block &block, const Panel &panel) {
  LlvmValue *wasPacked = b.CreateAnd(panel.shared.found, b.CreateNot(panel.shared.mustFill)), *zero = number(0);
  LlvmValue *turns = turnsOf(block), *turn = b.CreateMul(planned(&NestPlan::nextStep), number(tile_.steps));
  LlvmValue *behind = toNextPanel(block, panel);
  Next next{byteOffset(b, panel.right, b.CreateSelect(wasPacked, behind, zero)),
            b.CreateSelect(wasPacked, b.CreateMul(turns, turn), zero), b.CreateSelect(wasPacked, turn, zero)};
  if (!rules_.mayAskForSource) return next;
  next.source = byteOffset(b, panel.source, toNextSource(block, panel));
  next.tilesInSource = b.CreateSelect(panel.asks, planned(&NestPlan::sourceTiles), number(0));
  next.lastInSource =
      rules_.prefersInPlace ? b.CreateSelect(panel.asks, planned(&NestPlan::lastSourceTiles), number(0)) : next.tilesInSource;
  return next;
}

// The byte distance to the panel that is probably read next: of the same rows of b, of the next rows, or of the first rows
// again, beside this workgroup's columns. The prefetch is in vain if that panel is narrow, belongs to another thread, or is
// behind the last one, or if workgroups begin in the middle (firstPanel).
LlvmValue *NestEmitter::toNextSource(const Block &block, const Panel &panel) {
  LlvmValue *wide = number(sourcePitch()), *rowStep = right_.access.rowStride;
  LlvmValue *isLast = b.CreateICmpSGE(b.CreateAdd(panel.column, number(panelColumns())), columns_);
  LlvmValue *back = b.CreateMul(b.CreateSub(panel.column, columnBegin_), number(sourceBytes()));
  LlvmValue *nextRows = b.CreateSub(b.CreateMul(block.depth, rowStep), back),
            *beside = b.CreateSub(wide, b.CreateMul(block.first, rowStep));
  return b.CreateSelect(isLast, b.CreateSelect(block.isLast, beside, nextRows), wide);
}

// The first line that a tile after the first one prefetches, and the distance per loop iteration. Of the next panel in b, a
// tile prefetches one line of each of as many rows as it has iterations, so that it can use the loop of other tiles: all lines
// of the first rows, and then those of the next ones. f32 of 64x2048x2048 takes 0.9 of the time, 64x4096x4096 0.72, 37x1111x513
// 0.98 (Intel Xeon with AMX). Prefetching the lines of a row one after the other takes more instructions: 1 to 4% of
// 1000x1000x1000, which uses the same loop.
std::pair<LlvmValue *, LlvmValue *> NestEmitter::askedBy(const Block &block, const Panel &panel, const Tile &tile,
                                                         LlvmValue *tilesInSource) {
  const Next &next = panel.next;
  auto ofPacked = [&] { return LlvmValues{byteOffset(b, next.first, b.CreateMul(tile.index, next.tileStep)), next.step}; };
  if (!rules_.mayAskForSource) return {ofPacked()[0], next.step};
  LlvmValue *index = b.CreateSub(tile.index, number(1));
  LlvmValues asked = ifElse(
      b, b.CreateICmpULT(index, tilesInSource),
      [&] {
        const int64_t lines = linesOfSource();
        LlvmValue *line = b.CreateMul(b.CreateURem(index, number(lines)), number(kCacheLine));
        LlvmValue *rows = b.CreateMul(b.CreateMul(b.CreateUDiv(index, number(lines)), turnsOf(block)), right_.access.rowStride);
        LlvmValue *lastByte = b.CreateSub(least(b.CreateAdd(line, number(kCacheLine)), number(sourcePitch())), number(1));
        return LlvmValues{byteOffset(b, next.source, b.CreateAdd(rows, lastByte)), right_.access.rowStride};
      },
      ofPacked);
  return {asked[0], asked[1]};
}

NestEmitter::Sums NestEmitter::choose(LlvmValue *condition, const Sums &x, const Sums &y) {
  return {b.CreateSelect(condition, x.first, y.first), b.CreateSelect(condition, x.step, y.step),
          b.CreateSelect(condition, x.tileStep, y.tileStep)};
}

// Sets the places of a panel's sums before and after this block. Final sums are stored to the result directly if they are
// stored unchanged and all rows and columns of the panel are in bounds of the store.
void NestEmitter::placeSums(const Block &block, Panel &panel) {
  LlvmValue *pitch = pitchOf(kNestSums), *zero = number(0);
  LlvmValue *panelByte = b.CreateMul(panel.column, number(bytes_));
  Sums kept{byteOffset(b, addressOf(kNestSums), panelByte), pitch, pitch};
  Sums none{byteOffset(b, addressOf(kNestCells), number(kNestZeroRow * kNestPanelBytes)), zero, zero};
  panel.begins = fresh_ ? block.isFirst : b.getFalse();
  panel.before = choose(panel.begins, none, kept);
  panel.last = cells();
  panel.stores = b.getFalse();
  if (stores_) {
    panel.stores = b.CreateAnd(b.CreateAnd(block.ready, b.CreateNot(block.handsOn)), isInsideStored(panel));
    panel.last =
        choose(panel.stores, {byteOffset(b, stored_->origin, panelByte), stored_->rowStride, stored_->rowStride}, panel.last);
  }
  panel.after = choose(block.ready, panel.last, kept);
}

LlvmValue *NestEmitter::isInsideStored(const Panel &panel) {
  LlvmValue *end = b.CreateAdd(panel.column, widthOf(panel));
  LlvmValue *columns = b.CreateAnd(b.CreateICmpSGE(panel.column, stored_->columnLow),
                                   b.CreateICmpSLE(end, least(stored_->columnHigh, columns_)));
  LlvmValue *rows = b.CreateAnd(b.CreateICmpSLE(stored_->rowLow, number(0)), b.CreateICmpSLE(rows_, stored_->rowHigh));
  return b.CreateAnd(columns, rows);
}

// Whether tiles prefetch the lines that they store to before they are computed. If the computation takes long, the stores have
// time until the next tile's, and prefetching first takes 2% of 256x256x256 of f32 (Intel Xeon with AMX). AMX tiles prefetch in
// each iteration of their loop (multiplyWhole).
LlvmValue *NestEmitter::asksForStored(const Block &block) { return b.CreateAnd(block.ready, holds(&NestPlan::asksForStored)); }

// Prefetches `rows` rows of the result, `step` bytes apart.
void NestEmitter::prefetchStored(LlvmValue *first, LlvmValue *step, LlvmValue *rows) {
  forLoop(b, number(0), rows, number(1), {first}, [&](LlvmValue *, llvm::ArrayRef<LlvmValue *> carried) {
    prefetchStoredRow(carried[0]);
    return LlvmValues{byteOffset(b, carried[0], step)};
  });
}

LlvmValue *NestEmitter::storedRow(const Panel &panel, LlvmValue *row) {
  LlvmValue *column = b.CreateMul(panel.column, number(elemInfo(stored_->elem).storageBytes));
  return byteOffset(b, stored_->origin, b.CreateAdd(column, b.CreateMul(row, stored_->rowStride)));
}

void NestEmitter::prefetchStoredRow(LlvmValue *line) {
  int64_t bytes = panelColumns() * elemInfo(stored_->elem).storageBytes;
  for (int64_t at = 0; at < bytes; at += kCacheLine) prefetch(b, byteOffset(b, line, number(at)), Prefetch::ToWrite);
}

// The sums of a tile are in the cells; those of a block that hands on are in kNestSums.
void NestEmitter::sinkTile(const Block &block, const Panel &panel, const Tile &tile, FusedLoop &sink) {
  LlvmValue *columnEnd = least(b.CreateAdd(panel.column, widthOf(panel)), columns_);
  LlvmValue *before = b.CreateAdd(b.CreateMul(tile.row, number(kNestPanelBytes)), b.CreateMul(panel.column, number(bytes_)));
  LlvmValue *cells = byteOffset(b, addressOf(kNestCells), b.CreateNeg(before));
  sink.emitPart({tile.row, tile.rowEnd, panel.column, columnEnd, b.CreateSelect(block.handsOn, addressOf(kNestSums), cells),
                 b.CreateSelect(block.handsOn, pitchOf(kNestSums), number(kNestPanelBytes))});
}

} // namespace xt
