// The kernel of stdlib/gemm.xt, for any types and with transposed loads.
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "tests/bench/cpu/kernel.h"
#include "tests/bench/cpu/problem.h"

#include <algorithm>

namespace xt::bench {
namespace {

struct Extents {
  int64_t rows, columns;
};
bool slicesFloats() {
  Result<CpuInfo> cpu = ourProcessor();
  return cpu.ok() && cpu->tilesBf16;
}
// Whether AMX multiplies the product, and it is large enough for large tiles to pay.
bool isLargeInTiles(const Cell &c) {
  Result<CpuInfo> cpu = ourProcessor();
  constexpr int64_t kLeastOfF32 = 192, kLeastRowsOfF16 = 17;
  const bool isLarge =
      c.elem == Elem::F32 ? std::min({c.m, c.n, c.k}) >= kLeastOfF32 : c.elem != Elem::F16 || c.m >= kLeastRowsOfF16;
  return cpu.ok() && (isInteger(c.elem) ? cpu->tilesBytes : c.elem != Elem::F64 && isLarge && cpu->tilesBf16);
}
// Whether f16 of a are converted as they are multiplied, if the tile has few columns.
bool convertsElements(const Cell &c) {
  Result<CpuInfo> cpu = ourProcessor();
  return cpu.ok() && c.elem == Elem::F16 && cpu->tuning.hidesConversions;
}
bool hasAvx512() {
  Result<CpuInfo> cpu = ourProcessor();
  return cpu.ok() && cpu->vectorRegisters == 32;
}

// Chooses the tile of a workgroup. Times were measured on an Intel Xeon with AMX where a comment says so, otherwise on a Zen 5.
Extents tileOf(const Cell &c) {
  if (c.m == 1) return {8, 4096}; // whole rows of b are read
  const bool inF32 = c.elem == Elem::F32 || c.elem == Elem::F16;
  // AMX multiplies large products of f32 and f16 as slices of bf16, and each workgroup slices its operands again. f32
  // 1024x1024x1024 with a transposed b takes 0.93 of the time with larger tiles.
  if (isLargeInTiles(c) && inF32 && c.m >= 1024 && c.n >= 1024) return {512, 1024};
  // If c has few columns, the overhead of a workgroup takes longer than its products, so it gets more rows: 2 to 4% faster for
  // bf16 and bytes of 8192x64x64; with AVX2 1 to 3% for all types.
  constexpr int64_t kFewColumns = 64, kRows = 1024;
  // AMX is so fast that packing takes much of the time: b is packed for more rows, and a for more columns.
  if (isLargeInTiles(c)) return {c.n <= kFewColumns ? kRows : 256, c.turnA ? 1024 : 512};
  // A transposed a is packed for as many columns as possible, in multiples of the 6 rows of a register tile: 3% faster than 64
  // rows for f32 1024x1024x1024, and less for f64 with two threads (Intel Xeon with AMX).
  if (c.turnA) return {inF32 ? 192 : 64, 1024};
  if (c.n <= kFewColumns) return {kRows, 256};
  const bool isFewByMany = c.m <= 144 && c.n > 256;
  // f16 that is converted before it is multiplied: a is converted for as many columns as possible. Up to 1024 columns are
  // divided into two blocks for two threads: 1000x1000x1000 takes 0.94 of the time. Larger products have more rows, because b,
  // which may be larger than the L3 cache after the conversion, is read again for each block of rows: 2048x2048x2048 and
  // 4096x4096x4096 take 0.985 of the time, with AVX2 too. f16 that is converted while it is multiplied uses the tiles of f32
  // instead.
  if (c.elem == Elem::F16 && (isFewByMany || !convertsElements(c)))
    return {std::min(c.m, c.n) > 1024 ? 256 : 128, c.m >= 256 && c.n <= 1024 ? 512 : 1024};
  // A product of few rows has few workgroups, which are divided by columns for two threads: 3 to 5% faster for 37x1111x513,
  // 64x2048x2048 and 64x4096x4096. Tiles of 8 rows have no sums for more rows.
  if (isFloat(c.sum()) && c.elem == c.sum() && isFewByMany)
    return {c.m <= 8 ? 8 : slicesFloats() && c.elem == Elem::F32 ? 144 : 256, 1024};
  // Fewer rows of f64 leave more of the L2 cache to other data. With AVX2 they are packed for many columns, which makes
  // 1024x1024x1024 5 to 10% faster.
  if (c.elem == Elem::F64 && std::min(c.m, c.n) > 256) return {128, hasAvx512() || c.n <= 512 ? 256 : 1024};
  // Up to 512 rows of f32 are computed by one workgroup, which need not share what it packs: 3% faster for 512x512x512. With
  // AVX-512, tiles of more rows have 512 as well: 2048x2048x2048 takes 0.985 of the time, 4096x4096x4096 0.99; with AVX2 1.02.
  return {inF32 && c.m > 256 && (c.m <= 512 || hasAvx512()) ? 512 : 256, 256};
}

KernelText kernelText(const Problem &p, Extents tileOfC) {
  auto tile = [](const char *letter, bool turned, const Matrix &matrix, const char *row, const char *column,
                 const std::string &shape) {
    return str("  %t", letter, " = init_tile %", letter,
               turned ? str("[", column, ", ", row, "]") : str("[", row, ", ", column, "]"), " -> tile<", shape, "x",
               elemName(matrix.elem), ">\n");
  };
  auto load = [](const char *letter, bool turned) {
    return str("    %v", letter, " = load_tile %t", letter, turned ? " {transpose = [1, 0]}" : "", "\n");
  };
  auto move = [](const char *letter, bool down) {
    return str("    %t", letter, " = update_tile_offset %t", letter, down ? ", 32, 0" : ", 0, 32", "\n");
  };
  const Cell &c = p.cell;
  auto [rows, columns] = tileOfC;
  std::string ofA = c.turnA ? str("32x", rows) : str(rows, "x32"), ofB = c.turnB ? str(columns, "x32") : str("32x", columns);
  std::string ofC = str(rows, "x", columns, "x", elemName(c.sum()));
  return {"gemm.xt",
          str("kernel @gemm(%a: memref<?x?x", elemName(p.a.elem), ">, %b: memref<?x?x", elemName(p.b.elem),
              ">, %c: memref<?x?x", elemName(c.sum()), ">)\n    grid (%i = 0 to dim(%c, 0) step ", rows,
              ", %j = 0 to dim(%c, 1) step ", columns, ") {\n", tile("a", c.turnA, p.a, "%i", "0", ofA),
              tile("b", c.turnB, p.b, "0", "%j", ofB), "  %acc = constant ", isFloat(c.sum()) ? "0.0" : "0", " : vector<", ofC,
              ">\n  for %k = 0 to dim(%a, ", c.turnA ? 0 : 1, ") step 32 {\n", load("a", c.turnA), load("b", c.turnB),
              "    %acc = tile_mma %va, %vb, %acc\n", move("a", c.turnA), move("b", !c.turnB),
              "  }\n  %tc = init_tile %c[%i, %j] -> tile<", ofC, ">\n  store_tile %acc, %tc\n}\n"),
          "gemm"};
}

} // namespace

std::vector<double> compileSeconds(const Problem &problem, int times, std::string &why) {
  std::vector<KernelText> kernels;
  Extents tile = tileOf(problem.cell);
  for (int i = 0; i < times; ++i) kernels.push_back(kernelText(problem, {tile.rows + 32 * i, tile.columns + 64 * (i % 3)}));
  return secondsOfCompiling(kernels, why);
}

void addOurs(const Problem &problem, int threads, std::vector<Side> &sides, std::string &why) {
  Side side{"xt", makeMatrix(problem.cell.sum(), problem.cell.m, problem.cell.n), {}};
  side.call = launchOf(kernelText(problem, tileOf(problem.cell)),
                       {argument(problem.a), argument(problem.b), argument(side.result)}, threads, why);
  if (side.call) sides.push_back(std::move(side));
}

} // namespace xt::bench
