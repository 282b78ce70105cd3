#include "targets/cpu/products/nest_problem.h"

#include "ir/elem_kinds.h"
#include "ir/nest_rows.h"

namespace xt {

Elem NestProblem::stagedElem(Elem from) const { return style != ProductStyle::DotShorts ? from : Elem::I16; }

NestProblem nestProblem(const CpuInfo &cpu, const Op &nest, bool fresh) {
  const Type sum = nest.result()->type();
  NestProblem problem;
  problem.style = productStyle(cpu, nest);
  problem.elem = mmaElem(nest.operand(0)->type().elem());
  problem.tile = nestTile(cpu, nest);
  problem.rows = sum.extent(0), problem.columns = sum.extent(1);
  auto operand = [&](size_t i) {
    const Type tile = nest.operand(i)->type();
    return NestOperand{.elem = tile.elem(), .transposed = isTransposed(nest, i), .interleaved = tile.packFactor() > 1};
  };
  problem.left = operand(0), problem.right = operand(1);
  problem.convertsLeft = convertsElements(cpu, nest);
  problem.movesLeft = movesLeftBytes(cpu, nest);
  problem.movesRight = movesBytes(cpu, nest) && !problem.movesLeft;
  problem.choosesLeft = nestRows(nest) != nullptr;
  problem.fresh = fresh;
  problem.convertsHalves = cpu.f16c;
  problem.tuning = cpu.tuning;
  return problem;
}

int64_t columnsOfPart(RegisterTile tile, ProductStyle style) {
  int64_t vectors = usesTiles(style) ? kMostPanels * tile.vectors : narrowTakesAnyRest(tile) ? tile.narrow : tile.vectors;
  return vectors * tile.lanes;
}

} // namespace xt
