#include "targets/cpu/products/mma_nest.h"

namespace xt {

MmaNest::MmaNest(llvm::IRBuilder<> &builder, RegisterOps &ops, const CpuInfo &cpu, const Operands &operands, Argument argument)
    : b(builder), ops_(ops), argument_(argument), left_(operands.left), right_(operands.right), sum_(operands.sum),
      fresh_(operands.fresh), rows_(operands.rows), step_(operands.step), elem_(right_.shape.elem), sumElem_(sum_.shape.elem),
      elemBytes_(elemInfo(elem_).storageBytes), lanes_(cpu.lanes(static_cast<int>(elemBytes_))),
      columnVectors_((sum_.shape.columns + lanes_ - 1) / lanes_), tile_(tileOf(cpu)),
      microkernel_(builder, ops, cpu, elem_, lanes_) {}

// Converting words needs registers, so the tile has fewer rows.
RegisterTile MmaNest::tileOf(const CpuInfo &cpu) const {
  constexpr int kConvertedRows = 2;
  RegisterTile tile = registerTile(cpu, elem_, sum_.shape.rows, sum_.shape.columns);
  if (step_ == Microkernel::Step::PairsBf16) tile = {std::min(tile.rows, kConvertedRows), tile.vectors, tile.lanes};
  return tile;
}

void MmaNest::emit() {
  forLoop(b, number(0), argument_(columnVectors_), number(tile_.vectors), [&](LlvmValue *panel) { emitPanel(panel); });
}

void MmaNest::emitPanel(LlvmValue *panel) {
  Columns columns;
  for (int v = 0; v < tile_.vectors; ++v) {
    LlvmValue *vector = b.CreateAdd(panel, number(v));
    if (columnVectors_ % tile_.vectors != 0) vector = upTo(vector, columnVectors_ - 1);
    columns.ofSum.push_back(b.CreateMul(vector, number(lanes_ * elemInfo(sumElem_).storageBytes)));
    columns.ofRight.push_back(b.CreateMul(vector, number(lanes_ * elemBytes_)));
  }
  int64_t rows = sum_.shape.rows;
  int few = lastRowsTile(tile_).rows;
  bool repeats = rows_ || (rows - rowsOfWholeTiles(tile_, rows)) % few != 0;
  LlvmValue *endOfWhole = endOfWholeTiles(), *end = rows_ ? rows_ : argument_(rows);
  forLoop(b, number(0), endOfWhole, number(tile_.rows), [&](LlvmValue *row) { emitTile(row, tile_.rows, false, columns); });
  forLoop(b, endOfWhole, end, number(few), [&](LlvmValue *row) { emitTile(row, few, repeats, columns); });
}

// The number of rows that full tiles take: rowsOfWholeTiles() of the rows that are computed.
LlvmValue *MmaNest::endOfWholeTiles() {
  if (!rows_) return argument_(rowsOfWholeTiles(tile_, sum_.shape.rows));
  LlvmValue *each = number(tile_.rows), *tiles = b.CreateUDiv(rows_, each), *rest = b.CreateURem(rows_, each);
  LlvmValue *given = b.CreateLShr(number(tilesGivenUpByRest(tile_)), b.CreateMul(rest, number(kGivenUpBits)));
  given = b.CreateAnd(given, number((1 << kGivenUpBits) - 1));
  LlvmValue *whole = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, b.CreateSub(tiles, given), number(0));
  return b.CreateMul(whole, each);
}

void MmaNest::emitTile(LlvmValue *firstRow, int rows, bool repeats, const Columns &columns) {
  LlvmValue *lastRow = !repeats ? nullptr : rows_ ? b.CreateSub(rows_, number(1)) : argument_(sum_.shape.rows - 1);
  LlvmValue *last = repeats ? b.CreateSub(lastRow, firstRow) : nullptr;
  LlvmValues cells;
  for (int r = 0; r < rows; ++r) {
    LlvmValue *sumRow = stepsOn(b, rowOf(sum_, firstRow), sum_.pitch, r, last);
    for (LlvmValue *column : columns.ofSum) cells.push_back(byteOffset(b, sumRow, column));
  }
  LlvmValues sums;
  for (LlvmValue *cell : cells) sums.push_back(startOf(cell));
  Microkernel::Operands operands{rowOf(left_, firstRow), left_.pitch,        rows,         right_.address,
                                 columns.ofRight,        number(elemBytes_), right_.pitch, argument_(right_.shape.rows),
                                 right_.inScratch};
  operands.lastRow = last;
  if (step_ == Microkernel::Step::Elements && right_.shape.rows % kStepsEachTurn == 0) operands.steps = kStepsEachTurn;
  sums = microkernel_.multiply(operands, std::move(sums), step_);
  if (addsBehind())
    for (size_t i = 0; i < cells.size(); ++i) sums[i] = b.CreateFAdd(loadCell(cells[i]), sums[i]);
  for (size_t i = 0; i < cells.size(); ++i) {
    LlvmValue *value = sumsConvert() ? ops_.convertFloat(sums[i], elem_, sumElem_) : sums[i];
    b.CreateAlignedStore(value, cells[i], cellAlign());
  }
}

LlvmValue *MmaNest::startOf(LlvmValue *cell) {
  if (fresh_) return ops_.zero(elem_, lanes_);
  return addsBehind() ? microkernel_.negativeZero() : loadCell(cell);
}

LlvmValue *MmaNest::loadCell(LlvmValue *cell) {
  LlvmValue *stored = b.CreateAlignedLoad(ops_.type(sumElem_, lanes_), cell, cellAlign());
  return sumsConvert() ? ops_.convertFloat(stored, sumElem_, elem_) : stored;
}

} // namespace xt
