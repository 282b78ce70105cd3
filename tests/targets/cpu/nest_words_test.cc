// Nests that multiply bf16 and bytes by instructions of their own: each kind of processor, the same results.
#include "passes/form_nests.h"
#include "targets/cpu/emit.h"
#include "tests/targets/cpu/compare.h"

namespace xt {
namespace {

struct Processor {
  const char *name;
  const char *bf16, *bytes; // the instructions that multiply
};
constexpr Processor kProcessors[] = {{"sapphirerapids", "tdpbf16ps", "tdpb"},
                                     {"znver4", "vdpbf16ps", "vpdpbusd"},
                                     {"cascadelake", "vfmadd", "vpdpbusd"},
                                     {"alderlake", "vfmadd", "vpdpbusd"},
                                     {"haswell", "vfmadd", "vpmulld"}};

std::vector<CpuInfo> runnable() {
  std::vector<CpuInfo> found;
  for (const Processor &processor : kProcessors)
    if (Result<CpuInfo> info = cpuInfo(processor.name); info.ok() && hostCanRun(*info)) found.push_back(*info);
  return found;
}

struct Product {
  Elem a, b;
  std::vector<int64_t> sizes; // of the result, and K
  GemmShape tile;
  bool turnA = false, turnB = false, adds = false;
};

void make(KernelMaker &m, const Product &p) {
  Elem sum = isInteger(p.a) ? Elem::I32 : Elem::F32;
  Value *a = m.param(m.matrix(p.a)), *b = m.param(m.matrix(p.b)), *c = m.param(m.matrix(sum));
  Value *i = m.gridOver(2, 0, p.tile.rows), *j = m.gridOver(2, 1, p.tile.columns), *zero = m.index(0), *step = m.index(p.tile.depth);
  auto tile = [&](Value *matrix, bool turned, Value *row, Value *column, int64_t rows, int64_t columns) {
    return turned ? m.tile(matrix, {column, row}, {columns, rows}) : m.tile(matrix, {row, column}, {rows, columns});
  };
  Value *ta = tile(a, p.turnA, i, zero, p.tile.rows, p.tile.depth), *tb = tile(b, p.turnB, zero, j, p.tile.depth, p.tile.columns);
  Value *tc = m.tile(c, {i, j}, {p.tile.rows, p.tile.columns});
  Type type = m.context.vector({p.tile.rows, p.tile.columns}, sum);
  Value *acc = p.adds ? m.load(tc) : isFloat(sum) ? m.b.constantFloat(type, 0) : m.b.constantInt(type, 0);
  Value *depth = m.dim(a, p.turnA ? 0 : 1);
  Value *result = m.loop(zero, depth, step, {acc, ta, tb}, [&](Value *, std::vector<Value *> in) {
    Value *x = p.turnA ? m.loadTransposed(in[1]) : m.load(in[1]), *y = p.turnB ? m.loadTransposed(in[2]) : m.load(in[2]);
    auto moved = [&](Value *moving, bool down) { return m.move(moving, down ? step : zero, down ? zero : step); };
    return std::vector<Value *>{m.mma(x, y, in[0], sum), moved(in[1], p.turnA), moved(in[2], !p.turnB)};
  })[0];
  m.store(result, tc);
  Diagnostics diagnostics;
  ASSERT_TRUE(formNests(m.module, diagnostics).ok());
}

// Numbers whose products and sums are exact in any order, times `scale`.
void fill(Array &array, int64_t seed, double scale) {
  int64_t state = seed;
  array.forEach([&](const std::vector<int64_t> &index) {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    int64_t number = state >> 16;
    array.set(index, isInteger(array.elem()) ? static_cast<double>(number % 256) : static_cast<double>(number % 16 - 8) * scale);
  });
}

void expectRight(const Product &p, double scaleA = 1, double scaleB = 1, const std::vector<CpuInfo> &cpus = runnable(), int threads = 1) {
  KernelMaker m;
  make(m, p);
  auto array = [&](Elem elem, int64_t rows, int64_t columns, bool turned, int64_t seed, double scale) {
    if (turned) std::swap(rows, columns);
    auto made = std::make_unique<Array>(elem, std::vector<int64_t>{rows, columns}, 3);
    fill(*made, seed, scale);
    return made;
  };
  auto a = array(p.a, p.sizes[0], p.sizes[2], p.turnA, 1, scaleA), b = array(p.b, p.sizes[2], p.sizes[1], p.turnB, 2, scaleB);
  auto c = array(isInteger(p.a) ? Elem::I32 : Elem::F32, p.sizes[0], p.sizes[1], false, 3, scaleA * scaleB);
  expectAsInterpreter(m.module, *m.kernel, {{a.get(), {}}, {b.get(), {}}, {c.get(), {}}}, {}, cpus, {}, threads);
}

TEST(CpuNestWords, BytesWithAndWithoutSign) {
  for (Elem a : {Elem::I8, Elem::U8})
    for (Elem b : {Elem::I8, Elem::U8})
      for (bool adds : {false, true}) {
        SCOPED_TRACE(str(elemName(a), " ", elemName(b)));
        expectRight({.a = a, .b = b, .sizes = {70, 101, 333}, .tile = {64, 128, 32}, .adds = adds});
      }
}

TEST(CpuNestWords, EveryOrderInMemory) {
  for (Elem elem : {Elem::BF16, Elem::I8})
    for (int bits = 0; bits < 4; ++bits) {
      SCOPED_TRACE(str(elemName(elem), " ", bits));
      expectRight({.a = elem, .b = elem, .sizes = {45, 75, 143}, .tile = {32, 64, 16}, .turnA = (bits & 1) != 0, .turnB = (bits & 2) != 0});
    }
}

// Whole tiles are read where they lie; others are staged.
TEST(CpuNestWords, WholeTilesAndEdges) {
  for (Elem elem : {Elem::BF16, Elem::U8})
    for (int64_t depth : {1, 63, 64, 1100})
      for (int64_t rows : {32, 33, 64}) {
        SCOPED_TRACE(str(elemName(elem), " ", rows, " ", depth));
        expectRight({.a = elem, .b = elem, .sizes = {rows, 64, depth}, .tile = {64, 64, 64}, .adds = depth == 1100});
      }
  expectRight({.a = Elem::BF16, .b = Elem::BF16, .sizes = {200, 200, 320}, .tile = {64, 64, 32}}, 1, 1, runnable(), 3);
}

// The instructions take these as 0; the language does not.
TEST(CpuNestWords, NumbersThatAreNotNormal) {
  for (auto [a, b] : {std::pair{0x1p-130, 0x1p20}, {0x1p20, 0x1p-130}, {0x1p-70, 0x1p-70}, {0x1p-56, 0x1p-56}, {0x1p-57, 1.0}})
    for (bool adds : {false, true}) {
      SCOPED_TRACE(str(a, " ", b));
      expectRight({.a = Elem::BF16, .b = Elem::BF16, .sizes = {40, 70, 600}, .tile = {64, 64, 32}, .adds = adds}, a, b);
    }
}

TEST(CpuNestWords, NothingToAddUp) {
  for (Elem elem : {Elem::BF16, Elem::I8})
    for (bool adds : {false, true}) expectRight({.a = elem, .b = elem, .sizes = {20, 20, 0}, .tile = {16, 16, 16}, .adds = adds});
}

TEST(CpuNestWords, Instructions) {
  for (const Processor &processor : kProcessors)
    for (Elem elem : {Elem::BF16, Elem::I8}) {
      KernelMaker m;
      make(m, {.a = elem, .b = elem, .sizes = {}, .tile = {256, 256, 32}});
      Diagnostics diagnostics;
      Result<std::string> text = emit(m.module, EmitKind::Asm, {processor.name}, diagnostics);
      ASSERT_TRUE(text.ok());
      EXPECT_NE(text->find(elem == Elem::BF16 ? processor.bf16 : processor.bytes), std::string::npos) << processor.name << " " << elemName(elem);
    }
}

TEST(CpuNestWords, InstructionCountDoesNotDependOnTheTile) {
  for (const Processor &processor : kProcessors)
    for (Elem elem : {Elem::BF16, Elem::I8}) {
      std::vector<size_t> counts;
      for (int64_t size : {64, 128, 512}) {
        KernelMaker m;
        make(m, {.a = elem, .b = elem, .sizes = {}, .tile = {size, size, 32}});
        Diagnostics diagnostics;
        Result<size_t> count = instructionCount(m.module, {processor.name}, diagnostics);
        ASSERT_TRUE(count.ok());
        counts.push_back(*count);
        EXPECT_EQ(counts[0], *count) << processor.name;
      }
      EXPECT_LT(counts[0], 1700u) << processor.name;
    }
}

} // namespace
} // namespace xt
