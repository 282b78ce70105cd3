// Multiplies register tiles of words: two bf16, four bytes, or two bytes as 16-bit integers.
#include "targets/cpu/products/register_tiles.h"
#include "targets/cpu/products/words.h"

namespace xt {

// The corrections for bytes that are biased by 128 are added to the sums before the products.
LlvmValues ByteTiles::multiply(const NestBlock &block, const NestPanel &panel, RegisterTile shape, const NestTile &tile) {
  Microkernel::Operands operands = operandsOf(block, panel, shape, tile);
  LlvmValues sums = sumsBefore(panel, tile, operands);
  const size_t vectors = operands.columns.size();
  if (p.movesLeft) {
    LlvmValues starts = n.panelRow(panel.columnSums);
    for (size_t i = 0; i < sums.size(); ++i) sums[i] = b.CreateAdd(sums[i], starts[i % vectors]);
  }
  if (p.movesRight) {
    LlvmValue *last = b.CreateSub(n.rows, n.number(1));
    for (int r = 0; r < operands.rows; ++r) {
      LlvmValue *at = least(b, b.CreateAdd(tile.row, n.number(r)), last);
      LlvmValue *address = byteOffset(b, n.addressOf(kNestRowSums), b.CreateMul(at, n.number(p.bytes())));
      LlvmValue *moved = e_.context.ops.splat(b.CreateAlignedLoad(b.getInt32Ty(), address, llvm::Align(4)), p.lanes());
      for (size_t v = 0; v < vectors; ++v) {
        LlvmValue *&sum = sums[static_cast<size_t>(r) * vectors + v];
        sum = b.CreateAdd(sum, moved);
      }
    }
  }
  const bool inShorts = p.style == ProductStyle::DotShorts;
  storeSums(
      panel, tile, operands,
      n.microkernel.multiply(operands, std::move(sums), inShorts ? Microkernel::Step::DotShorts : Microkernel::Step::DotBytes));
  return {};
}

// The initial values of the products. Earlier sums are added only after the loop, because they would need registers during it.
// If sums start at 0, most tiles skip the addition.
LlvmValues PairTiles::pairsBegin(const NestPanel &panel, const Microkernel::Operands &operands) {
  LlvmValue *start = b.CreateSelect(panel.begins, e_.context.ops.zero(p.elem, p.lanes()), n.microkernel.negativeZero());
  return LlvmValues(static_cast<size_t>(operands.rows) * operands.columns.size(), start);
}

void PairTiles::storePairs(const NestPanel &panel, const NestTile &tile, const Microkernel::Operands &operands,
                           const LlvmValues &products) {
  auto added = [&] {
    LlvmValues sums = sumsBefore(panel, tile, operands);
    for (size_t i = 0; i < sums.size(); ++i) sums[i] = b.CreateFAdd(sums[i], products[i]);
    return sums;
  };
  const bool isLarge = operands.rows == p.tile.rows && std::ssize(operands.columns) == p.tile.vectors;
  storeSums(panel, tile, operands, isLarge ? ifElse(b, panel.begins, [&] { return products; }, added) : added());
}

// Returns whether rows of `a` hold numbers that could cause denormal products, which the instruction would treat as 0; nothing
// is stored then. They are found while multiplying.
LlvmValues PairTiles::multiply(const NestBlock &block, const NestPanel &panel, RegisterTile shape, const NestTile &tile) {
  Microkernel::Operands operands = operandsOf(block, panel, shape, tile);
  operands.lastScanned = b.CreateSub(n.leftBytes(block), n.number(p.lanes() * p.bytes()));
  LlvmValues products = n.microkernel.multiply(operands, pairsBegin(panel, operands), Microkernel::Step::DotBf16);
  LlvmValue *missed = isLeastBelow(b, products.pop_back_val(), panel.leftLeast);
  ifThen(b, b.CreateNot(missed), [&] { storePairs(panel, tile, operands, products); });
  return {missed};
}

// Once a tile of a panel has found such numbers, that tile and all later ones are converted; the later ones do not try the
// product first.
LlvmValues PairTiles::around(const NestBlock &block, const NestPanel &panel, const NestTile &tile,
                             llvm::ArrayRef<LlvmValue *> carried, llvm::function_ref<LlvmValues()> product) {
  LlvmValues missed = ifElse(b, carried[0], [&] { return LlvmValues{b.getTrue()}; }, product);
  ifThen(b, missed[0], [&] { convertTile(block, panel, tile); });
  return missed;
}

// Computes the rows of a tile with conversion to f32, half as many rows at a time.
void PairTiles::convertTile(const NestBlock &block, const NestPanel &panel, const NestTile &tile) {
  RegisterTile few = p.tile;
  few.rows = (p.tile.rows + 1) / 2;
  forLoop(b, tile.row, tile.rowEnd, n.number(few.rows), [&](LlvmValue *row) {
    LlvmValue *rows = b.CreateSub(row, tile.row);
    // Adjusts the place of the sums so that sumsAt(), which multiplies the row by tileStep, returns the address of this row.
    auto movedOn = [&](SumPlace sums) {
      return SumPlace{byteOffset(b, sums.first, b.CreateMul(rows, b.CreateSub(sums.step, sums.tileStep))), sums.step,
                      sums.tileStep};
    };
    NestPanel from = panel;
    from.before = movedOn(panel.before), from.after = movedOn(panel.after);
    NestTile part{tile.index, row, tile.rowEnd};
    Microkernel::Operands operands = operandsOf(block, from, few, part);
    storePairs(from, part, operands,
               n.microkernel.multiply(operands, pairsBegin(from, operands), Microkernel::Step::PairsBf16));
  });
}

} // namespace xt
