// With which instructions a nest multiplies.
#pragma once
#include "targets/cpu/cpu_info.h"

#include "ir/elem.h"

namespace xt {

// All but Elements take the operands as they are, several neighbours along K in a word of 4 bytes; sums are f32 or i32.
enum class ProductStyle : uint8_t {
  Elements,  // one at a time, converted to the type that is multiplied in
  DotBf16,   // vdpbf16ps, 2 to a word
  DotBytes,  // vpdpbusd, 4 to a word
  TilesBf16, // AMX
  TilesBytes,
};

inline ProductStyle productStyle(const CpuInfo &cpu, Elem a, Elem b) {
  auto isByte = [](Elem elem) { return elem == Elem::I8 || elem == Elem::U8; };
  if (a == Elem::BF16 && b == Elem::BF16)
    return cpu.tilesBf16 ? ProductStyle::TilesBf16 : cpu.dotBf16 ? ProductStyle::DotBf16 : ProductStyle::Elements;
  if (isByte(a) && isByte(b))
    return cpu.tilesBytes ? ProductStyle::TilesBytes : cpu.dotBytes ? ProductStyle::DotBytes : ProductStyle::Elements;
  return ProductStyle::Elements;
}

inline bool usesTiles(ProductStyle style) { return style == ProductStyle::TilesBf16 || style == ProductStyle::TilesBytes; }

// Elements along K that are one step.
inline int stepElements(ProductStyle style) {
  switch (style) {
  case ProductStyle::Elements: return 1;
  case ProductStyle::DotBf16:
  case ProductStyle::TilesBf16: return 2;
  case ProductStyle::DotBytes:
  case ProductStyle::TilesBytes: return 4;
  }
  return 1;
}

} // namespace xt
