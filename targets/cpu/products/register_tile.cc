#include "targets/cpu/products/register_tile.h"

#include "ir/elem_kinds.h"

namespace xt {

bool convertsElements(const CpuInfo &cpu, const Op &nest) {
  constexpr int64_t kFewPanels = 6;
  Type a = nest.operand(0)->type(), sum = nest.result()->type();
  RegisterTile tile = nestTile(cpu, nest);
  if (!changesCheaply(cpu, tile) || sum.extent(1) > kFewPanels * tile.vectors * tile.lanes) return false;
  return productStyle(cpu, nest) == ProductStyle::Elements && a.elem() == Elem::F16 && !isTransposed(nest, 0) &&
         a.packFactor() == 1;
}

} // namespace xt
