#include "ir/op_info.h"
#include "run_helper.h"

#include <cmath>

namespace xt {
namespace {

void expectValues(const Expression &e, std::vector<int64_t> shape, const std::vector<double> &values) {
  ASSERT_TRUE(e.ok()) << e.messages();
  EXPECT_EQ(e.array->shape, shape);
  ASSERT_EQ(e.array->count(), static_cast<int64_t>(values.size()));
  for (size_t i = 0; i < values.size(); ++i) {
    double got = e.at(static_cast<int64_t>(i));
    EXPECT_TRUE(got == values[i] || (std::isnan(got) && std::isnan(values[i])))
        << i << ": " << got << ", expected " << values[i];
  }
}
void expectError(const Expression &e, const std::string &part) {
  EXPECT_FALSE(e.ok());
  EXPECT_NE(e.messages().find(part), std::string::npos) << e.messages();
}

const char *const kA = "%A = from (i, j) => i * 3 + j : memref<2x3xi32>";
const char *const kF = "%F = from (i, j) => i * 3 + j + 0.5 : memref<2x3xf32>";

TEST(Eval, IntegersStayIntegers) {
  expectValues(Expression(kA, "%A * 2 - 1"), {2, 3}, {-1, 1, 3, 5, 7, 9});
  EXPECT_TRUE(Expression(kA, "%A * 2 - 1").array->integer);
  EXPECT_TRUE(Expression(kA, "sum(%A)").array->integer);
  EXPECT_TRUE(Expression(kA, "matmul(%A, transpose(%A))").array->integer);
  EXPECT_FALSE(Expression(kA, "%A / 2").array->integer);
  expectValues(Expression("", "7 / 2"), {}, {3.5});
  expectValues(Expression("", "-7 mod 3"), {}, {2});
  expectValues(Expression("", "7 mod (-3)"), {}, {-2});
  expectValues(Expression("", "ceildiv(7, 2) + ceildiv(-7, 2)"), {}, {1});
  expectValues(Expression("", "9007199254740993 + 0"), {}, {9007199254740992}); // the value as a double
  EXPECT_EQ(Expression("", "9007199254740993 + 0").array->ints[0], 9007199254740993);
}

TEST(Eval, IntegerOverflowIsAnError) {
  expectError(Expression("", "9223372036854775807 + 1"), "integer overflow: 9223372036854775807 + 1 does not fit 64 bits");
  expectError(Expression("%B = from (i) => i * 4611686018427387904 : memref<2xi64>", "%B * %B"),
              "integer overflow at index [1]");
  expectError(Expression("%B = fill(4611686018427387904) : memref<2xi64>", "sum(%B)"), "`sum` of 2 elements");
  expectError(Expression("%B = fill(4611686018427387904) : memref<1x2xi64>", "matmul(%B, transpose(%B))"),
              "element [0, 0] of `matmul`");
  expectError(Expression("", "3 mod 0"), "`mod` by zero");
  expectError(Expression("%B = from (i) => i - 2 : memref<4xi32>", "5 mod %B"), "`mod` by zero at index [2]");
}

TEST(Eval, Reshape) {
  expectValues(Expression(kA, "reshape(%A, [3, 2])"), {3, 2}, {0, 1, 2, 3, 4, 5});
  expectValues(Expression(kF, "reshape(%F, [-1])"), {6}, {0.5, 1.5, 2.5, 3.5, 4.5, 5.5});
  expectValues(Expression(kA, "reshape(%A, [1, -1, 2])[0, 2]"), {2}, {4, 5});
  expectValues(Expression("", "reshape(7, [1, 1])"), {1, 1}, {7});
  expectError(Expression(kA, "reshape(%A, [4, 2])"), "`reshape` of 2x3, which has 6 elements, to [4, 2]");
  expectError(Expression(kA, "reshape(%A, [-1, 4])"), "to [-1, 4]");
  expectError(Expression(kA, "reshape(%A, [-1, -1])"), "to [-1, -1]");
  expectError(Expression(kA, "reshape(%A, [4294967296, 4294967296])"), "`reshape` of 2x3");
  expectError(Expression(kA, "reshape(%A, 6)"), "expected a list of integers");
}

TEST(Eval, FunctionsAlongADimension) {
  const char *const kMixed = "%M = from (i, j) => where(j == 1, 9, 3 * i - j) : memref<2x3xi32>"; // 0 9 -2; 3 9 1
  expectValues(Expression(kMixed, "cumsum(%M)"), {2, 3}, {0, 9, 7, 3, 12, 13});
  expectValues(Expression(kMixed, "cumsum(%M, dim = 0)"), {2, 3}, {0, 9, -2, 3, 18, -1});
  expectValues(Expression(kMixed, "argmax(%M)"), {2, 1}, {1, 1});
  expectValues(Expression(kMixed, "argmax(%M, 0)"), {1, 3}, {1, 0, 1}); // the first of equal ones
  expectValues(Expression(kMixed, "argmin(%M, -1)"), {2, 1}, {2, 2});
  expectValues(Expression(kMixed, "sort(%M)"), {2, 3}, {-2, 0, 9, 1, 3, 9});
  expectValues(Expression("%N = from (i) => sqrt(i - 1.0) : memref<3xf32>", "sort(%N)"), {3}, {0, 1, NAN});
  expectValues(Expression(kF, "sort(-%F, 0)"), {2, 3}, {-3.5, -4.5, -5.5, -0.5, -1.5, -2.5});
  expectError(Expression(kMixed, "cumsum(%M, 2)"), "`cumsum` along a dimension that 2x3 does not have: 2");
  expectError(Expression("%B = fill(4611686018427387904) : memref<2xi64>", "cumsum(%B)"), "a sum of `cumsum` does not fit");
  expectError(Expression("%E = fill(0) : memref<2x0xf32>", "argmax(%E)"), "an empty row has no greatest or smallest element");
}

TEST(Eval, ErrorsAlongADimension) {
  const char *const kX = "%X = from (i) => i * 0.3 + 0.1 : memref<4xf32>";
  Expression sums(kX, "cumsum(%X)"), total(kX, "sum(%X)");
  ASSERT_TRUE(sums.ok() && total.ok());
  EXPECT_EQ(sums.array->errorAt(0), 0) << "one term is exact";
  EXPECT_LT(sums.array->errorAt(1), sums.array->errorAt(2));
  EXPECT_EQ(sums.array->errorAt(3), total.array->errorAt(0)) << "the last sum is that of all";
  // exp() of equal elements differs between kernels, so that either may be the greatest.
  Expression close("%Y = from (i) => 1.0 : memref<3xf32>", "argmax(exp(%Y))"), apart(kX, "argmax(exp(%X))");
  ASSERT_TRUE(close.ok() && apart.ok());
  EXPECT_EQ(close.array->errorAt(0), 3);
  EXPECT_EQ(apart.array->errorAt(0), 0);
}

TEST(Eval, AnArrayAsAnIndex) {
  const std::string rows =
      std::string(kA) + "\n%R = from (i) => 1 - i : memref<2xi32>\n%Q = from (i, j) => j : memref<1x2xi32>";
  expectValues(Expression(rows, "%A[%R]"), {2, 3}, {3, 4, 5, 0, 1, 2});
  expectValues(Expression(rows, "%A[%R, 2]"), {2}, {5, 2});
  expectValues(Expression(rows, "%A[0:1, %R + 1]"), {1, 2}, {2, 1});
  expectValues(Expression(rows, "(%A + 1)[1, %Q]"), {1, 2}, {4, 5});
  // Arrays beside each other broadcast.
  expectValues(Expression(rows, "%A[%R, %R]"), {2}, {4, 0});
  expectValues(Expression(rows, "%A[transpose(%Q), %Q - 2]"), {2, 2}, {1, 2, 4, 5});
  const std::string cube = "%C = from (i, j, k) => 100 * i + 10 * j + k : memref<2x3x4xi32>\n"
                           "%I = from (i, j) => 1 - i : memref<2x1xi32>\n%J = from (i) => i - 1 : memref<3xi32>";
  expectValues(Expression(cube, "%C[%I, %J, 2:]"), {2, 3, 2}, {122, 123, 102, 103, 112, 113, 22, 23, 2, 3, 12, 13});
  expectValues(Expression(cube, "%C[1, %J, %J]"), {3}, {123, 100, 111});
  expectValues(Expression(cube, "%C[%J[1:], 0, %J[1:]]"), {2}, {0, 101});
  expectValues(Expression(cube + "\n%T = from (i, j, k) => %C[j, i, 3 - k] : memref<3x2x4xi32>", "%T[2, :, 0:2]"), {2, 2},
               {23, 22, 123, 122});
  expectError(Expression(cube, "%C[%J, :, %J]"), "must stand beside each other");
  expectError(Expression(cube, "%C[%I, %J + 2]"), "index 3 is out of bounds of dimension 1 of 2x3x4");
  expectError(Expression(cube, "%C[%I, %J * 1.5]"), "indices must be integers");
  expectError(Expression(cube, "%C[%J, %J[0:2]]"), "arrays of indices are 3 and 2: extents must be equal or 1");
  const std::string huge = "%U = fill(18446744073709551615) : memref<1xu64>\n" + std::string(kA);
  expectError(Expression(huge, "%A[%U]"), "index 18446744073709551615 is out of bounds");
  // Any of the elements that an uncertain index may select.
  const std::string unsure = "%P = fill(1.0) : memref<1x4xf32>\n%V = from (i) => 10 * i : memref<4xf32>";
  EXPECT_EQ(Expression(unsure, "%V[argmax(exp(%P), dim = 1)]").error(0), 30);
  EXPECT_EQ(Expression(unsure, "%V[argmax(%P, dim = 1)]").error(0), 0);
  expectError(Expression(rows, "%A[%R - 4]"), "index -3 is out of bounds of dimension 0"); // -1 counts from the end
}

TEST(Eval, Broadcasting) {
  expectValues(Expression(kA, "%A + %A[:, 1:2]"), {2, 3}, {1, 2, 3, 7, 8, 9});
  expectValues(Expression(kA, "%A + %A[1]"), {2, 3}, {3, 5, 7, 6, 8, 10});
  expectValues(Expression(kA, "%A[:, 0:1] * %A[0:1, :]"), {2, 3}, {0, 0, 0, 0, 3, 6});
  expectError(Expression(kA, "%A + transpose(%A)"), "operands of `+` are 2x3 and 3x2");
  // A large array needs several runs and threads.
  Expression big("%B = from (i, j) => i * 5000 + j : memref<40x5000xi64>\n%R = from (j) => j : memref<5000xi64>", "%B - %R");
  ASSERT_TRUE(big.ok());
  for (int64_t i = 0; i < big.array->count(); ++i) ASSERT_EQ(big.array->ints[i], i / 5000 * 5000);
}

TEST(Eval, SlicesAndElements) {
  expectValues(Expression(kA, "%A[1, 2]"), {}, {5});
  expectValues(Expression(kA, "%A[-1]"), {3}, {3, 4, 5});
  expectValues(Expression(kA, "%A[:, 1:]"), {2, 2}, {1, 2, 4, 5});
  expectValues(Expression(kA, "(%A + 1)[0:1, -2:3]"), {1, 2}, {2, 3});
  expectValues(Expression(kA, "%A[1:1]"), {0, 3}, {});
  expectError(Expression(kA, "%A[2, 0]"), "2 is out of bounds of dimension 0 of 2x3, whose extent is 2");
  expectError(Expression(kA, "%A[0:3]"), "3 is out of bounds of dimension 0");
  expectError(Expression(kA, "%A[0, 0, 0]"), "3 indices for 2x3, which has rank 2");
  expectError(Expression(kA, "%A[0.5]"), "expected an integer, not a float");
}

TEST(Eval, Reductions) {
  expectValues(Expression(kA, "sum(%A, 0)"), {1, 3}, {3, 5, 7});
  expectValues(Expression(kA, "sum(%A, dim = 1)"), {2, 1}, {3, 12});
  expectValues(Expression(kA, "sum(%A)"), {}, {15});
  expectValues(Expression(kA, "max(%A, dim = 0)"), {1, 3}, {3, 4, 5});
  expectValues(Expression(kA, "max(%A, 2)"), {2, 3}, {2, 2, 2, 3, 4, 5});
  expectValues(Expression(kA, "min(%A)"), {}, {0});
  expectValues(Expression(kA, "mean(%A, 1)"), {2, 1}, {1, 4});
  expectValues(Expression(kA, "prod(%A + 1, -1)"), {2, 1}, {6, 120});
  expectValues(Expression(kF, "sum(%F, 0)"), {1, 3}, {4, 6, 8});
  expectValues(Expression(kF, "max(%F, dim = 1)"), {2, 1}, {2.5, 5.5});
  expectValues(Expression("%B = from (i) => where(i == 1, nan, 1.0) : memref<3xf32>", "max(%B)"), {}, {NAN});
  expectValues(Expression("%B = fill(0) : memref<0x3xf32>", "sum(%B, 0)"), {1, 3}, {0, 0, 0});
  expectError(Expression(kA, "sum(%A, 2)"), "`sum` over dimension 2 of an array of rank 2");
  expectError(Expression("%B = fill(0) : memref<0xf32>", "max(%B)"), "`max` of an empty array");
  Expression big("%B = from (i) => i mod 1000 : memref<300000xf32>", "sum(%B)");
  expectValues(big, {}, {300.0 * 499500});
  Expression middle("%B = from (i, j, k) => i * 100 + j * 10 + k : memref<3x4x300xi32>", "sum(cast(%B, f64), 1)");
  ASSERT_TRUE(middle.ok());
  EXPECT_EQ(middle.at(300 + 7), 4 * 107 + 60);
}

TEST(Eval, WhereAndLogic) {
  expectValues(Expression(kA, "where(%A > 2, %A, 0 - %A)"), {2, 3}, {0, -1, -2, 3, 4, 5});
  expectValues(Expression(kA, "(%A > 0) and not (%A == 3)"), {2, 3}, {0, 1, 1, 0, 1, 1});
  expectValues(Expression(kA, "(%A < 1) or (%A >= 4)"), {2, 3}, {1, 0, 0, 0, 1, 1});
  expectValues(Expression("", "max(nan, 1.0)"), {}, {NAN});
  expectValues(Expression("", "min(-inf, 1.0)"), {}, {-INFINITY});
}

TEST(Eval, Functions) {
  struct Case {
    const char *text;
    double (*f)(double);
  };
  const Case kCases[] = {{"exp", std::exp},   {"exp2", std::exp2},   {"log", std::log},   {"log2", std::log2},
                         {"sqrt", std::sqrt}, {"tanh", std::tanh},   {"erf", std::erf},   {"sin", std::sin},
                         {"cos", std::cos},   {"floor", std::floor}, {"ceil", std::ceil}, {"abs", std::fabs}};
  for (const Case &c : kCases) {
    Expression e(kF, std::string(c.text) + "(%F)");
    ASSERT_TRUE(e.ok()) << c.text;
    for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(e.at(i), c.f(static_cast<double>(i) + 0.5)) << c.text;
  }
  expectValues(Expression("", "rsqrt(4.0)"), {}, {0.5});
  expectValues(Expression("", "pow(3.0, 2)"), {}, {9});
  expectValues(Expression("", "abs(-3)"), {}, {3});
  expectValues(Expression(kA, "dim(%A, 1) + dim(%A + 1, 0)"), {}, {5});
}

TEST(Eval, EveryFunctionOfKernelsIsThere) {
  for (const OpInfo &op : allOps()) {
    if (!op.elementwise || op.typeRule != TypeRule::Elementwise) continue;
    EXPECT_TRUE(findHostFn(op.name, false)) << op.name;
  }
  for (const char *name : {"select", "min", "max", "mod", "abs", "ceildiv", "dim"})
    EXPECT_TRUE(findHostFn(name, false) || findHostOperator(name, 2)) << name;
}

TEST(Eval, FunctionsOfKernels) {
  auto value = [](const std::string &expression) {
    Expression e("%b = fill(-3) : memref<2xi8>\n%i = fill(-7) : memref<2xi32>\n%u = fill(200) : memref<2xu8>\n"
                 "%w = fill(-2) : memref<2xi64>\n%x = fill(-2.75) : memref<2xf32>",
                 expression);
    EXPECT_TRUE(e.ok()) << expression << e.messages();
    return e.at(0);
  };
  auto message = [](const std::string &expression) {
    Expression e("%i = fill(-7) : memref<2xi32>\n%x = fill(-2.75) : memref<2xf32>", expression);
    EXPECT_FALSE(e.ok()) << expression;
    return e.messages();
  };
  // These are other names of existing functions.
  EXPECT_EQ(value("absf(%x) + negf(%x)"), 5.5);
  EXPECT_EQ(value("absi(%i)"), 7);
  EXPECT_EQ(value("addf(%x, subf(1.0, mulf(2.0, divf(3.0, 4.0))))"), -3.25);
  EXPECT_EQ(value("addi(%i, subi(1, muli(2, 3)))"), -12);
  EXPECT_EQ(value("minimumf(%x, 0.0) + maximumf(%x, 0.5)"), -2.25);
  EXPECT_EQ(value("minsi(%i, 3) + maxsi(%i, 3)"), -4);
  EXPECT_EQ(value("ceildivsi(%i, 2)"), -3);
  EXPECT_EQ(value("select(%x < 0.0, 1, 2)"), 1);
  // These are integer divisions that truncate or round down, powers, remainders, and functions that drop a NaN.
  EXPECT_EQ(value("divsi(%i, 2)"), -3);
  EXPECT_EQ(value("floordivsi(%i, 2)"), -4);
  EXPECT_EQ(value("floordivsi(%i, -2)"), 3);
  EXPECT_EQ(value("powf(%x, 2.0)"), 7.5625);
  EXPECT_EQ(value("remsi(%i, 2)"), -1);
  EXPECT_EQ(value("remsi(%i, -1)"), 0);
  EXPECT_EQ(value("%i mod 2"), 1);
  EXPECT_EQ(value("remf(%x, 1.0)"), -0.75);
  EXPECT_EQ(value("maxnumf(%x, nan)"), -2.75);
  EXPECT_EQ(value("minnumf(nan, %x)"), -2.75);
  EXPECT_EQ(value("maxnumf(3, %i)"), 3);
  // These are functions of bits and of unsigned integers.
  EXPECT_EQ(value("andi(%i, 12)"), 8);
  EXPECT_EQ(value("ori(%i, 6)"), -1);
  EXPECT_EQ(value("xori(%b, 5)"), -8);
  EXPECT_EQ(value("shli(%i, 3)"), -56);
  EXPECT_EQ(value("shrsi(%i, 1)"), -4);
  EXPECT_EQ(value("shrui(%b, 1)"), 126);
  EXPECT_EQ(value("shrui(%i, 28)"), 15);
  EXPECT_EQ(value("shrui(%w, 1)"), 0x7FFFFFFFFFFFFFFF);
  EXPECT_EQ(value("divui(%b, 2)"), 126);
  EXPECT_EQ(value("ceildivui(%b, 2)"), 127);
  EXPECT_EQ(value("remui(%b, 10)"), 3);
  EXPECT_EQ(value("remui(%w, 10)"), 4); // the operand is 2^64 - 2
  EXPECT_EQ(value("maxui(%b, 3)"), -3);
  EXPECT_EQ(value("minui(%i, 3)"), 3);
  EXPECT_EQ(value("maxui(%u, 3)"), 200);
  EXPECT_EQ(value("andi(cast(xori(%i, shli(%i, 13)), i32), 65535)"), (-7 ^ (-7 * 8192)) & 65535);
  // These calls are errors of the test.
  EXPECT_NE(message("divsi(%i, 0)").find("`divsi` by zero"), std::string::npos);
  EXPECT_NE(message("divsi(%x, 2.0)").find("`divsi` takes integers; write a / b"), std::string::npos);
  EXPECT_NE(message("xori(%x, 2)").find("`^` takes integers"), std::string::npos);
  EXPECT_NE(message("shli(%i, 64)").find("`<<` can shift only by 0 to 63 bits, at index [0]"), std::string::npos);
  EXPECT_NE(message("shli(%i, 62)").find("does not fit 64 bits"), std::string::npos);
  EXPECT_NE(message("divui(%i + 0, 2)").find("give it a type, such as cast(x, i32)"), std::string::npos);
  EXPECT_NE(message("remui(%i, 0)").find("`remui` by zero"), std::string::npos);
}

TEST(Eval, Casts) {
  expectValues(Expression("", "cast(2049, f16)"), {}, {2048});
  expectValues(Expression("", "cast(-2.7, i32)"), {}, {-2});
  expectValues(Expression("", "cast(300, i8)"), {}, {44});
  expectValues(Expression("", "cast(-1, u8)"), {}, {255});
  expectValues(Expression("", "cast(1e6, f16)"), {}, {INFINITY});
  expectError(Expression("", "cast(300.0, i8)"), "cast of 300.0: i8 cannot hold it");
  expectError(Expression("", "cast(nan, i32)"), "i32 cannot hold it");
  expectError(Expression("", "cast(9.3e18, i64)"), "i64 cannot hold it");
  expectValues(Expression("", "cast(-9223372036854775808.0, i64)"), {}, {-0x1p63});
}

TEST(Eval, MatmulShapes) {
  const char *kBatch =
      "%B = from (b, i, j) => b * 100 + i * 10 + j : memref<2x2x3xi32>\n%C = from (i, j) => i - j : memref<3x2xi32>";
  Expression batched(kBatch, "matmul(%B, %C)");
  ASSERT_TRUE(batched.ok()) << batched.messages();
  EXPECT_EQ(batched.array->shape, (std::vector<int64_t>{2, 2, 2}));
  // The element is the product of row [110 111 112] and column 1, which is [-1 0 1].
  EXPECT_EQ(batched.array->ints[7], -110 + 112);
  expectValues(Expression(kBatch, "matmul(%B[0, 0], %C)"), {2}, {5, 2});
  expectValues(Expression(kBatch, "matmul(%B[0, 0], %C[:, 0])"), {}, {5});
  expectError(Expression(kA, "matmul(%A, %A)"), "`matmul` of 2x3 and 2x3");
  expectError(Expression(kA, "matmul(%A, transpose(%A), acc = i32)"), "`acc` must be a float type");
  // These sums have an initial value, which is broadcast.
  expectValues(Expression(kBatch, "matmul(%B[0, 0], %C, %C[1])"), {2}, {5 + 1, 2 + 0});
  expectValues(Expression(kBatch, "matmul(%B[0, 0], %C, c = 10)"), {2}, {15, 12});
  expectValues(Expression(kBatch, "matmul(%B[0], %C, matmul(%B[0], %C))[0]"), {2}, {10, 4});
  expectValues(Expression(kBatch, "matmul(%B[0, 0], %C, 0.5, acc = f16)"), {2}, {5.5, 2.5});
  expectError(Expression(kBatch, "matmul(%B[0, 0], %C, %C)"),
              "the initial sums of `matmul` are 3x2, which cannot be broadcast to the result, 2");
  // Integer products are exact, even beyond the integers that f64 can represent.
  Expression large("%B = fill(3037000499) : memref<1x1xi64>", "matmul(%B, %B)");
  ASSERT_TRUE(large.ok()) << large.messages();
  EXPECT_EQ(large.array->ints[0], int64_t{3037000499} * 3037000499);
  Expression added("%B = fill(3037000499) : memref<1x1xi64>", "matmul(%B, %B, -1)");
  ASSERT_TRUE(added.ok()) << added.messages();
  EXPECT_EQ(added.array->ints[0], int64_t{3037000499} * 3037000499 - 1);
}

TEST(Eval, TransposeAndSoftmax) {
  expectValues(Expression(kA, "transpose(%A)"), {3, 2}, {0, 3, 1, 4, 2, 5});
  Expression p("%B = from (i, j, k) => i * 100 + j * 10 + k : memref<2x3x4xi32>", "transpose(%B, [2, 0, 1])");
  ASSERT_TRUE(p.ok());
  EXPECT_EQ(p.array->shape, (std::vector<int64_t>{4, 2, 3}));
  EXPECT_EQ(p.array->ints[(3 * 2 + 1) * 3 + 2], 123);
  expectError(Expression(kA, "transpose(%A, [0, 0])"), "[0, 0] is not a permutation");
  expectError(Expression(kA, "transpose(%A[0])"), "needs at least two dimensions");
  Expression s(kF, "softmax(%F)");
  ASSERT_TRUE(s.ok());
  double total = std::exp(-2) + std::exp(-1) + 1;
  EXPECT_NEAR(s.at(2), 1 / total, 1e-15);
  EXPECT_GT(s.error(2), 0);
  EXPECT_LT(s.error(2), 1e-4);
}

TEST(Eval, UnsignedValuesAboveTheSignedRange) {
  const char *kU = "%U = random(seed = 3) : memref<64xu64>";
  EXPECT_TRUE(Expression(kU, "%U == %U").ok());
  expectError(Expression(kU, "%U + 1"), "u64 values above 2^63 - 1");
  expectError(Expression(kU, "sum(%U)"), "u64 values above 2^63 - 1");
  Expression f(kU, "cast(%U, f64)");
  ASSERT_TRUE(f.ok());
  for (int64_t i = 0; i < 64; ++i) EXPECT_GE(f.at(i), 0);
}

TEST(Eval, MistakesPointAtTheirPlace) {
  Expression e(kA, "1 + sum(%A, 7)");
  ASSERT_FALSE(e.ok());
  const Diagnostic &diagnostic = e.diagnostics.all()[0];
  EXPECT_EQ(e.sources.file(1).slice(diagnostic.range), "sum(%A, 7)");
}

TEST(Eval, TooLargeIsAnError) {
  Expression e("", "1");
  MemoryBudget small(1 << 20);
  EvalSite site{small, e.diagnostics, 1, true, {}, nullptr};
  auto a = makeArray(small, {100000, 1}, false, false);
  ASSERT_TRUE(a.ok());
  auto b = makeArray(small, {1, 20000}, false, false);
  ASSERT_TRUE(b.ok());
  auto sum = applyBinary(site, HostFn::Add, std::move(*a), std::move(*b));
  ASSERT_FALSE(sum.ok());
  EXPECT_EQ(sum.error().kind, Error::Kind::Environment);
  EXPECT_EQ(small.used(), 0);
}

} // namespace
} // namespace xt
