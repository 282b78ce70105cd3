// Tests nests of floats that AMX multiplies as sums of bf16. With AMX the results equal those of other processors.
#include "ir/elem_kinds.h"
#include "targets/cpu/emit.h"
#include "tests/targets/cpu/word_products.h"

#include <functional>

namespace xt {
namespace {

constexpr GemmShape kLarge{256, 512, 32}; // f32 is sliced if C has at least this many rows and columns
using Filler = std::function<void(Array &)>;

struct Shape {
  int64_t rows, columns, depth;
};

Product productOf(Elem elem, Shape shape, int order = 0, bool adds = false) {
  const GemmShape tile = elem == Elem::F32 ? kLarge : GemmShape{64, 128, 32};
  return {.a = elem,
          .b = elem,
          .sizes = {shape.rows, shape.columns, shape.depth},
          .tile = tile,
          .transposeA = (order & 1) != 0,
          .transposeB = (order & 2) != 0,
          .adds = adds};
}

struct Matrices {
  Array a, b, c;
  explicit Matrices(const Product &p)
      : a(matrix(p.a, p.sizes[0], p.sizes[2], p.transposeA)), b(matrix(p.b, p.sizes[2], p.sizes[1], p.transposeB)),
        c(matrix(Elem::F32, p.sizes[0], p.sizes[1], false)) {}

private:
  static Array matrix(Elem elem, int64_t rows, int64_t columns, bool transposed) {
    if (transposed) std::swap(rows, columns);
    return Array(elem, {rows, columns}, 3);
  }
};

void expectProduct(const Product &p, const Filler &fillA, const Filler &fillB, int threads = 1) {
  KernelMaker m;
  make(m, p);
  Matrices x(p);
  fillA(x.a), fillB(x.b), fill(x.c, 3, 1);
  expectAsInterpreter(m.module, *m.kernel, {{&x.a, {}}, {&x.b, {}}, {&x.c, {}}}, {}, runnable(), {}, threads);
}

// Fills an array with integers of `bits` bits, times `scale`.
Filler wholes(int bits, uint64_t seed, double scale = 1) {
  return [=](Array &array) {
    RandomNumbers random(seed);
    const int64_t most = (int64_t{1} << bits) - 1;
    array.forEach(
        [&](const std::vector<int64_t> &index) { array.set(index, static_cast<double>(random.between(-most, most)) * scale); });
  };
}

// Fills an array with the values of `others`, except for one element.
Filler withOne(Filler others, std::vector<int64_t> at, double value) {
  return [=](Array &array) {
    others(array);
    array.set(at, value);
  };
}

// All sums are integers of at most 24 bits. The elements of A, of B or of both have more bits than one slice, or two, can hold.
struct Bits {
  int a, b;
  int64_t depth;
};
std::vector<Bits> bitsOf(Elem elem) {
  if (elem == Elem::F32) return {{19, 3, 4}, {3, 19, 4}, {12, 9, 5}, {15, 1, 200}};
  return {{11, 6, 70}, {6, 11, 70}, {11, 11, 3}, {9, 1, 900}};
}

TEST(CpuNestSlices, EverySliceInEveryOrder) {
  for (Elem elem : {Elem::F32, Elem::F16, Elem::TF32})
    for (Bits bits : bitsOf(elem))
      for (int order = 0; order < 4; ++order) {
        SCOPED_TRACE(str(elemName(elem), " ", bits.a, " ", bits.b, " ", order));
        expectProduct(productOf(elem, {40, 75, bits.depth}, order, order == 2), wholes(bits.a, 1), wholes(bits.b, 2));
      }
}

// The sizes cover half and full tiles of rows, one panel and two, and parts of registers. One or two rows sweep over B.
TEST(CpuNestSlices, RowsAndColumns) {
  for (Elem elem : {Elem::F32, Elem::F16})
    for (int64_t rows : {1, 2, 3, 16, 17, 33, 64})
      for (int64_t columns : {5, 33, 64, 70, 130}) {
        if (elem == Elem::F32 && columns != (rows % 2 ? 70 : 33)) continue; // the interpreter takes long
        SCOPED_TRACE(str(elemName(elem), " ", rows, " ", columns));
        expectProduct(productOf(elem, {rows, columns, 31 + rows}, 0, rows == 3), wholes(10, 1), wholes(6, 2),
                      rows == 64 ? 3 : 1);
      }
}

TEST(CpuNestSlices, BlocksOfK) {
  for (int64_t depth : {32, 33, 191, 384, 390, 700})
    for (bool adds : {false, true}) {
      SCOPED_TRACE(str(depth, adds ? " more" : ""));
      expectProduct(productOf(Elem::F16, {40, 70, depth}, 0, adds), wholes(8, 1), wholes(3, 2));
      expectProduct(productOf(Elem::TF32, {40, 70, depth}, 3, adds), wholes(8, 1), wholes(3, 2), 3);
    }
  for (int64_t depth : {256, 257, 400})
    expectProduct(productOf(Elem::F32, {40, 70, depth}, 0, depth == 400), wholes(10, 1), wholes(4, 2));
  expectProduct(productOf(Elem::F32, {300, 600, 40}), wholes(10, 1), wholes(6, 2), 3);
}

// If an element of A or B has no slices, its row or column of the result is computed in floats.
TEST(CpuNestSlices, WhatHasNoSlices) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double kNumbers[] = {kInfinity,      -kInfinity, std::numeric_limits<double>::quiet_NaN(),
                             0x1p-140,       0x1p-149,   0x1.8p-112,
                             0x1.fffffep127, -0x1p-126};
  for (double number : kNumbers)
    for (int order = 0; order < 4; ++order) {
      SCOPED_TRACE(str(number, " ", order));
      Product p = productOf(Elem::F32, {40, 70, 37}, order);
      auto place = [](bool transposed, int64_t row, int64_t column) {
        return transposed ? std::vector<int64_t>{column, row} : std::vector<int64_t>{row, column};
      };
      Filler some = wholes(10, 1), few = wholes(1, 2);
      expectProduct(p, withOne(some, place(p.transposeA, 33, 36), number), few);
      expectProduct(p, few, withOne(some, place(p.transposeB, 36, 50), number));
    }
  for (double number : {kInfinity, 65504.0, 0x1p-24})
    expectProduct(productOf(Elem::F16, {40, 70, 37}), withOne(wholes(3, 1), {20, 30}, number), wholes(1, 2));
  // These rows sweep over B, and there are no other elements that would hide a small one.
  auto zeros = [](Array &array) { array.forEach([&](const std::vector<int64_t> &index) { array.set(index, 0); }); };
  for (double number : {kInfinity, 0x1p-140, 0x1.234564p-110})
    for (int64_t rows : {1, 2, 3})
      for (int64_t depth : {37, 64, 300})
        expectProduct(productOf(Elem::F32, {rows, 70, depth}), withOne(zeros, {0, 21}, number), wholes(4, 2));
}

// Tests numbers of 2^-107 and more whose last slices AMX would treat as 0, and numbers of 2^-61 whose last products AMX would
// flush to 0.
TEST(CpuNestSlices, LastSlicesThatAreNotNormal) {
  auto odd = [](double scale) {
    return [=](Array &array) {
      RandomNumbers random(7);
      array.forEach([&](const std::vector<int64_t> &index) {
        array.set(index, static_cast<double>(2 * random.between(1 << 18, (1 << 19) - 1) + 1) * scale);
      });
    };
  };
  for (int exponent : {-128, -124, -123, -120})
    expectProduct(productOf(Elem::F32, {40, 70, 3}), odd(std::ldexp(1.0, exponent)), wholes(2, 2, 0x1p40));
  auto twelve = [](double scale) {
    return [=](Array &array) {
      RandomNumbers random(8);
      array.forEach([&](const std::vector<int64_t> &index) {
        array.set(index, static_cast<double>(2 * random.between(1 << 10, (1 << 11) - 1) + 1) * scale);
      });
    };
  };
  for (int exponent : {-70, -64, -63, -62, -60})
    expectProduct(productOf(Elem::F32, {40, 70, 1}), twelve(std::ldexp(1.0, exponent)), twelve(0x1p-63));
}

TEST(CpuNestSlices, ManyBlocksOfWhatHasNoSlices) {
  for (bool adds : {false, true})
    expectProduct(productOf(Elem::F32, {40, 70, 600}, 0, adds),
                  withOne(wholes(10, 1), {33, 590}, std::numeric_limits<double>::infinity()), wholes(1, 2));
  for (int order = 0; order < 4; ++order)
    expectProduct(productOf(Elem::TF32, {70, 150, 700}, order), wholes(8, 1, 0x1p-70), wholes(3, 2, 0x1p-60), 2);
}

// A has more columns than B has rows. The missing rows of B count as 0, and infinity times 0 is NaN.
TEST(CpuNestSlices, BEndsFirst) {
  Product p = productOf(Elem::F16, {40, 70, 100});
  KernelMaker m;
  make(m, p);
  Array a(Elem::F16, {40, 100}), b(Elem::F16, {60, 70}), c(Elem::F32, {40, 70});
  wholes(5, 1)(a), wholes(5, 2)(b), fill(c, 3, 1);
  expectAsInterpreter(m.module, *m.kernel, {{&a, {}}, {&b, {}}, {&c, {}}}, {}, runnable());
  a.set({20, 90}, std::numeric_limits<double>::infinity());
  expectAsInterpreter(m.module, *m.kernel, {{&a, {}}, {&b, {}}, {&c, {}}}, {}, runnable());
}

// AMX would flush these products to 0.
TEST(CpuNestSlices, ProductsThatAreNotNormal) {
  for (auto [a, b] :
       {std::pair{0x1p-75, 0x1p-60}, {0x1p-40, 0x1p-40}, {0x1p-38, 0x1p-40}, {0x1p-100, 0x1p60}, {0x1p-105, 0x1p60}})
    for (bool adds : {false, true}) {
      SCOPED_TRACE(str(a, " ", b));
      Product p = productOf(Elem::F32, {40, 70, 40}, 0, adds);
      KernelMaker m;
      make(m, p);
      Matrices x(p);
      wholes(7, 1, a)(x.a), wholes(7, 2, b)(x.b), fill(x.c, 3, a * b);
      expectAsInterpreter(m.module, *m.kernel, {{&x.a, {}}, {&x.b, {}}, {&x.c, {}}}, {}, runnable());
    }
}

// The floats use all their bits. The result must be no farther from the exact sum than a sum of products in f32; for one
// product, the error must be hardly larger than that of rounding.
TEST(CpuNestSlices, RoundsLikeF32) {
  constexpr double kHalfUlp = 0x1p-24;
  for (int64_t depth : {1, 2, 300})
    for (const CpuInfo &cpu : runnable()) {
      Product p = productOf(Elem::F32, {48, 70, depth});
      KernelMaker m;
      make(m, p);
      Matrices x(p);
      RandomNumbers random(5);
      for (Array *array : {&x.a, &x.b})
        array->forEach([&](const std::vector<int64_t> &index) {
          array->set(index, std::ldexp(static_cast<double>(random.between(-(1 << 24) + 1, (1 << 24) - 1)),
                                       static_cast<int>(random.between(-30, -20))));
        });
      Diagnostics diagnostics;
      auto executable = compileForCpu(m.module, cpu, {}, diagnostics);
      ASSERT_TRUE(executable.ok());
      std::vector<LaunchArg> args{x.a.arg(), x.b.arg(), x.c.arg()};
      ASSERT_TRUE((*executable)->launch(*m.kernel, args, *computeGrid(*m.kernel, args)).ok());
      double worst = 0;
      x.c.forEach([&](const std::vector<int64_t> &index) {
        double sum = 0, magnitude = 0;
        for (int64_t k = 0; k < depth; ++k) {
          double product = x.a.number({index[0], k}) * x.b.number({k, index[1]});
          sum += product, magnitude += std::fabs(product);
        }
        worst = std::max(worst, std::fabs(x.c.number(index) - sum) / (kHalfUlp * magnitude));
      });
      // The error of sums of 300 products is 10.9 by vfmadd, and 1.9 by slices, whose largest products come last.
      EXPECT_LE(worst, depth == 1 ? 1.02 : depth == 2 ? 2 : cpu.tilesBf16 ? 4 : 16) << cpu.name << " " << depth;
      EXPECT_GT(worst, 0.5) << "of the bound, so that this can fail";
    }
}

// If x = h + 1 and 1 is the last slice of x, then x * x - x * h - h * 1 is 1: only the product of the last two slices remains.
// Processors without AMX round the sums of products.
TEST(CpuNestSlices, NoProductIsLeftOut) {
  constexpr double kUpper = (1 << 18) + (1 << 9), kAll = kUpper + 1;
  std::vector<CpuInfo> cpus = runnable();
  std::erase_if(cpus, [](const CpuInfo &cpu) { return !cpu.tilesBf16; });
  if (cpus.empty()) GTEST_SKIP() << "this machine has no amx-bf16";
  for (const CpuInfo &cpu : cpus) {
    Product p = productOf(Elem::F32, {20, 40, 3});
    KernelMaker m;
    make(m, p);
    Matrices x(p);
    const double a[] = {kAll, -kAll, -kUpper}, b[] = {kAll, kUpper, 1};
    x.a.forEach([&](const std::vector<int64_t> &index) { x.a.set(index, a[index[1]]); });
    x.b.forEach([&](const std::vector<int64_t> &index) { x.b.set(index, b[index[0]]); });
    Diagnostics diagnostics;
    auto executable = compileForCpu(m.module, cpu, {}, diagnostics);
    ASSERT_TRUE(executable.ok());
    std::vector<LaunchArg> args{x.a.arg(), x.b.arg(), x.c.arg()};
    ASSERT_TRUE((*executable)->launch(*m.kernel, args, *computeGrid(*m.kernel, args)).ok());
    x.c.forEach([&](const std::vector<int64_t> &index) { EXPECT_EQ(x.c.number(index), 1); });
  }
}

TEST(CpuNestSlices, WhereTheyAreMultiplied) {
  auto hasTiles = [](Elem elem, GemmShape tile, const char *processor) {
    KernelMaker m;
    make(m, {.a = elem, .b = elem, .sizes = {}, .tile = tile});
    Diagnostics diagnostics;
    Result<std::string> text = emit(m.module, EmitKind::Asm, {processor}, diagnostics);
    return text.ok() && text->find("tdpbf16ps") != std::string::npos;
  };
  EXPECT_TRUE(hasTiles(Elem::F32, kLarge, "sapphirerapids"));
  EXPECT_FALSE(hasTiles(Elem::F32, {255, 512, 32}, "sapphirerapids"));
  EXPECT_FALSE(hasTiles(Elem::F32, {256, 511, 32}, "sapphirerapids"));
  EXPECT_FALSE(hasTiles(Elem::F64, kLarge, "sapphirerapids"));
  for (Elem elem : {Elem::F16, Elem::TF32}) {
    EXPECT_TRUE(hasTiles(elem, {32, 64, 32}, "sapphirerapids"));
    EXPECT_FALSE(hasTiles(elem, {32, 64, 32}, "znver4"));
  }
}

// There were 2051 instructions when this was written.
TEST(CpuNestSlices, InstructionCountDoesNotDependOnTheTile) {
  std::vector<size_t> counts;
  for (GemmShape tile : {kLarge, GemmShape{512, 1024, 32}}) {
    KernelMaker m;
    make(m, {.a = Elem::F32, .b = Elem::F32, .sizes = {}, .tile = tile});
    Diagnostics diagnostics;
    Result<size_t> count = instructionCount(m.module, {"sapphirerapids"}, diagnostics);
    ASSERT_TRUE(count.ok());
    counts.push_back(*count);
  }
  EXPECT_EQ(counts[0], counts[1]);
  EXPECT_LE(counts[0], 2200u);
}

} // namespace
} // namespace xt
