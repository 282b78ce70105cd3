#include "targets/cpu/products/register_tile.h"

#include "ir/base/check.h"
#include "ir/elem_kinds.h"

namespace xt {

int64_t tilesGivenUpByRest(RegisterTile tile) {
  XT_CHECK(tile.rows * kGivenUpBits < 64, "the table fits into a word");
  int64_t all = 0;
  for (int64_t rest = 0; rest < tile.rows; ++rest) {
    const int64_t given = tilesGivenUp(tile, rest);
    XT_CHECK(given < 1 << kGivenUpBits, "each entry fits its bits");
    all |= given << (kGivenUpBits * rest);
  }
  return all;
}

bool convertsElements(const CpuInfo &cpu, const Op &nest) {
  constexpr int64_t kFewPanels = 6;
  Type a = nest.operand(0)->type(), sum = nest.result()->type();
  RegisterTile tile = nestTile(cpu, nest);
  if (!convertsCheaply(cpu, tile) || sum.extent(1) > kFewPanels * tile.vectors * tile.lanes) return false;
  return productStyle(cpu, nest) == ProductStyle::Elements && a.elem() == Elem::F16 && !isTransposed(nest, 0) &&
         a.packFactor() == 1;
}

} // namespace xt
