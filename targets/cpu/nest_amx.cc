// Nests of bf16, bytes and sliced floats in AMX's tiles of 32x32 sums: which panels of b are packed together, and the rows of a.
#include "targets/cpu/nest_emitter.h"

namespace xt {

// Whether two panels and the rows of a tile stay in the first cache: 24 KiB and 12 of 48.
LlvmValue *NestEmitter::isNear(const Block &block) {
  constexpr int64_t kNearWords = 96;
  return b.CreateICmpSLE(block.depth, number(kNearWords / slices_));
}

// Whether one panel, of 128 bytes a word, is more but no deeper than `words`: then it alone stays.
LlvmValue *NestEmitter::oneStays(const Block &block, int64_t words) {
  return b.CreateAnd(b.CreateNot(isNear(block)), b.CreateICmpSLE(block.depth, number(words)));
}

// Two: a line of bytes has those of both, and two lines of bf16 that are neighbours take less time than one. One of bf16 that stays
// by itself: 256x256x256 takes 7% less time by one, 37x1111x513 8% by two (Intel Xeon with AMX).
LlvmValue *NestEmitter::panelsOf(const Block &block) {
  constexpr int64_t kMostWords = 192; // 24 KiB: rows of a pass, too
  return isBf16() ? b.CreateSelect(oneStays(block, kMostWords), number(1), number(kMostPanels)) : number(kMostPanels);
}

// Null: of other processors.
LlvmValue *NestEmitter::panelsFrom(const Block &block, LlvmValue *column) {
  if (!block.panels) return nullptr;
  return b.CreateSelect(b.CreateICmpSGT(b.CreateSub(columns_, column), number(panelColumns())), block.panels, number(1));
}

// Down the rows of a, times one panel of two and then the other; where both and a tile's rows stay in the first cache, each tile of
// rows times both.
void NestEmitter::emitAmxRows(const Block &block, Panel first, FusedLoop &sink) {
  static_assert(kMostPanels == 2);
  LlvmValue *both = b.CreateICmpSGT(first.panels, number(1));
  LlvmValue *byRows = b.CreateAnd(both, isNear(block)), *zero = number(0);
  LlvmValue *multiplies = b.CreateNot(block.handsOn);
  Panel second = first;
  second.column = b.CreateAdd(first.column, number(panelColumns()));
  second.right = byteOffset(b, first.right, panelBytes(block));
  for (Panel *panel : {&first, &second}) placeSums(block, *panel);
  forLoop(b, zero, b.CreateShl(wholeTiles_, b.CreateZExt(both, b.getInt64Ty())), number(1), [&](LlvmValue *turn) {
    LlvmValue *isSecond = b.CreateSelect(byRows, b.CreateTrunc(turn, b.getInt1Ty()), b.CreateICmpSGE(turn, wholeTiles_));
    LlvmValue *index = b.CreateSelect(byRows, b.CreateLShr(turn, 1), b.CreateSub(turn, b.CreateSelect(isSecond, wholeTiles_, zero)));
    Panel panel = choose(isSecond, second, first);
    LlvmValue *row = b.CreateMul(index, number(tile_.rows));
    Tile tile{index, row, least(b.CreateAdd(row, number(tile_.rows)), rows_)};
    ifThen(b, multiplies, [&] { emitAmxTile(block, panel, tile); });
    ifThen(b, b.CreateAnd(block.ready, b.CreateNot(panel.stores)), [&] { sinkTile(block, panel, tile, sink); });
  });
}

// Of panels that lie one behind the other.
NestEmitter::Panel NestEmitter::choose(LlvmValue *condition, const Panel &x, const Panel &y) {
  Panel panel = y;
  panel.column = b.CreateSelect(condition, x.column, y.column);
  panel.right = b.CreateSelect(condition, x.right, y.right);
  panel.before.first = b.CreateSelect(condition, x.before.first, y.before.first); // the same steps
  panel.after = choose(condition, x.after, y.after);
  panel.stores = b.CreateSelect(condition, x.stores, y.stores);
  return panel;
}

// A panel that stays in the first cache if rows of a only pass it is kept there: 512x512x512 of bf16 and 1024x1024x1024 of bytes take
// 0.92 and 0.95 of the time (Intel Xeon with AMX).
void NestEmitter::multiplyWhole(const Block &block, const Panel &panel, const Tile &tile, const TileMicrokernel::Operands &operands) {
  using Keep = TileMicrokernel::Keep;
  constexpr int64_t kMostWords = 288; // 36 KiB
  Asked asked = askedOf(block, panel, tile);
  auto askInTurns = [&, rows = least(rowsEachTurn(operands.depth), asked.rows)](LlvmValue *turn) { askFor(asked, turn, rows); };
  if (inSlices()) return tiles_.multiplySlices(operands, slices_, tile_.rows, askInTurns);
  ifThen(b, oneStays(block, kMostWords), [&] {
    tiles_.multiply(operands, tile_.rows, Keep::Right, [&](LlvmValue *turn) { askForTwo(asked, turn); });
  }, [&] {
    tiles_.multiply(operands, tile_.rows, Keep::All, askInTurns);
  });
}

// Of what is not stored now: the cells, which are near.
NestEmitter::Asked NestEmitter::askedOf(const Block &block, const Panel &panel, const Tile &tile) {
  LlvmValue *rows = b.CreateSub(tile.rowEnd, tile.row);
  if (!storesRows()) return {addressOf(kNestCells), number(0), rows};
  return {b.CreateSelect(block.ready, storedRow(panel, tile.row), addressOf(kNestCells)), b.CreateSelect(block.ready, stored_->rowStride, number(0)), rows};
}

// Of the result, that a turn asks for while the tile is computed: two, or where there are one or two turns, all of them, but not all
// at once: 8192x64x64 of bf16 and bytes takes 0.90 and 0.84 of the time that it takes with all before the tile (Intel Xeon with AMX).
LlvmValue *NestEmitter::rowsEachTurn(LlvmValue *depth) {
  LlvmValue *one = b.CreateICmpSLE(depth, number(TileMicrokernel::kDepth)), *two = b.CreateICmpSLE(depth, number(2 * TileMicrokernel::kDepth));
  return b.CreateSelect(one, number(tile_.rows), b.CreateSelect(two, number(tile_.rows / 2), number(2)));
}

// The first row of those that a turn asks for.
LlvmValue *NestEmitter::askedAt(const Asked &asked, LlvmValue *turn, LlvmValue *rows) {
  LlvmValue *row = least(b.CreateMul(turn, rows), b.CreateSub(asked.rows, rows));
  return byteOffset(b, asked.first, b.CreateMul(row, asked.step));
}

void NestEmitter::askFor(const Asked &asked, LlvmValue *turn, LlvmValue *rows) {
  if (storesRows()) prefetchStored(askedAt(asked, turn, rows), asked.step, rows);
}

// Of 17 rows at least. Without a loop.
void NestEmitter::askForTwo(const Asked &asked, LlvmValue *turn) {
  if (!storesRows()) return;
  LlvmValue *line = askedAt(asked, turn, number(2));
  prefetchStoredRow(line);
  prefetchStoredRow(byteOffset(b, line, asked.step));
}

// What tiles of bf16 would take as 0, a few rows at a time, on top of `start`.
void NestEmitter::multiplyConverted(const TileMicrokernel::Operands &operands, LlvmValue *rows, LlvmValue *start) {
  constexpr int kRows = 2;
  static_assert(TileMicrokernel::kRows / 2 % kRows == 0); // where a is read in place, no row beyond the last is
  LlvmValues columns;
  for (int v = 0; v < tile_.vectors; ++v) columns.push_back(number(v * lanes_ * bytes_));
  forLoop(b, number(0), rows, number(kRows), [&](LlvmValue *row) {
    LlvmValues sums(static_cast<size_t>(kRows * tile_.vectors), start);
    LlvmValue *left = byteOffset(b, operands.left, b.CreateMul(row, leftRowStep_)), *to = byteOffset(b, operands.sums, b.CreateMul(row, operands.sumStep));
    Microkernel::Operands some{left, leftRowStep_, kRows, operands.right, columns, leftStep_, operands.rightStep, operands.depth};
    sums = microkernel_.multiply(some, std::move(sums), Microkernel::Step::PairsBf16);
    for (size_t r = 0; r < kRows; ++r, to = byteOffset(b, to, operands.sumStep))
      for (size_t v = 0; v < columns.size(); ++v)
        b.CreateAlignedStore(sums[r * columns.size() + v], byteOffset(b, to, columns[v]), llvm::Align(1));
  });
}

// Rows beyond the last are of staged memory, and nobody reads their sums. The first sums of whole tiles go without a detour to where
// all are, or are stored.
void NestEmitter::emitAmxTile(const Block &block, const Panel &panel, const Tile &tile) {
  LlvmValue *starts = fresh_ ? block.isFirst : b.getFalse(), *count = b.CreateSub(tile.rowEnd, tile.row);
  LlvmValue *isWhole = b.CreateICmpEQ(count, number(tile_.rows)), *inCells = b.CreateAnd(block.ready, b.CreateNot(panel.stores));
  LlvmValue *straight = b.CreateAnd(starts, b.CreateOr(isWhole, inCells));
  LlvmValue *to = b.CreateSelect(straight, sumsAt(panel.after, tile), addressOf(kNestCells)), *toStep = b.CreateSelect(straight, panel.after.step, number(kNestPanelBytes));
  TileMicrokernel::Operands operands{leftOf(block, tile), leftRowStep_, panel.right, number(panelPitch()), to, toStep, block.depth, addressOf(kNestCells)};
  auto inTiles = [&] {
    LlvmValue *isHalf = b.CreateICmpSLE(count, number(TileMicrokernel::kRows / 2));
    ifThen(b, isHalf, [&] {
      if (inSlices()) tiles_.multiplySlices(operands, slices_, TileMicrokernel::kRows / 2);
      else tiles_.multiply(operands, TileMicrokernel::kRows / 2);
    }, [&] { multiplyWhole(block, panel, tile, operands); });
  };
  auto converted = [&] {
    LlvmValue *start = b.CreateSelect(straight, e_.ops_.zero(elem_, lanes_), microkernel_.negativeZero());
    if (inSlices()) return multiplyUnsliced(operands, count, start);
    multiplyConverted(operands, count, start);
  };
  if (asksForLeast()) ifThen(b, areNormal(block, panel), inTiles, converted);
  else inTiles();
  ifThen(b, b.CreateNot(straight), [&] { addTile(panel, tile); });
}

// The cells, to the sums that were there, or on top of them.
void NestEmitter::addTile(const Panel &panel, const Tile &tile) {
  TileMicrokernel::Sums before{sumsAt(panel.before, tile), panel.before.step}, to{sumsAt(panel.after, tile), panel.after.step};
  auto *type = llvm::cast<llvm::FixedVectorType>(e_.ops_.type(elem_, lanes_));
  tiles_.add(to, {addressOf(kNestCells), number(kNestPanelBytes)}, before, b.CreateSub(tile.rowEnd, tile.row), type);
}

} // namespace xt
