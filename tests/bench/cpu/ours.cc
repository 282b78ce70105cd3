// Our side of a product: the kernel of stdlib/gemm.xt for any types, with transposed loads and chosen tile sizes.
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
// Whether AMX multiplies the product and the product is so large that large tiles are faster.
bool isLargeInTiles(const Cell &c) {
  Result<CpuInfo> cpu = ourProcessor();
  constexpr int64_t kLeastOfF32 = 192, kLeastRowsOfF16 = 17;
  const bool isLarge =
      c.elem == Elem::F32 ? std::min({c.m, c.n, c.k}) >= kLeastOfF32 : c.elem != Elem::F16 || c.m >= kLeastRowsOfF16;
  return cpu.ok() && (isInteger(c.elem) ? cpu->tilesBytes : c.elem != Elem::F64 && isLarge && cpu->tilesBf16);
}
// Whether a tile with few columns converts the f16 elements of A while it multiplies them.
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
  if (c.m == 1) return {8, 4096}; // whole rows of B are read
  const bool inF32 = c.elem == Elem::F32 || c.elem == Elem::F16;
  // AMX multiplies large products of f32 and f16 as slices of bf16, and each workgroup slices its operands again. With larger
  // tiles, f32 1024x1024x1024 with a transposed B takes 0.93 of the time.
  if (isLargeInTiles(c) && inF32 && c.m >= 1024 && c.n >= 1024) return {512, 1024};
  // If C has few columns, the overhead of a workgroup takes longer than its products, so a workgroup gets more rows. This is 2
  // to 4% faster for bf16 and bytes of 8192x64x64, and 1 to 3% for all types with AVX2.
  constexpr int64_t kFewColumns = 64, kRows = 1024;
  // AMX is so fast that packing takes much of the time: B is packed for more rows, and A for more columns.
  if (isLargeInTiles(c)) return {c.n <= kFewColumns ? kRows : 256, c.turnA ? 1024 : 512};
  // A transposed A is packed for as many columns as possible, in multiples of the 6 rows of a register tile. For f32
  // 1024x1024x1024 this is 3% faster than 64 rows; for f64 with two threads the gain is smaller (Intel Xeon with AMX).
  if (c.turnA) return {inF32 ? 192 : 64, 1024};
  if (c.n <= kFewColumns) return {kRows, 256};
  const bool isFewByMany = c.m <= 144 && c.n > 256;
  // If f16 is converted before it is multiplied, A is converted for as many columns as possible. Up to 1024 columns are divided
  // into two blocks for two threads: 1000x1000x1000 takes 0.94 of the time. Larger products have tiles of more rows, because
  // each block of rows reads B again, which may exceed the L3 cache after the conversion: 2048x2048x2048 and 4096x4096x4096
  // take 0.985 of the time, with AVX2 too. If f16 is converted while it is multiplied, the tiles of f32 are used instead.
  if (c.elem == Elem::F16 && (isFewByMany || !convertsElements(c)))
    return {std::min(c.m, c.n) > 1024 ? 256 : 128, c.m >= 256 && c.n <= 1024 ? 512 : 1024};
  // A product of few rows has few workgroups, which are divided by columns for two threads: 3 to 5% faster for 37x1111x513,
  // 64x2048x2048 and 64x4096x4096. A tile of 8 rows avoids accumulators for rows that do not exist.
  if (isFloat(c.sum()) && c.elem == c.sum() && isFewByMany)
    return {c.m <= 8 ? 8 : slicesFloats() && c.elem == Elem::F32 ? 144 : 256, 1024};
  // For f64, fewer rows leave more of the L2 cache to other data. With AVX2, rows are packed for many columns, which makes
  // 1024x1024x1024 5 to 10% faster.
  if (c.elem == Elem::F64 && std::min(c.m, c.n) > 256) return {128, hasAvx512() || c.n <= 512 ? 256 : 1024};
  // One workgroup computes up to 512 rows of f32, so that no other workgroup needs the panels that it packs: 3% faster for
  // 512x512x512. With AVX-512, products of more rows also have tiles of 512 rows: 2048x2048x2048 takes 0.985 of the time and
  // 4096x4096x4096 0.99. With AVX2 they would take 1.02.
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
