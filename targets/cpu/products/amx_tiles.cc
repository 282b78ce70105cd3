#include "targets/cpu/products/amx_tiles.h"
#include "targets/cpu/products/float_slices.h"
#include "targets/cpu/products/words.h"

namespace xt {

namespace {

bool isSigned(const Op &nest, size_t operand) { return !elemInfo(nest.operand(operand)->type().elem()).isUnsigned; }

} // namespace

AmxTiles::AmxTiles(NestContext &context, NestSlices &slices, SumPlaces &sums)
    : n(context), p(context.problem), b(context.b), e_(context.e), slices_(slices), sums_(sums),
      microkernel_(b, p.needsLeastMagnitude() ? TileMicrokernel::Type::Bf16 : TileMicrokernel::Type::Bytes, isSigned(n.op, 0),
                   isSigned(n.op, 1)) {}

// Multiplies all rows of `a` by the first panel and then, if there are two, by the second. If both panels and the rows of a
// tile stay in the L1 cache (NestPlan::byRows), multiplies each tile of rows by both panels before the next tile.
void AmxTiles::emitAmxRows(const NestBlock &block, NestPanel first) {
  static_assert(kMostPanels == 2);
  LlvmValue *both = b.CreateICmpSGT(first.panels, n.number(1));
  LlvmValue *byRows = b.CreateAnd(both, n.isSet(&NestPlan::byRows)), *zero = n.number(0);
  LlvmValue *multiplies = b.CreateNot(block.isEpilogueTurn);
  NestPanel second = first;
  second.column = b.CreateAdd(first.column, n.number(p.panelColumns()));
  second.right = byteOffset(b, first.right, n.panelBytes(block));
  for (NestPanel *panel : {&first, &second}) sums_.placeSums(block, *panel);
  LlvmValue *tiles = n.planned(&NestPlan::wholeTiles);
  forLoop(b, zero, b.CreateShl(tiles, b.CreateZExt(both, b.getInt64Ty())), n.number(1), [&](LlvmValue *turn) {
    LlvmValue *isSecond = b.CreateSelect(byRows, b.CreateTrunc(turn, b.getInt1Ty()), b.CreateICmpSGE(turn, tiles));
    LlvmValue *index = b.CreateSelect(byRows, b.CreateLShr(turn, 1), b.CreateSub(turn, b.CreateSelect(isSecond, tiles, zero)));
    NestPanel panel = choose(isSecond, second, first);
    LlvmValue *row = b.CreateMul(index, n.number(p.tile.rows));
    NestTile tile{index, row, least(b, b.CreateAdd(row, n.number(p.tile.rows)), n.rows)};
    ifThen(b, multiplies, [&] { emitAmxTile(block, panel, tile); });
    ifThen(b, b.CreateAnd(block.ready, b.CreateNot(panel.stores)), [&] { sums_.sinkTile(block, panel, tile); });
  });
}

// Selects one of two consecutive panels.
NestPanel AmxTiles::choose(LlvmValue *condition, const NestPanel &x, const NestPanel &y) {
  NestPanel panel = y;
  panel.column = b.CreateSelect(condition, x.column, y.column);
  panel.right = b.CreateSelect(condition, x.right, y.right);
  panel.before.first = b.CreateSelect(condition, x.before.first, y.before.first); // the steps are equal
  panel.after = sums_.choose(condition, x.after, y.after);
  panel.stores = b.CreateSelect(condition, x.stores, y.stores);
  return panel;
}

// If a tile has rows past the last row of `a`, they are in staged memory, and their sums are not used. In the first block of a
// nest whose sums start at 0, a tile stores its sums directly to their place after this block, if it is a whole tile or if that
// place is the cells, which have room for a whole tile. Otherwise it stores them to the cells, and addTile() adds them to the
// sums before this block.
void AmxTiles::emitAmxTile(const NestBlock &block, const NestPanel &panel, const NestTile &tile) {
  LlvmValue *starts = p.fresh ? block.isFirst : b.getFalse(), *count = b.CreateSub(tile.rowEnd, tile.row);
  LlvmValue *isWhole = b.CreateICmpEQ(count, n.number(p.tile.rows)),
            *inCells = b.CreateAnd(block.ready, b.CreateNot(panel.stores));
  LlvmValue *straight = b.CreateAnd(starts, b.CreateOr(isWhole, inCells));
  LlvmValue *to = b.CreateSelect(straight, sums_.sumsAt(panel.after, tile), n.addressOf(kNestCells)),
            *toStep = b.CreateSelect(straight, panel.after.step, n.number(kNestPanelBytes));
  TileMicrokernel::Operands operands{
      n.leftOf(block, tile), n.leftRowStep,          panel.right, n.number(p.panelPitch()), to, toStep,
      block.depth,           n.addressOf(kNestCells)};
  auto inTiles = [&] {
    LlvmValue *isHalf = b.CreateICmpSLE(count, n.number(TileMicrokernel::kRows / 2));
    ifThen(
        b, isHalf,
        [&] {
          if (p.inSlices())
            microkernel_.multiplySlices(operands, p.slices(), TileMicrokernel::kRows / 2);
          else
            microkernel_.multiply(operands, TileMicrokernel::kRows / 2);
        },
        [&] { multiplyWhole(block, panel, tile, operands); });
  };
  auto converted = [&] {
    LlvmValue *start = b.CreateSelect(straight, e_.context.ops.zero(p.elem, p.lanes()), n.microkernel.negativeZero());
    if (p.inSlices()) return slices_.multiplyUnsliced(operands, count, start);
    multiplyConverted(operands, count, start);
  };
  if (p.needsLeastMagnitude())
    ifThen(b, areNormal(block, panel), inTiles, converted);
  else
    inTiles();
  ifThen(b, b.CreateNot(straight), [&] { addTile(panel, tile); });
}

LlvmValue *AmxTiles::areNormal(const NestBlock &block, const NestPanel &panel) {
  return p.inSlices() ? haveSlices(b, block.least, panel.least) : xt::areNormal(b, block.least, panel.least);
}

// Multiplies a tile of more than half of the rows. If one panel of `b` can stay in the L1 cache, loads of `a` bypass that cache
// (Keep::Right).
void AmxTiles::multiplyWhole(const NestBlock &block, const NestPanel &panel, const NestTile &tile,
                             const TileMicrokernel::Operands &operands) {
  using Keep = TileMicrokernel::Keep;
  ResultLines lines = resultLinesOf(block, panel, tile);
  auto prefetchEachIteration = [&, rows = least(b, n.planned(&NestPlan::resultPrefetchRows), lines.rows)](LlvmValue *turn) {
    prefetchResult(lines, turn, rows);
  };
  if (p.inSlices()) return microkernel_.multiplySlices(operands, p.slices(), p.tile.rows, prefetchEachIteration);
  ifThen(
      b, n.isSet(&NestPlan::keepsRight),
      [&] {
        microkernel_.multiply(operands, p.tile.rows, Keep::Right,
                              [&](LlvmValue *turn) { prefetchTwoResultLines(lines, turn); });
      },
      [&] { microkernel_.multiply(operands, p.tile.rows, Keep::All, prefetchEachIteration); });
}

// Multiplies bf16 after converting them to f32, a few rows at a time. This is for operands that are denormal or whose products
// may be, because AMX would treat them as 0. The sums start at `start`.
void AmxTiles::multiplyConverted(const TileMicrokernel::Operands &operands, LlvmValue *rows, LlvmValue *start) {
  constexpr int kRows = 2;
  static_assert(TileMicrokernel::kRows / 2 % kRows == 0); // if `a` is read in place, no row past its last one is read
  LlvmValues columns;
  for (int v = 0; v < p.tile.vectors; ++v) columns.push_back(n.number(v * p.lanes() * p.bytes()));
  forLoop(b, n.number(0), rows, n.number(kRows), [&](LlvmValue *row) {
    LlvmValues sums(static_cast<size_t>(kRows * p.tile.vectors), start);
    LlvmValue *left = byteOffset(b, operands.left, b.CreateMul(row, n.leftRowStep)),
              *to = byteOffset(b, operands.sums, b.CreateMul(row, operands.sumStep));
    Microkernel::Operands some{left,       n.leftRowStep,      kRows,         operands.right, columns,
                               n.leftStep, operands.rightStep, operands.depth};
    sums = n.microkernel.multiply(some, std::move(sums), Microkernel::Step::PairsBf16);
    for (size_t r = 0; r < kRows; ++r, to = byteOffset(b, to, operands.sumStep))
      for (size_t v = 0; v < columns.size(); ++v)
        b.CreateAlignedStore(sums[r * columns.size() + v], byteOffset(b, to, columns[v]), llvm::Align(1));
  });
}

// Adds the cells to the sums before this block, and stores the results to the place of the sums after this block.
void AmxTiles::addTile(const NestPanel &panel, const NestTile &tile) {
  TileMicrokernel::Sums before{sums_.sumsAt(panel.before, tile), panel.before.step},
      to{sums_.sumsAt(panel.after, tile), panel.after.step};
  auto *type = llvm::cast<llvm::FixedVectorType>(e_.context.ops.type(p.elem, p.lanes()));
  microkernel_.add(to, {n.addressOf(kNestCells), n.number(kNestPanelBytes)}, before, b.CreateSub(tile.rowEnd, tile.row), type);
}

// Returns the rows of the result to prefetch. If nothing is stored to the result in this block, returns the cells instead: they
// are in the cache anyway.
AmxTiles::ResultLines AmxTiles::resultLinesOf(const NestBlock &block, const NestPanel &panel, const NestTile &tile) {
  LlvmValue *rows = b.CreateSub(tile.rowEnd, tile.row);
  if (!sums_.storesRows()) return {n.addressOf(kNestCells), n.number(0), rows};
  return {b.CreateSelect(block.ready, sums_.storedRow(panel, tile.row), n.addressOf(kNestCells)),
          b.CreateSelect(block.ready, sums_.storedStep(), n.number(0)), rows};
}

// Returns the address of the first of the `rows` rows that iteration `turn` prefetches.
LlvmValue *AmxTiles::resultLineAt(const ResultLines &lines, LlvmValue *turn, LlvmValue *rows) {
  LlvmValue *row = least(b, b.CreateMul(turn, rows), b.CreateSub(lines.rows, rows));
  return byteOffset(b, lines.first, b.CreateMul(row, lines.step));
}

void AmxTiles::prefetchResult(const ResultLines &lines, LlvmValue *turn, LlvmValue *rows) {
  if (sums_.storesRows()) sums_.prefetchStored(resultLineAt(lines, turn, rows), lines.step, rows);
}

// Prefetches two rows without a loop. The tile must have at least two rows.
void AmxTiles::prefetchTwoResultLines(const ResultLines &lines, LlvmValue *turn) {
  if (!sums_.storesRows()) return;
  LlvmValue *line = resultLineAt(lines, turn, n.number(2));
  sums_.prefetchStoredRow(line);
  sums_.prefetchStoredRow(byteOffset(b, line, lines.step));
}

} // namespace xt
