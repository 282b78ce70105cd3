// The instructions that matrices are multiplied with.
#pragma once
#include "targets/cpu/analysis/cpu_info.h"

#include "ir/op.h"

namespace xt {

// How a nest multiplies. All styles except Elements combine several neighbours along K into a word of 4 bytes, unchanged or as
// described at DotShorts and TilesSliced; sums are f32 or i32.
enum class ProductStyle : uint8_t {
  Elements,  // one element at a time, converted to the type in which products are computed
  DotBf16,   // vdpbf16ps, 2 per word
  DotBytes,  // vpdpbusd, 4 per word
  DotShorts, // vpmaddwd: bytes as 16-bit integers, 2 per word
  TilesBf16, // AMX
  TilesBytes,
  TilesSliced, // AMX, 2 per word: f32, f16 and tf32 as sums of bf16 (float_slices.h)
};

// The number of bf16 values, with 8 bits of significand each, whose sum is a float of TilesSliced.
int sliceCount(Elem elem);

// f32 is sliced if a workgroup computes at least this many rows and columns of sums.
inline constexpr int64_t kSlicedRows = 256, kSlicedColumns = 512;

// `rows` and `columns` are those of the sums. Slicing f32 pays off if the slices are used for many products. Programs whose
// workgroups compute this much have large matrices.
ProductStyle productStyle(const CpuInfo &cpu, Elem a, Elem b, int64_t rows, int64_t columns);

inline bool usesTiles(ProductStyle style) {
  return style == ProductStyle::TilesBf16 || style == ProductStyle::TilesBytes || style == ProductStyle::TilesSliced;
}

// The number of elements along K that one step multiplies.
inline int stepElements(ProductStyle style) {
  switch (style) {
  case ProductStyle::Elements: return 1;
  case ProductStyle::DotBf16:
  case ProductStyle::DotShorts:
  case ProductStyle::TilesBf16:
  case ProductStyle::TilesSliced: return 2;
  case ProductStyle::DotBytes:
  case ProductStyle::TilesBytes: return 4;
  }
  return 1;
}

// AMX's tiles together hold kAmxSide rows of kAmxSide sums, and a step multiplies kAmxSide bf16 along K.
inline constexpr int64_t kAmxSide = 32, kAmxRowBytes = kAmxSide * 4;

// Whether a tile_mma multiplies words of two bf16 (DotBf16) rather than Elements.
bool multipliesPairs(const CpuInfo &cpu, const Op &mma);

// Whether a tile_mma multiplies these words with AMX. All AMX tiles must be full: extents are multiples of kAmxSide.
bool multipliesInTiles(const CpuInfo &cpu, const Op &mma);

} // namespace xt
