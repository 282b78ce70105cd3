#include "targets/cpu/products/register_tiles.h"

#include "ir/elem_kinds.h"

namespace xt {

// Rows past the last one repeat it, and their sums are stored to the same address.
Microkernel::Operands RegisterTiles::operandsOf(const NestBlock &block, const NestPanel &panel, RegisterTile shape,
                                                const NestTile &tile) {
  const bool isWhole = shape.rows == p.tile.rows && shape.vectors == p.tile.vectors;
  const bool takesAll = p.hasRest() && isWhole && !(panel.copyTo && !n.rules.mayBeDirect);
  LlvmValues columns;
  for (int v = 0; v < shape.vectors; ++v)
    columns.push_back(n.number(v * p.lanes() * (panel.copyTo ? p.right.bytes() : p.bytes())));
  Microkernel::Operands operands{
      n.leftOf(block, tile), n.leftRowStep,        shape.rows, panel.right, columns, n.leftStep, panel.step,
      block.depth,           !n.rules.mayBeDirect, p.fresh};
  operands.lastRow = takesAll ? nullptr : b.CreateSub(b.CreateSub(tile.rowEnd, n.number(1)), tile.row);
  if (p.leftElem() != p.elem) operands.broadcast = [this](LlvmValue *at) { return n.inAllLanes(p.leftElem(), at); };
  if (p.movesLeft) operands.broadcast = [this](LlvmValue *at) { return reader_.moved(n.inAllLanes(Elem::I32, at)); };
  operands.copy = panel.copyTo;
  if (panel.copyTo)
    readSource(operands);
  else if (!p.inWords())
    operands.steps = shape.steps, operands.leavesRest = shape.steps > 1;
  if (operands.steps > 1 && (isWhole || shape.fewerByOne))
    std::tie(operands.next, operands.nextStep) =
        prefetcher_.prefetchedBy(block, panel, tile, isWhole ? panel.next.tilesInSource : panel.next.lastInSource);
  return operands;
}

// Reads `b` in place, converts it if necessary, and prefetches ahead.
void RegisterTiles::readSource(Microkernel::Operands &operands) {
  operands.ahead = b.CreateMul(operands.rightStep, n.planned(&NestPlan::copyPrefetchRows));
  const Elem elem = n.right.elem;
  if (elem == p.elem) return;
  operands.rightBytes = p.right.bytes();
  operands.load = [this, elem](LlvmValue *at) { return n.multiplied(elem, n.registerAt(elem, at, p.lanes())); };
}

// Visits the registers of a tile's sums, row by row. Each row's address is emitted once, because more instructions take code
// generation longer.
void RegisterTiles::ofEachSum(const SumPlace &sums, const NestTile &tile, const Microkernel::Operands &operands,
                              llvm::function_ref<void(LlvmValue *at)> visit) {
  LlvmValue *first = sums_.sumsAt(sums, tile);
  for (int r = 0; r < operands.rows; ++r) {
    LlvmValue *row = stepsOn(b, first, sums.step, r, operands.lastRow);
    for (int64_t v = 0; v < std::ssize(operands.columns); ++v) visit(byteOffset(b, row, n.number(v * p.lanes() * p.bytes())));
  }
}

LlvmValues RegisterTiles::sumsBefore(const NestPanel &panel, const NestTile &tile, const Microkernel::Operands &operands) {
  LlvmValues sums;
  ofEachSum(panel.before, tile, operands, [&](LlvmValue *at) {
    sums.push_back(b.CreateAlignedLoad(e_.context.ops.type(p.elem, p.lanes()), at, n.vectorAlign()));
  });
  return sums;
}

void RegisterTiles::storeSums(const NestPanel &panel, const NestTile &tile, const Microkernel::Operands &operands,
                              const LlvmValues &sums) {
  ofEachSum(panel.after, tile, operands,
            [&, sum = sums.begin()](LlvmValue *at) mutable { b.CreateAlignedStore(*sum++, at, sums_.sumAlign()); });
}

LlvmValues ElementTiles::multiply(const NestBlock &block, const NestPanel &panel, RegisterTile shape, const NestTile &tile) {
  Microkernel::Operands operands = operandsOf(block, panel, shape, tile);
  auto load = [&] { return sumsBefore(panel, tile, operands); };
  // If sums start at 0, they are not loaded. Rare tiles load zeros instead, which saves the code of the branch.
  auto begin = [&] {
    if (panel.copyTo || shape.vectors < p.tile.vectors) return load();
    const LlvmValues zeros(static_cast<size_t>(shape.rows * shape.vectors), e_.context.ops.zero(p.elem, p.lanes()));
    return ifElse(b, panel.begins, [&] { return zeros; }, load);
  };
  storeSums(panel, tile, operands, n.microkernel.multiply(operands, begin()));
  return {};
}

std::unique_ptr<RegisterTiles> registerTiles(NestContext &context, NestReader &reader, PanelPrefetcher &prefetcher,
                                             SumPlaces &sums) {
  switch (context.problem.style) {
  case ProductStyle::Elements: return std::make_unique<ElementTiles>(context, reader, prefetcher, sums);
  case ProductStyle::DotBf16: return std::make_unique<PairTiles>(context, reader, prefetcher, sums);
  case ProductStyle::DotBytes:
  case ProductStyle::DotShorts: return std::make_unique<ByteTiles>(context, reader, prefetcher, sums);
  case ProductStyle::TilesBf16:
  case ProductStyle::TilesBytes:
  case ProductStyle::TilesSliced: break;
  }
  return nullptr;
}

} // namespace xt
