#include "ir/elem_kinds.h"
#include "run_helper.h"
#include "targets/run/init.h"

#include <cmath>

namespace xt {
namespace {

double at(const Expression &e, int64_t i) {
  EXPECT_TRUE(e.ok()) << e.messages();
  return e.at(i);
}
void expectError(const std::string &init, const std::string &part) {
  Expression e("%A = " + init, "%A");
  EXPECT_NE(e.messages().find(part), std::string::npos) << init << "\n" << e.messages();
}

// The numbers are the first outputs of the published reference code for seed 1234567.
TEST(Init, SplitMix64IsTheReferenceGenerator) {
  EXPECT_EQ(splitMix64(1234567, 0), 6457827717110365317u);
  EXPECT_EQ(splitMix64(1234567, 1), 3203168211198807973u);
  EXPECT_EQ(splitMix64(1234567, 2), 9817491932198370423u);
}

TEST(Init, RandomDependsOnTheIndexAlone) {
  Expression row("%A = random(seed = 5) : memref<30x20xf32>", "%A");
  Expression column("%A = random(seed = 5) : memref<30x20xf32, affine_map<(d0, d1) -> (d1, d0)>>", "%A");
  Expression padded("%A = random(seed = 5) : memref<30x20xf32, strided<[32, 1]>>", "%A");
  Expression flat("%A = random(seed = 5) : memref<600xf32>", "%A");
  for (int64_t i = 0; i < 600; ++i) {
    double expected =
        roundTo(Elem::F32, -1 + 2 * (static_cast<double>(splitMix64(5, static_cast<uint64_t>(i)) >> 11) * 0x1p-53));
    EXPECT_EQ(at(row, i), expected);
    EXPECT_EQ(at(column, i), expected);
    EXPECT_EQ(at(padded, i), expected);
    EXPECT_EQ(at(flat, i), expected);
  }
}

TEST(Init, RandomRanges) {
  Expression f("%A = random(seed = 1, low = 2.0, high = 3.0) : memref<5000xf32>", "%A");
  Expression i("%A = random(seed = 1, low = -3, high = 3) : memref<5000xi8>", "%A");
  Expression whole("%A = random(seed = 1) : memref<5000xi8>", "%A");
  Expression ints("%A = ints(-2, 2, seed = 9) : memref<5000xf16>", "%A");
  std::vector<int> seen(6), seenInts(5);
  double low = 0, high = 0, sum = 0;
  for (int64_t k = 0; k < 5000; ++k) {
    EXPECT_GE(at(f, k), 2);
    EXPECT_LE(at(f, k), 3);
    sum += at(f, k);
    ++seen.at(static_cast<size_t>(at(i, k) + 3));
    ++seenInts.at(static_cast<size_t>(at(ints, k) + 2));
    low = std::min(low, at(whole, k));
    high = std::max(high, at(whole, k));
  }
  EXPECT_NEAR(sum / 5000, 2.5, 0.02);
  for (int count : seen) EXPECT_NEAR(count, 833, 120);
  for (int count : seenInts) EXPECT_NEAR(count, 1000, 150);
  EXPECT_EQ(low, -128);
  EXPECT_EQ(high, 127);
}

TEST(Init, Distributions) {
  Expression range("%A = random(1, \"uniform\", [2, 3]) : memref<100xf32>", "%A");
  Expression bounds("%A = random(seed = 1, low = 2.0, high = 3.0) : memref<100xf32>", "%A");
  Expression bytes("%A = random(range = [-3, 3], seed = 1) : memref<100xi8>", "%A");
  Expression bytesBounds("%A = random(seed = 1, low = -3, high = 3) : memref<100xi8>", "%A");
  for (int64_t k = 0; k < 100; ++k) {
    EXPECT_EQ(at(range, k), at(bounds, k));
    EXPECT_EQ(at(bytes, k), at(bytesBounds, k));
  }
  constexpr int64_t kCount = 20000;
  Expression normal("%A = random(seed = 3, dist = \"normal\") : memref<20000xf64>", "%A");
  Expression column("%A = random(seed = 3, dist = \"normal\") : memref<200x100xf64, affine_map<(d0, d1) -> (d1, d0)>>", "%A");
  Expression cut("%A = random(seed = 3, dist = \"normal\", range = [-1, 2]) : memref<20000xf64>", "%A");
  Expression far("%A = random(seed = 3, dist = \"normal\", low = 50) : memref<3xf64>", "%A");
  double sum = 0, squares = 0, within = 0;
  for (int64_t k = 0; k < kCount; ++k) {
    double x = at(normal, k);
    sum += x, squares += x * x, within += std::fabs(x) < 1;
    EXPECT_EQ(at(column, k), x);
    EXPECT_GE(at(cut, k), -1);
    EXPECT_LT(at(cut, k), 2);
    if (x >= -1 && x < 2) {
      EXPECT_EQ(at(cut, k), x);
    }
  }
  EXPECT_NEAR(sum / kCount, 0, 0.03);
  EXPECT_NEAR(squares / kCount, 1, 0.03);
  EXPECT_NEAR(within / kCount, 0.6827, 0.015);
  EXPECT_EQ(at(far, 2), 50);
  expectError("random(dist = \"gauss\") : memref<2xf32>", "dist must be \"uniform\" or \"normal\"");
  expectError("random(dist = 1) : memref<2xf32>", "dist must be \"uniform\" or \"normal\"");
  expectError("random(dist = \"normal\") : memref<2xi32>", "integers are always uniform");
  expectError("random(range = [1, 2, 3]) : memref<2xf32>", "a range must be two numbers");
  expectError("random(range = 3) : memref<2xf32>", "a range must be two numbers");
  expectError("random(range = [0, 1], low = 0) : memref<2xf32>", "give one or the other");
  expectError("random(range = [1, 0]) : memref<2xf32>", "the range of `random`, [1.0, 0.0), is empty");
  expectError("random(range = [0, 0]) : memref<2xi32>", "the range of `random`, [0, 0), is empty");
}

TEST(Init, BuffersWithoutASeedDiffer) {
  Expression e("%A = random : memref<8xf32>\n%B = random : memref<8xf32>", "sum(%A == %B)");
  EXPECT_EQ(at(e, 0), 0);
}

TEST(Init, FormulasFillIotaIdentity) {
  Expression from("%A = from (i, j) => (i*31 + j*17) mod 9 - 4 : memref<50x40xf16>", "%A");
  for (int64_t i = 0; i < 50; ++i)
    for (int64_t j = 0; j < 40; ++j) EXPECT_EQ(at(from, i * 40 + j), static_cast<double>((i * 31 + j * 17) % 9 - 4));
  EXPECT_EQ(at(Expression("%A = fill(0.1) : memref<3xf16>", "%A"), 2), roundTo(Elem::F16, 0.1));
  EXPECT_EQ(at(Expression("%A = fill(nan) : memref<3xf16>", "sum(%A == %A)"), 0), 0);
  EXPECT_EQ(at(Expression("%A = iota : memref<3x4xi16>", "%A"), 7), 7);
  Expression identity("%A = identity : memref<2x3x3xf32>", "%A");
  for (int64_t i = 0; i < 18; ++i) EXPECT_EQ(at(identity, i), i % 9 % 4 == 0 ? 1 : 0);
  EXPECT_EQ(at(Expression("%A = iota : memref<4xf32>\n%B = from (i) => %A[3] - i : memref<4xf32>", "%B"), 1), 2);
}

TEST(Init, OneRounding) {
  // 1 + 2^-11 + 2^-30 is just above the midpoint between two f16 values. Rounding to f32 first would give the lower one.
  Expression e("%A = fill(1.000488282181322574615478515625) : memref<1xf16>", "%A");
  EXPECT_EQ(at(e, 0), 1 + 0x1p-10);
}

TEST(Init, ValuesOfTwoTo63AndMore) {
  EXPECT_EQ(at(Expression("%A = fill(1e19) : memref<3xu64>", "%A"), 2), 1e19);
  EXPECT_EQ(at(Expression("%A = fill(0x1p63) : memref<3xu64>", "%A == 9223372036854775808"), 2), 1);
  EXPECT_EQ(at(Expression("%A = fill(-0x1p63) : memref<3xi64>", "%A"), 2), -0x1p63);
  EXPECT_EQ(at(Expression("%A = fill(18446744073709551615) : memref<3xf64>", "%A"), 2), 0x1p64);
  EXPECT_EQ(at(Expression("%U = fill(1e19) : memref<3xu64>\n%A = from (i) => %U[0] : memref<3xf32>", "%A"), 2),
            static_cast<double>(1e19f));
  expectError("fill(0x1p64) : memref<4xu64>", "which u64 cannot hold");
  expectError("fill(-0.5) : memref<4xu64>", "is -0.5, which u64 cannot hold");
  expectError("fill(0x1p63) : memref<4xi64>", "which i64 cannot hold");
  expectError("fill(18446744073709551615) : memref<4xi64>", "is 18446744073709551615, which i64 cannot hold");
}

TEST(Init, ValuesThatDoNotFit) {
  expectError("from (i, j) => i * 100 + j : memref<3x60xi8>", "the value at index [1, 28] is 128, which i8 cannot hold");
  expectError("fill(300) : memref<4xi8>", "the value at index [0] is 300, which i8 cannot hold");
  expectError("fill(0.5) : memref<4xi32>", "the value at index [0] is 0.5, which i32 cannot hold");
  expectError("fill(-1) : memref<4xu64>", "is -1, which u64 cannot hold");
  expectError("iota : memref<200xi8>", "the value at index [128] is 128, which i8 cannot hold");
  expectError("ints(0, 200) : memref<4xi8>", "i8 cannot hold 200");
  expectError("ints(3, 1) : memref<4xi8>", "the range of `ints`, 3 to 1, is empty");
  expectError("random(low = 1) : memref<4xi8>", "takes both `low` and `high`");
  expectError("identity : memref<4xi8>", "needs at least two dimensions");
  expectError("fill(2.0) : memref<4xi8>", "");
  EXPECT_TRUE(Expression("%A = fill(2.0) : memref<4xi8>", "%A").ok());
  expectError("load \"nowhere.npy\" : memref<4xi8>", "");
}

} // namespace
} // namespace xt
