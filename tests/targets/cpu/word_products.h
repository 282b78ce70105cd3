// Products of bf16 and bytes, as nests or as single tile_mma ops, for tests on each kind of processor.
#pragma once
#include "ir/elem_kinds.h"
#include "passes/form_nests.h"
#include "tests/targets/cpu/compare.h"
#include "tests/targets/cpu/product_loop.h"

#include <algorithm>

namespace xt {

struct Processor {
  const char *name;
  const char *bf16, *bytes; // the instructions that multiply
};
inline constexpr Processor kProcessors[] = {{"sapphirerapids", "tdpbf16ps", "tdpb"},
                                            {"znver4", "vdpbf16ps", "vpdpbusd"},
                                            {"cascadelake", "vfmadd", "vpdpbusd"},
                                            {"alderlake", "vfmadd", "vpdpbusd"},
                                            {"haswell", "vfmadd", "vpmaddwd"}};

// Returns the processors of the table whose code this machine can run; if there are none, this machine. processors_test.cc
// reports the others as skipped.
inline std::vector<CpuInfo> runnable() {
  std::vector<CpuInfo> found;
  for (const Processor &processor : kProcessors)
    if (Result<CpuInfo> info = cpuInfo(processor.name); info.ok() && hostCanRun(*info)) found.push_back(*info);
  if (found.empty()) found.push_back(processors().front());
  // Products of bytes by dot products move either the bytes of A by 128, or those of B. A second processor with this property
  // inverted covers both cases.
  auto isVnni = [](const CpuInfo &cpu) { return cpu.dotBytes && !cpu.tilesBytes && cpu.vectorRegisters == 32; };
  if (auto at = std::find_if(found.begin(), found.end(), isVnni); at != found.end()) {
    CpuInfo other = *at;
    other.tuning.hidesConversions = !at->tuning.hidesConversions;
    found.push_back(other);
  }
  return found;
}

struct Product {
  Elem a, b;
  std::vector<int64_t> sizes; // rows and columns of the result, and K
  GemmShape tile;
  bool transposeA = false, transposeB = false, adds = false;
  bool nests = true;
};

inline void make(KernelMaker &m, const Product &p) {
  Elem sum = isInteger(p.a) ? Elem::I32 : Elem::F32;
  Value *a = m.param(m.matrix(p.a)), *b = m.param(m.matrix(p.b)), *c = m.param(m.matrix(sum));
  Value *i = m.gridOver(2, 0, p.tile.rows), *j = m.gridOver(2, 1, p.tile.columns), *zero = m.index(0),
        *step = m.index(p.tile.depth);
  auto tile = [&](Value *matrix, bool transposed, Value *row, Value *column, int64_t rows, int64_t columns) {
    return transposed ? m.tile(matrix, {column, row}, {columns, rows}) : m.tile(matrix, {row, column}, {rows, columns});
  };
  Value *ta = tile(a, p.transposeA, i, zero, p.tile.rows, p.tile.depth),
        *tb = tile(b, p.transposeB, zero, j, p.tile.depth, p.tile.columns);
  Value *tc = m.tile(c, {i, j}, {p.tile.rows, p.tile.columns});
  Type type = m.context.vector({p.tile.rows, p.tile.columns}, sum);
  Value *acc = p.adds ? m.load(tc) : isFloat(sum) ? m.b.constantFloat(type, 0) : m.b.constantInt(type, 0);
  Value *depth = m.dim(a, p.transposeA ? 0 : 1);
  Value *result = multiplyAlongK(m, {ta, tb, p.transposeA, p.transposeB, zero, depth, step, acc});
  m.store(result, tc);
  if (!p.nests) return;
  Diagnostics diagnostics;
  ASSERT_TRUE(formNests(m.module, diagnostics).ok());
}

// Fills an array with numbers whose products and sums are exact in any order, times `scale`.
inline void fill(Array &array, int64_t seed, double scale) {
  int64_t state = seed;
  array.forEach([&](const std::vector<int64_t> &index) {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    int64_t number = state >> 16;
    array.set(index,
              isInteger(array.elem()) ? static_cast<double>(number % 256) : static_cast<double>(number % 16 - 8) * scale);
  });
}

inline void expectRight(const Product &p, double scaleA = 1, double scaleB = 1, const std::vector<CpuInfo> &cpus = runnable(),
                        int threads = 1) {
  KernelMaker m;
  make(m, p);
  auto array = [&](Elem elem, int64_t rows, int64_t columns, bool transposed, int64_t seed, double scale) {
    if (transposed) std::swap(rows, columns);
    auto made = std::make_unique<Array>(elem, std::vector<int64_t>{rows, columns}, 3);
    fill(*made, seed, scale);
    return made;
  };
  auto a = array(p.a, p.sizes[0], p.sizes[2], p.transposeA, 1, scaleA),
       b = array(p.b, p.sizes[2], p.sizes[1], p.transposeB, 2, scaleB);
  auto c = array(isInteger(p.a) ? Elem::I32 : Elem::F32, p.sizes[0], p.sizes[1], false, 3, scaleA * scaleB);
  expectAsInterpreter(m.module, *m.kernel, {{a.get(), {}}, {b.get(), {}}, {c.get(), {}}}, {}, cpus, {}, threads);
}

} // namespace xt
