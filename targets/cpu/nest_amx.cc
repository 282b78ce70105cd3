// Nests of bf16, bytes and sliced floats in AMX tiles with 32x32 sums: how many panels of b are packed together, and the loop
// over rows of a.
#include "targets/cpu/nest_emitter.h"

namespace xt {

// Null: the processor does not use AMX.
LlvmValue *NestEmitter::panelsFrom(const Block &block, LlvmValue *column) {
  if (!block.panels) return nullptr;
  return b.CreateSelect(b.CreateICmpSGT(b.CreateSub(columns_, column), number(panelColumns())), block.panels, number(1));
}

// Multiplies all rows of a by the first panel and then by the second. If both panels and the rows of a tile stay in the L1
// cache, multiplies each tile of rows by both panels.
void NestEmitter::emitAmxRows(const Block &block, Panel first, FusedLoop &sink) {
  static_assert(kMostPanels == 2);
  LlvmValue *both = b.CreateICmpSGT(first.panels, number(1));
  LlvmValue *byRows = b.CreateAnd(both, holds(&NestPlan::byRows)), *zero = number(0);
  LlvmValue *multiplies = b.CreateNot(block.handsOn);
  Panel second = first;
  second.column = b.CreateAdd(first.column, number(panelColumns()));
  second.right = byteOffset(b, first.right, panelBytes(block));
  for (Panel *panel : {&first, &second}) placeSums(block, *panel);
  LlvmValue *tiles = planned(&NestPlan::wholeTiles);
  forLoop(b, zero, b.CreateShl(tiles, b.CreateZExt(both, b.getInt64Ty())), number(1), [&](LlvmValue *turn) {
    LlvmValue *isSecond = b.CreateSelect(byRows, b.CreateTrunc(turn, b.getInt1Ty()), b.CreateICmpSGE(turn, tiles));
    LlvmValue *index = b.CreateSelect(byRows, b.CreateLShr(turn, 1), b.CreateSub(turn, b.CreateSelect(isSecond, tiles, zero)));
    Panel panel = choose(isSecond, second, first);
    LlvmValue *row = b.CreateMul(index, number(tile_.rows));
    Tile tile{index, row, least(b.CreateAdd(row, number(tile_.rows)), rows_)};
    ifThen(b, multiplies, [&] { emitAmxTile(block, panel, tile); });
    ifThen(b, b.CreateAnd(block.ready, b.CreateNot(panel.stores)), [&] { sinkTile(block, panel, tile, sink); });
  });
}

// Selects one of two consecutive panels.
NestEmitter::Panel NestEmitter::choose(LlvmValue *condition, const Panel &x, const Panel &y) {
  Panel panel = y;
  panel.column = b.CreateSelect(condition, x.column, y.column);
  panel.right = b.CreateSelect(condition, x.right, y.right);
  panel.before.first = b.CreateSelect(condition, x.before.first, y.before.first); // the steps are equal
  panel.after = choose(condition, x.after, y.after);
  panel.stores = b.CreateSelect(condition, x.stores, y.stores);
  return panel;
}

// If one panel stays in the L1 cache while rows of a pass through, it is kept there: 512x512x512 of bf16 and 1024x1024x1024 of
// bytes take 0.92 and 0.95 of the time (Intel Xeon with AMX).
void NestEmitter::multiplyWhole(const Block &block, const Panel &panel, const Tile &tile,
                                const TileMicrokernel::Operands &operands) {
  using Keep = TileMicrokernel::Keep;
  Asked asked = askedOf(block, panel, tile);
  auto askInTurns = [&, rows = least(planned(&NestPlan::resultRows), asked.rows)](LlvmValue *turn) {
    askFor(asked, turn, rows);
  };
  if (inSlices()) return tiles_.multiplySlices(operands, slices_, tile_.rows, askInTurns);
  ifThen(
      b, holds(&NestPlan::keepsRight),
      [&] { tiles_.multiply(operands, tile_.rows, Keep::Right, [&](LlvmValue *turn) { askForTwo(asked, turn); }); },
      [&] { tiles_.multiply(operands, tile_.rows, Keep::All, askInTurns); });
}

// The rows of the result to prefetch. If nothing is stored now, the cells are used, which are in the cache anyway.
NestEmitter::Asked NestEmitter::askedOf(const Block &block, const Panel &panel, const Tile &tile) {
  LlvmValue *rows = b.CreateSub(tile.rowEnd, tile.row);
  if (!storesRows()) return {addressOf(kNestCells), number(0), rows};
  return {b.CreateSelect(block.ready, storedRow(panel, tile.row), addressOf(kNestCells)),
          b.CreateSelect(block.ready, stored_->rowStride, number(0)), rows};
}

// The first of the rows that an iteration prefetches.
LlvmValue *NestEmitter::askedAt(const Asked &asked, LlvmValue *turn, LlvmValue *rows) {
  LlvmValue *row = least(b.CreateMul(turn, rows), b.CreateSub(asked.rows, rows));
  return byteOffset(b, asked.first, b.CreateMul(row, asked.step));
}

void NestEmitter::askFor(const Asked &asked, LlvmValue *turn, LlvmValue *rows) {
  if (storesRows()) prefetchStored(askedAt(asked, turn, rows), asked.step, rows);
}

// Prefetches two rows without a loop. There must be at least 17 rows.
void NestEmitter::askForTwo(const Asked &asked, LlvmValue *turn) {
  if (!storesRows()) return;
  LlvmValue *line = askedAt(asked, turn, number(2));
  prefetchStoredRow(line);
  prefetchStoredRow(byteOffset(b, line, asked.step));
}

// Multiplies bf16 that are denormal, which AMX would treat as 0, by converting them, a few rows at a time. The sums start at
// `start`.
void NestEmitter::multiplyConverted(const TileMicrokernel::Operands &operands, LlvmValue *rows, LlvmValue *start) {
  constexpr int kRows = 2;
  static_assert(TileMicrokernel::kRows / 2 % kRows == 0); // if a is read in place, no row behind the last is read
  LlvmValues columns;
  for (int v = 0; v < tile_.vectors; ++v) columns.push_back(number(v * lanes_ * bytes_));
  forLoop(b, number(0), rows, number(kRows), [&](LlvmValue *row) {
    LlvmValues sums(static_cast<size_t>(kRows * tile_.vectors), start);
    LlvmValue *left = byteOffset(b, operands.left, b.CreateMul(row, leftRowStep_)),
              *to = byteOffset(b, operands.sums, b.CreateMul(row, operands.sumStep));
    Microkernel::Operands some{left,      leftRowStep_,       kRows,         operands.right, columns,
                               leftStep_, operands.rightStep, operands.depth};
    sums = microkernel_.multiply(some, std::move(sums), Microkernel::Step::PairsBf16);
    for (size_t r = 0; r < kRows; ++r, to = byteOffset(b, to, operands.sumStep))
      for (size_t v = 0; v < columns.size(); ++v)
        b.CreateAlignedStore(sums[r * columns.size() + v], byteOffset(b, to, columns[v]), llvm::Align(1));
  });
}

// Rows behind the last are in staged memory, and their sums are not used. The first sums of whole tiles go directly to their
// final place, in the sums or in the result.
void NestEmitter::emitAmxTile(const Block &block, const Panel &panel, const Tile &tile) {
  LlvmValue *starts = fresh_ ? block.isFirst : b.getFalse(), *count = b.CreateSub(tile.rowEnd, tile.row);
  LlvmValue *isWhole = b.CreateICmpEQ(count, number(tile_.rows)),
            *inCells = b.CreateAnd(block.ready, b.CreateNot(panel.stores));
  LlvmValue *straight = b.CreateAnd(starts, b.CreateOr(isWhole, inCells));
  LlvmValue *to = b.CreateSelect(straight, sumsAt(panel.after, tile), addressOf(kNestCells)),
            *toStep = b.CreateSelect(straight, panel.after.step, number(kNestPanelBytes));
  TileMicrokernel::Operands operands{leftOf(block, tile), leftRowStep_,         panel.right, number(panelPitch()), to, toStep,
                                     block.depth,         addressOf(kNestCells)};
  auto inTiles = [&] {
    LlvmValue *isHalf = b.CreateICmpSLE(count, number(TileMicrokernel::kRows / 2));
    ifThen(
        b, isHalf,
        [&] {
          if (inSlices())
            tiles_.multiplySlices(operands, slices_, TileMicrokernel::kRows / 2);
          else
            tiles_.multiply(operands, TileMicrokernel::kRows / 2);
        },
        [&] { multiplyWhole(block, panel, tile, operands); });
  };
  auto converted = [&] {
    LlvmValue *start = b.CreateSelect(straight, e_.ops_.zero(elem_, lanes_), microkernel_.negativeZero());
    if (inSlices()) return multiplyUnsliced(operands, count, start);
    multiplyConverted(operands, count, start);
  };
  if (asksForLeast())
    ifThen(b, areNormal(block, panel), inTiles, converted);
  else
    inTiles();
  ifThen(b, b.CreateNot(straight), [&] { addTile(panel, tile); });
}

// Adds the cells to the previous sums and stores the results at the place of the sums after this block.
void NestEmitter::addTile(const Panel &panel, const Tile &tile) {
  TileMicrokernel::Sums before{sumsAt(panel.before, tile), panel.before.step}, to{sumsAt(panel.after, tile), panel.after.step};
  auto *type = llvm::cast<llvm::FixedVectorType>(e_.ops_.type(elem_, lanes_));
  tiles_.add(to, {addressOf(kNestCells), number(kNestPanelBytes)}, before, b.CreateSub(tile.rowEnd, tile.row), type);
}

} // namespace xt
