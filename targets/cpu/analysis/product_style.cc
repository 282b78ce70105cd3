#include "targets/cpu/analysis/product_style.h"

#include "ir/elem_kinds.h"

namespace xt {

int sliceCount(Elem elem) { return elem == Elem::F32 ? 3 : 2; }

ProductStyle productStyle(const CpuInfo &cpu, Elem a, Elem b, int64_t rows, int64_t columns) {
  auto isByte = [](Elem elem) { return elem == Elem::I8 || elem == Elem::U8; };
  if (a == Elem::BF16 && b == Elem::BF16)
    return cpu.tilesBf16 ? ProductStyle::TilesBf16 : cpu.dotBf16 ? ProductStyle::DotBf16 : ProductStyle::Elements;
  if (isByte(a) && isByte(b))
    return cpu.tilesBytes ? ProductStyle::TilesBytes : cpu.dotBytes ? ProductStyle::DotBytes : ProductStyle::DotShorts;
  const bool isLarge = rows >= kSlicedRows && columns >= kSlicedColumns;
  const bool hasSlices = a == b && (a == Elem::F16 || a == Elem::TF32 || (a == Elem::F32 && isLarge));
  return hasSlices && cpu.tilesBf16 ? ProductStyle::TilesSliced : ProductStyle::Elements;
}

bool multipliesPairs(const CpuInfo &cpu, const Op &mma) {
  Type a = mma.operand(0)->type(), b = mma.operand(1)->type();
  return cpu.dotBf16 && a.elem() == Elem::BF16 && b.elem() == Elem::BF16 && a.extent(1) % 2 == 0;
}

bool multipliesInTiles(const CpuInfo &cpu, const Op &mma) {
  Type a = mma.operand(0)->type(), sum = mma.result()->type();
  bool whole = sum.extent(0) % kAmxSide == 0 && sum.extent(1) % kAmxSide == 0 && a.extent(1) % kAmxSide == 0;
  return whole && multipliesPairs(cpu, mma) && cpu.tilesBf16 && sum.elem() == Elem::F32;
}

} // namespace xt
