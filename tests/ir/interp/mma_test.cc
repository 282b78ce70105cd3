#include "ir/interp/mma.h"

#include "ir/elem_kinds.h"
#include "ir/interp/float_ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace xt {
namespace {

std::vector<Number> randomFloats(Elem elem, size_t count, std::mt19937_64 &random) {
  std::vector<Number> values(count);
  for (Number &value : values)
    value.f = roundTo(elem, std::ldexp(static_cast<double>(static_cast<int64_t>(random())), -63) *
                                std::ldexp(1.0, static_cast<int>(random() % 6)));
  return values;
}
std::vector<Number> randomInts(Elem elem, size_t count, std::mt19937_64 &random) {
  std::vector<Number> values(count);
  for (Number &value : values) value.i = wrapTo(elem, static_cast<int64_t>(random()));
  return values;
}

// Computes one element of the result by definition, with the language's rules for sums and products.
double oneElement(Elem operand, Elem result, const MmaExtents &s, const Number *a, const Number *b, double c, size_t row,
                  size_t column) {
  bool narrow = result == Elem::F16 || result == Elem::BF16;
  Elem sum = narrow ? Elem::F32 : result;
  for (size_t k = 0; k < s.depth; ++k) {
    double x = a[row * s.depth + k].f, y = b[k * s.columns + column].f;
    if (operand == Elem::TF32) x = roundTo(Elem::TF32, x), y = roundTo(Elem::TF32, y);
    if (sum == Elem::F64)
      c = std::fma(x, y, c);
    else
      c = roundTo(sum, addToOdd(x * y, c)); // another way to round only once
    if (narrow && (k % 8 == 7 || k + 1 == s.depth)) c = roundTo(result, c);
  }
  return c;
}

TEST(Mma, FloatsRoundEachSumOnce) {
  std::mt19937_64 random(1);
  struct Types {
    Elem operand, result;
  };
  for (Types t : {Types{Elem::F16, Elem::F32},
                  {Elem::BF16, Elem::F32},
                  {Elem::TF32, Elem::F32},
                  {Elem::F32, Elem::F32},
                  {Elem::F64, Elem::F64},
                  {Elem::F8E4M3, Elem::F32},
                  {Elem::F8E5M2, Elem::F32},
                  {Elem::F16, Elem::F16},
                  {Elem::BF16, Elem::BF16},
                  {Elem::F32, Elem::BF16}}) {
    for (int round = 0; round < 30; ++round) {
      MmaExtents s{1 + random() % 7, 1 + random() % 7, random() % 40};
      // A tf32 loaded from memory may use all bits of an f32.
      Elem source = t.operand == Elem::TF32 ? Elem::F32 : t.operand;
      std::vector<Number> a = randomFloats(source, s.rows * s.depth, random);
      std::vector<Number> b = randomFloats(source, s.depth * s.columns, random);
      std::vector<Number> c = randomFloats(t.result, s.rows * s.columns, random), d = c;
      multiplyAccumulate(t.operand, t.result, s, a.data(), b.data(), d.data());
      for (size_t r = 0; r < s.rows; ++r)
        for (size_t n = 0; n < s.columns; ++n)
          ASSERT_EQ(d[r * s.columns + n].f,
                    oneElement(t.operand, t.result, s, a.data(), b.data(), c[r * s.columns + n].f, r, n))
              << elemName(t.operand) << " -> " << elemName(t.result) << " depth " << s.depth;
    }
  }
}

TEST(Mma, RoundingThatTellsOneWayFromAnother) {
  auto run = [](Elem operand, Elem result, std::vector<double> x, std::vector<double> y, double c) {
    std::vector<Number> a, b;
    for (double value : x) a.push_back(floatNumber(value));
    for (double value : y) b.push_back(floatNumber(value));
    Number acc = floatNumber(c);
    multiplyAccumulate(operand, result, {1, 1, x.size()}, a.data(), b.data(), &acc);
    return acc.f;
  };
  // f32: 2^24 + 1 + 1 stays 2^24, because each sum is rounded.
  EXPECT_EQ(run(Elem::F16, Elem::F32, {1, 1}, {1, 1}, 0x1p24), 0x1p24);
  // With an f16 result, 2048 + 8 x 1 is 2056 if rounded once per 8 products, and 2048 if rounded per product.
  EXPECT_EQ(run(Elem::F16, Elem::F16, std::vector<double>(8, 1), std::vector<double>(8, 1), 2048), 2056);
  EXPECT_EQ(run(Elem::F16, Elem::F16, std::vector<double>(9, 1), std::vector<double>(9, 1), 2048), 2056);
  EXPECT_EQ(run(Elem::F16, Elem::F16, std::vector<double>(10, 1), std::vector<double>(10, 1), 2048), 2058);
  // An f16 result overflows when it is rounded, not in the intermediate sum.
  EXPECT_EQ(run(Elem::F16, Elem::F16, {65504, -65504}, {1, 1}, 65504), 65504);
  EXPECT_TRUE(std::isinf(run(Elem::F16, Elem::F16, {65504}, {1}, 65504)));
  // tf32 drops bits that f32 keeps.
  EXPECT_EQ(run(Elem::TF32, Elem::F32, {1 + 0x1p-12}, {1}, 0), 1);
  EXPECT_EQ(run(Elem::F32, Elem::F32, {1 + 0x1p-12}, {1}, 0), 1 + 0x1p-12);
  // f32 products are exact: the square ends with 2^-24, which makes it a tie in f32, and the addend decides the tie.
  EXPECT_EQ(run(Elem::F32, Elem::F32, {1 + 0x1p-12}, {1 + 0x1p-12}, 0x1p-140), 1 + 0x1p-11 + 0x1p-23);
}

TEST(Mma, IntegersWrapAtTheEnd) {
  std::mt19937_64 random(2);
  for (Elem ea : {Elem::I8, Elem::U8})
    for (Elem eb : {Elem::I8, Elem::U8}) {
      MmaExtents s{3, 5, 70};
      std::vector<Number> a = randomInts(ea, s.rows * s.depth, random), b = randomInts(eb, s.depth * s.columns, random);
      std::vector<Number> c = randomInts(Elem::I32, s.rows * s.columns, random), d = c;
      multiplyAccumulate(ea, Elem::I32, s, a.data(), b.data(), d.data());
      for (size_t r = 0; r < s.rows; ++r)
        for (size_t n = 0; n < s.columns; ++n) {
          auto sum = static_cast<uint32_t>(c[r * s.columns + n].i);
          for (size_t k = 0; k < s.depth; ++k) sum += static_cast<uint32_t>(a[r * s.depth + k].i * b[k * s.columns + n].i);
          ASSERT_EQ(d[r * s.columns + n].i, static_cast<int32_t>(sum));
        }
    }
}

TEST(Mma, AnEmptyDepthLeavesTheAccumulator) {
  Number acc = floatNumber(3);
  multiplyAccumulate(Elem::F16, Elem::F32, {1, 1, 0}, nullptr, nullptr, &acc);
  EXPECT_EQ(acc.f, 3);
}

} // namespace
} // namespace xt
