// The register tile: the part of a matrix product that stays in registers.
#pragma once
#include "ir/views/nest.h"
#include "targets/cpu/analysis/buffer_assignment.h"
#include "targets/cpu/analysis/product_style.h"

#include <algorithm>

namespace xt {

// Steps of K per iteration of the loop over elements, except for tiles that copy `b`, narrow tiles, and tiles with twice as
// many steps (nestTile). An iteration prefetches only one line, of the next panel.
inline constexpr int64_t kStepsEachTurn = 2;

struct RegisterTile {
  int rows;    // rows of `a`
  int vectors; // registers of columns of `b`
  int lanes;   // elements of a register
  int steps = kStepsEachTurn; // steps of K per loop iteration, in nests that multiply elements and do not copy
  int narrow = 0; // registers of columns of the tile that takes the last columns, if they fit; 0: there is no such tile
  int narrowRows = 0; // rows of `a` of that tile; meaningless if there is none
  bool fewerByOne = false; // the tile of the last rows has one row fewer than this one, instead of two thirds of the rows
};

// The accumulators, one row of `b` and one broadcast element of `a` fill the register file (16 registers without FMA also hold
// products). If there are at least `widest` registers of columns, the tile is the widest one, so that all large products have
// the same code. `elem` is the type that is multiplied in (mmaElem).
inline RegisterTile registerTile(const CpuInfo &cpu, Elem elem, int64_t rows, int64_t columns) {
  int lanes = cpu.lanes(elemInfo(elem).storageBytes);
  int widest = cpu.vectorRegisters == 32 ? 4 : 2;
  int vectors = static_cast<int>(std::min<int64_t>(widest, (columns + lanes - 1) / lanes));
  int accumulators = cpu.vectorRegisters == 32 ? 24 : cpu.fma ? 12 : 8;
  int most = std::min(accumulators / vectors, 12);
  int taken = static_cast<int>(std::min<int64_t>(most, rows));
  return {taken, vectors, lanes, kStepsEachTurn, vectors == 4 ? 2 : 0, taken, vectors == 4 && rows > 2 * most};
}

// The tile of the last rows. With fewer than two thirds of the rows, `b` would be read faster than caches deliver it. With
// AVX-512 the widest tile is followed by one with one row fewer: every number of rows from 20 on is a sum of sixes and fives.
// Workgroups of up to 12 rows use two thirds with AVX-512, too, because 8 rows are common, and tiles of 5 and 3 rows would take
// longer for them.
inline RegisterTile lastRowsTile(RegisterTile tile) {
  tile.rows = tile.fewerByOne ? tile.rows - 1 : (2 * tile.rows + 2) / 3;
  return tile;
}

// The tile of the last columns, if they fit into two registers. A single register would have too few independent FMA chains.
// Its loop has half as many steps per iteration, because it is rarely used.
inline RegisterTile narrowTile(RegisterTile tile) { return {tile.narrowRows, tile.narrow, tile.lanes, tile.steps / 2}; }
// The tile of the last columns if they need three registers of a tile that has four.
inline bool hasMiddleTile(RegisterTile tile) { return tile.narrow == 2 && tile.vectors == 4; }
inline RegisterTile middleTile(RegisterTile tile) { return {tile.narrowRows, tile.vectors - 1, tile.lanes, tile.steps / 2}; }
// Whether full panels and up to two narrow ones after them cover any number of registers of columns exactly. This holds for
// panels of three registers and narrow ones of two.
inline bool narrowTakesAnyRest(RegisterTile tile) { return tile.narrow == 2 && tile.vectors == 3; }

// The number of full tiles that give their rows to the smaller tiles of lastRowsTile(), for the least work, if `rest` rows are
// left. For example, if full tiles have 6 rows and smaller ones 4, then 6 + 2 rows are computed as 4 + 4: one full tile is
// given up.
inline int64_t tilesGivenUp(RegisterTile tile, int64_t rest) {
  const int64_t few = lastRowsTile(tile).rows;
  int64_t best = 0, least = tile.rows * tile.rows;
  for (int64_t given = 0; given < tile.rows; ++given) {
    int64_t computed = (given * tile.rows + rest + few - 1) / few * few - given * tile.rows; // rows, minus those given up
    if (computed < least) best = given, least = computed;
  }
  return best;
}

// A table of tilesGivenUp() for each number of remaining rows, in kGivenUpBits bits each. The entry for no rows is in the
// lowest bits.
inline constexpr int kGivenUpBits = 4;
int64_t tilesGivenUpByRest(RegisterTile tile);

// The number of full tiles, of `tileRows` rows; smaller tiles take the other rows. `givenUp`: tilesGivenUpByRest.
inline int64_t wholeTilesOf(int64_t rows, int64_t tileRows, int64_t givenUp) {
  const int64_t given = (givenUp >> (kGivenUpBits * (rows % tileRows))) & ((1 << kGivenUpBits) - 1);
  return std::max<int64_t>(rows / tileRows - given, 0);
}

// The number of rows that full tiles take.
inline int64_t rowsOfWholeTiles(RegisterTile tile, int64_t rows) {
  return std::max<int64_t>(rows / tile.rows - tilesGivenUp(tile, rows % tile.rows), 0) * tile.rows;
}

// The sums that AMX's tiles hold, as a register tile.
inline RegisterTile amxTile(const CpuInfo &cpu) {
  return {static_cast<int>(kAmxSide), static_cast<int>(kAmxRowBytes / cpu.vectorBytes), cpu.lanes(4)};
}

// Bytes of a row of sliced `a` per block, if all of K fits into one block, and if K is deeper.
inline constexpr int64_t kSlicedBytes = 1536, kSlicedAgainBytes = 1152;
// A block is a whole number of AMX tiles, with two slices and with three, and two panels fit into kNestPanel.
static_assert(kSlicedBytes <= kNestDepthBytes / 2 && kSlicedBytes % (3 * kAmxRowBytes) == 0 &&
              kSlicedAgainBytes % (3 * kAmxRowBytes) == 0);

// Bytes of a row of `a` per block of a nest with AMX. For bf16, they are so few that a panel stays in the L1 cache, unless `a`
// or `b` is transposed: larger blocks take less time then.
inline int64_t amxBlockBytes(ProductStyle style, int64_t rows, bool transposed) {
  if (style == ProductStyle::TilesSliced) return kSlicedBytes;
  constexpr int64_t kPanelStays = 1024, kFewRows = 128;
  int64_t staged = nestStagedBytes(rows, kFewRows);
  return style == ProductStyle::TilesBf16 && !transposed ? std::min(staged, kPanelStays) : staged;
}

// The maximum number of bytes of a row of `a` per block of a nest. If a row of a panel has less than two cache lines (with
// AVX2, or with few columns and AVX-512), the panel is about as large as an L1 cache; a panel of one and a half lines has as
// many steps as one of a single line. Wider panels are read from the L2 cache. `bytes`: the size of an element or a word.
inline int64_t mostBlockBytes(RegisterTile tile, int64_t bytes, const CpuTuning &tuning) {
  const int64_t cache = tuning.l1PowerOfTwo(), pitch = tile.vectors * tile.lanes * bytes;
  return pitch < 2 * kCacheLine ? std::min(kNestDepthBytes, std::max(cache / kCacheLine, cache / pitch) * bytes)
                                : kNestDepthBytes;
}

// The register tile of a nest. For sums of floats in 16 registers it is 4x24, which takes 19 instructions and 7 loads for 12
// products; 6x16 takes 20 and 8. Integers and words need one more register for the product, so they do not use 4x24. Columns
// that are left over by panels of three registers take one or two narrow tiles of two registers (NestPlan::endsByTwoNarrow);
// with four registers of columns, all tiles would be narrow. Narrow tiles have 6 rows, because the 8 sums of 4 rows barely keep
// two multipliers busy.
inline RegisterTile nestTile(const CpuInfo &cpu, ProductStyle style, Elem elem, int64_t rows, int64_t columns) {
  if (usesTiles(style)) return amxTile(cpu);
  RegisterTile tile = registerTile(cpu, elem, rows, columns);
  const bool fits = cpu.fma && cpu.vectorRegisters == 16 && style == ProductStyle::Elements && isFloat(elem);
  const int64_t vectors = (columns + tile.lanes - 1) / tile.lanes;
  if (!fits || vectors < 3 || vectors == 4) return tile;
  auto atMost = [&](int64_t most) { return static_cast<int>(std::min(most, rows)); };
  return {atMost(4), 3, tile.lanes, 2 * kStepsEachTurn, rows > 2 ? 2 : 0, atMost(6)};
}

inline ProductStyle productStyle(const CpuInfo &cpu, const Op &nest) {
  Type sum = nest.result()->type();
  return productStyle(cpu, nest.operand(0)->type().elem(), nest.operand(1)->type().elem(), sum.extent(0), sum.extent(1));
}
inline RegisterTile nestTile(const CpuInfo &cpu, const Op &nest) {
  Type sum = nest.result()->type();
  return nestTile(cpu, productStyle(cpu, nest), mmaElem(nest.operand(0)->type().elem()), sum.extent(0), sum.extent(1));
}

// Whether operand `a` (0) or `b` (1) of a nest is transposed in memory: its rows in memory run along the other dimension than
// in the product.
inline bool isTransposed(const Op &nest, size_t operand) {
  const bool transposes = operand == 0 ? NestOp(nest).transposeA() : NestOp(nest).transposeB();
  return transposes != (nest.operand(operand)->type().data().order == Order::ColumnMajor);
}

// Whether elements of `a` can be converted while multiplying at almost no cost: once per three or four products.
inline bool convertsCheaply(const CpuInfo &cpu, RegisterTile tile) {
  constexpr int kFewVectors = 2;
  return cpu.tuning.hidesConversions && tile.vectors > kFewVectors;
}

// Whether elements of `a` are converted as they are multiplied, again for each panel, instead of once before.
bool convertsElements(const CpuInfo &cpu, const Op &nest);

// Whether the bytes of one operand are biased by 128. vpdpbusd takes one unsigned and one signed operand: if both operands are
// of the same kind, 128 is added to the bytes of one of them, or subtracted if they are unsigned. The sums are corrected: per
// column of `b`, by sums that are known once a panel is packed, if `a` is biased as it is multiplied; otherwise per row of `a`.
inline bool movesBytes(const CpuInfo &cpu, const Op &nest) {
  auto isUnsigned = [&](size_t operand) { return elemInfo(nest.operand(operand)->type().elem()).isUnsigned; };
  return productStyle(cpu, nest) == ProductStyle::DotBytes && isUnsigned(0) == isUnsigned(1);
}

// Whether the biased operand is `a`: it is if it can be biased while multiplying at almost no cost.
inline bool movesLeftBytes(const CpuInfo &cpu, const Op &nest) {
  return movesBytes(cpu, nest) && convertsCheaply(cpu, nestTile(cpu, nest));
}

} // namespace xt
