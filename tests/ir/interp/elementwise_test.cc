// Compares every elementwise op, run as a kernel on vectors and by evaluateScalar, with values computed by hand.
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "kernel_fixture.h"

#include <cmath>
#include <limits>
#include <set>

namespace xt {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");

struct Case {
  OpKind kind;
  Elem in, out;
  std::vector<std::vector<double>> operands; // one list per operand
  std::vector<double> expected;
  const char *compare = "";
};

std::vector<Case> integerCases() {
  using enum Elem;
  return {
      {OpKind::AddI, I8, I8, {{100, -128, 5}, {100, -1, -7}}, {-56, 127, -2}},
      {OpKind::AddI, U8, U8, {{200, 1}, {100, 255}}, {44, 0}},
      {OpKind::SubI, U16, U16, {{1, 9}, {2, 4}}, {65535, 5}},
      {OpKind::SubI, I32, I32, {{-2147483648.0, 3}, {1, 5}}, {2147483647, -2}},
      {OpKind::MulI, I16, I16, {{300, -3}, {300, 7}}, {24464, -21}},
      {OpKind::DivSI, I32, I32, {{7, -7, 7, -7, 5, -2147483648.0}, {2, 2, -2, -2, 0, -1}}, {3, -3, -3, 3, 0, 0}},
      {OpKind::DivSI, U8, U8, {{200, 255}, {3, 16}}, {66, 15}},
      {OpKind::DivUI, I8, I8, {{-1, -128, 100, 1}, {2, 3, 7, 0}}, {127, 42, 14, 0}},
      {OpKind::RemSI, I32, I32, {{7, -7, 7, -7, 5, -2147483648.0}, {3, 3, -3, -3, 0, -1}}, {1, -1, 1, -1, 0, 0}},
      {OpKind::RemUI, I8, I8, {{-1, 100}, {10, 0}}, {5, 0}},
      {OpKind::CeilDivSI, Index, Index, {{7, -7, 8, -8, 1, 7, 0}, {2, 2, 2, -2, 1000, 0, 3}}, {4, -3, 4, 4, 1, 0, 0}},
      {OpKind::CeilDivUI, I8, I8, {{-1, 100, 7, 1}, {2, 3, 7, 0}}, {-128, 34, 1, 0}},
      {OpKind::FloorDivSI,
       I32,
       I32,
       {{7, -7, 8, -8, 1, 7, -2147483648.0}, {2, 2, 2, -3, -1000, 0, -1}},
       {3, -4, 4, 2, -1, 0, 0}},
      {OpKind::FloorDivSI, U8, U8, {{200}, {3}}, {66}},
      {OpKind::AndI, I8, I8, {{12, -1}, {10, 7}}, {8, 7}},
      {OpKind::OrI, I1, I1, {{0, 1, 0, 1}, {0, 0, 1, 1}}, {0, 1, 1, 1}},
      {OpKind::XorI, I16, I16, {{12, -1}, {10, 0}}, {6, -1}},
      {OpKind::ShLI, I8, I8, {{1, 3, 64, 1, 1}, {7, 2, 1, 8, -1}}, {-128, 12, -128, 0, 0}},
      {OpKind::ShRSI, I8, I8, {{-128, 100, -1, 100, -5}, {3, 2, 100, 8, 1}}, {-16, 25, -1, 0, -3}},
      {OpKind::ShRSI, U8, U8, {{200, 200}, {3, 9}}, {25, 0}},
      {OpKind::ShRUI, I8, I8, {{-128, -1, -1}, {3, 7, 8}}, {16, 1, 0}},
      {OpKind::MinSI, I8, I8, {{-1, 5}, {3, 2}}, {-1, 2}},
      {OpKind::MaxSI, I8, I8, {{-1, 5}, {3, 2}}, {3, 5}},
      {OpKind::MaxSI, U8, U8, {{255}, {3}}, {255}},
      {OpKind::MinUI, I8, I8, {{-1, 5}, {3, 2}}, {3, 2}},
      {OpKind::MaxUI, I8, I8, {{-1, 5}, {3, 2}}, {-1, 5}},
      {OpKind::AbsI, I8, I8, {{-5, 5, -128}}, {5, 5, -128}},
      {OpKind::AbsI, U8, U8, {{200}}, {200}},
      {OpKind::CmpI, I8, I1, {{1, 2}, {1, 1}}, {1, 0}, "eq"},
      {OpKind::CmpI, I8, I1, {{1, 2}, {1, 1}}, {0, 1}, "ne"},
      {OpKind::CmpI, I8, I1, {{-1, 1, 2}, {1, 1, 1}}, {1, 0, 0}, "slt"},
      {OpKind::CmpI, I8, I1, {{-1, 1, 2}, {1, 1, 1}}, {1, 1, 0}, "sle"},
      {OpKind::CmpI, I8, I1, {{-1, 1, 2}, {1, 1, 1}}, {0, 0, 1}, "sgt"},
      {OpKind::CmpI, I8, I1, {{-1, 1, 2}, {1, 1, 1}}, {0, 1, 1}, "sge"},
      {OpKind::CmpI, I8, I1, {{-1, 1, 0}, {1, 1, 1}}, {0, 0, 1}, "ult"},
      {OpKind::CmpI, I8, I1, {{-1, 1, 0}, {1, 1, 1}}, {0, 1, 1}, "ule"},
      {OpKind::CmpI, I8, I1, {{-1, 1, 0}, {1, 1, 1}}, {1, 0, 0}, "ugt"},
      {OpKind::CmpI, I8, I1, {{-1, 1, 0}, {1, 1, 1}}, {1, 1, 0}, "uge"},
      {OpKind::CmpI, U8, I1, {{200}, {100}}, {0}, "slt"},
      {OpKind::CmpI, I1, I1, {{1, 0}, {0, 1}}, {1, 0}, "slt"},
  };
}

std::vector<Case> floatCases() {
  using enum Elem;
  return {
      {OpKind::AddF, F16, F16, {{1, 65504, -0.0}, {0x1p-11, 65504, -0.0}}, {1, kInf, -0.0}},
      {OpKind::AddF, F8E4M3, F8E4M3, {{448, 1}, {448, 0.0625}}, {kNaN, 1}},
      {OpKind::AddF, F64, F64, {{1}, {0x1p-52}}, {1 + 0x1p-52}},
      {OpKind::SubF, F32, F32, {{16777216, 5}, {-1, 5}}, {16777216, 0}},
      {OpKind::MulF, BF16, BF16, {{1 + 0x1p-7, -3}, {1 + 0x1p-7, 0.5}}, {1 + 0x1p-6, -1.5}},
      {OpKind::MulF, F32, F32, {{0x1p-100}, {0x1p-49}}, {0x1p-149}},
      {OpKind::DivF, F16, F16, {{1, 1, -1, 0}, {3, 0, 0, 0}}, {0x1.554p-2, kInf, -kInf, kNaN}},
      {OpKind::RemF, F32, F32, {{7.5, -7.5, 7, 1}, {2, 2, kInf, 0}}, {1.5, -1.5, 7, kNaN}},
      {OpKind::MinimumF, F32, F32, {{1, -0.0, 0.0, kNaN, 1}, {2, 0.0, -0.0, 1, kNaN}}, {1, -0.0, -0.0, kNaN, kNaN}},
      {OpKind::MaximumF, F16, F16, {{1, -0.0, 0.0, kNaN, 1}, {2, 0.0, -0.0, 1, kNaN}}, {2, 0.0, 0.0, kNaN, kNaN}},
      {OpKind::MinNumF, F32, F32, {{1, -0.0, 0.0, kNaN, 1, kNaN}, {2, 0.0, -0.0, 1, kNaN, kNaN}}, {1, -0.0, -0.0, 1, 1, kNaN}},
      {OpKind::MaxNumF, F64, F64, {{1, -0.0, 0.0, kNaN, 1}, {2, 0.0, -0.0, 1, kNaN}}, {2, 0.0, 0.0, 1, 1}},
      {OpKind::NegF, F16, F16, {{1, 0.0, -0.0, kInf}}, {-1, -0.0, 0.0, -kInf}},
      {OpKind::AbsF, F32, F32, {{-1.5, -0.0, -kInf}}, {1.5, 0.0, kInf}},
      {OpKind::Floor, F32, F32, {{1.5, -1.5, -0.5, 3}}, {1, -2, -1, 3}},
      {OpKind::Ceil, F16, F16, {{1.5, -1.5, -0.5, 3}}, {2, -1, -0.0, 3}},
      {OpKind::Exp, F32, F32, {{0, 1, -kInf, 1000}}, {1, static_cast<float>(M_E), 0, kInf}},
      {OpKind::Expm1, F32, F32, {{0, 1}}, {0, roundTo(F32, std::expm1(1.0))}},
      {OpKind::Log10, F64, F64, {{1000, 0}}, {3, -kInf}},
      {OpKind::Log1p, F32, F32, {{0, 1}}, {0, roundTo(F32, std::log1p(1.0))}},
      {OpKind::Sinh, F32, F32, {{0, 1}}, {0, roundTo(F32, std::sinh(1.0))}},
      {OpKind::Atan, F32, F32, {{0, 1}}, {0, roundTo(F32, std::atan(1.0))}},
      {OpKind::PowF, F32, F32, {{2, 9}, {10, 0.5}}, {1024, 3}},
      {OpKind::Round, F32, F32, {{0.5, -0.5, 2.5, 1.25}}, {1, -1, 3, 1}},
      {OpKind::RoundEven, F16, F16, {{0.5, 1.5, 2.5, -1.5}}, {0, 2, 2, -2}},
      {OpKind::Trunc, F32, F32, {{1.75, -1.75}}, {1, -1}},
      {OpKind::CmpF, F32, I1, {{1, 2, kNaN}, {1, 1, 1}}, {1, 0, 1}, "ueq"},
      {OpKind::CmpF, F32, I1, {{1, 2, kNaN}, {1, 1, 1}}, {0, 1, 0}, "one"},
      {OpKind::CmpF, F32, I1, {{0, 1, 2, kNaN}, {1, 1, 1, 1}}, {1, 0, 0, 1}, "ult"},
      {OpKind::CmpF, F32, I1, {{0, 1, 2, kNaN}, {1, 1, 1, 1}}, {1, 1, 0, 1}, "ule"},
      {OpKind::CmpF, F32, I1, {{0, 1, 2, kNaN}, {1, 1, 1, 1}}, {0, 0, 1, 1}, "ugt"},
      {OpKind::CmpF, F32, I1, {{0, 1, 2, kNaN}, {1, 1, 1, 1}}, {0, 1, 1, 1}, "uge"},
      {OpKind::CmpF, F32, I1, {{1, kNaN}, {1, 1}}, {1, 0}, "ord"},
      {OpKind::CmpF, F32, I1, {{1, kNaN}, {1, 1}}, {0, 1}, "uno"},
      {OpKind::CmpF, F32, I1, {{1, kNaN}, {1, 1}}, {1, 1}, "true"},
      {OpKind::CmpF, F32, I1, {{1, kNaN}, {1, 1}}, {0, 0}, "false"},
      {OpKind::Exp2, F16, F16, {{3, -14, -24, 16}}, {8, 0x1p-14, 0x1p-24, kInf}},
      {OpKind::Log, F32, F32, {{1, 0, -1, 2}}, {0, -kInf, kNaN, static_cast<float>(0.69314718055994530942)}},
      {OpKind::Log2, F32, F32, {{8, 0x1p-149, 1}}, {3, -149, 0}},
      {OpKind::Sqrt, F16, F16, {{4, 2, -1, -0.0}}, {2, 0x1.6ap0, kNaN, -0.0}},
      {OpKind::Rsqrt, F32, F32, {{4, 0.25, 0}}, {0.5, 2, kInf}},
      {OpKind::Tanh, F32, F32, {{0, 100, -100}}, {0, 1, -1}},
      {OpKind::Erf, F32, F32, {{0, 10, -10}}, {0, 1, -1}},
      {OpKind::Sin, F32, F32, {{0, static_cast<float>(M_PI_2)}}, {0, 1}},
      {OpKind::Cos, F32, F32, {{0, 1}}, {1, static_cast<float>(0.54030230586813971740)}},
      {OpKind::Select, F32, F32, {{1, 0}, {5, 6}, {7, 8}}, {5, 8}},
      {OpKind::Fma, F16, F16, {{1 + 0x1p-10, 2}, {1 - 0x1p-10, 3}, {-1, 1}}, {-0x1p-20, 7}},
      {OpKind::CmpF, F32, I1, {{1, kNaN, 0.0}, {1, kNaN, -0.0}}, {1, 0, 1}, "oeq"},
      {OpKind::CmpF, F32, I1, {{1, kNaN, 2}, {1, kNaN, 1}}, {0, 1, 1}, "une"},
      {OpKind::CmpF, F32, I1, {{1, kNaN, 2, 1}, {2, 1, 1, 1}}, {1, 0, 0, 0}, "olt"},
      {OpKind::CmpF, F16, I1, {{1, kNaN, 2, 1}, {2, 1, 1, 1}}, {1, 0, 0, 1}, "ole"},
      {OpKind::CmpF, F32, I1, {{1, kNaN, 2, 1}, {2, 1, 1, 1}}, {0, 0, 1, 0}, "ogt"},
      {OpKind::CmpF, F64, I1, {{1, kNaN, 2, 1}, {2, 1, 1, 1}}, {0, 0, 1, 1}, "oge"},
  };
}

std::vector<Case> conversionCases() {
  using enum Elem;
  return {
      {OpKind::TruncF, F32, F16, {{1 + 0x1p-11, 1 + 0x1.8p-10, 1e6}}, {1, 1 + 0x1p-9, kInf}},
      {OpKind::TruncF, F64, F8E5M2, {{3.5, 3.7, 1e9}}, {3.5, 3.5, kInf}},
      {OpKind::ExtF, F8E4M3, F32, {{448, 0x1p-9, kNaN}}, {448, 0x1p-9, kNaN}},
      {OpKind::TruncI, I32, I8, {{300, -1, 128}}, {44, -1, -128}},
      {OpKind::TruncI, I32, I1, {{2, 3}}, {0, 1}},
      {OpKind::ExtSI, I8, I32, {{-5, 100}}, {-5, 100}},
      {OpKind::ExtSI, I1, I8, {{1, 0}}, {-1, 0}},
      {OpKind::ExtSI, U8, I32, {{200}}, {200}},
      {OpKind::ExtUI, I8, I32, {{-5, 100}}, {251, 100}},
      {OpKind::ExtUI, I1, I8, {{1, 0}}, {1, 0}},
      {OpKind::SIToFP, I32, F32, {{16777217, -3}}, {16777216, -3}},
      {OpKind::SIToFP, I32, F16, {{70000, 2049}}, {kInf, 2048}},
      {OpKind::SIToFP, U8, F32, {{200}}, {200}},
      {OpKind::UIToFP, I8, F32, {{-1, 1}}, {255, 1}},
      {OpKind::FPToSI, F32, I32, {{1.9, -1.9, kNaN}}, {1, -1, 0}},
      {OpKind::FPToUI, F32, U8, {{200.7, 0.5}}, {200, 0}},
      {OpKind::IndexCast, Index, I32, {{4294967297.0, -2}}, {1, -2}},
      {OpKind::IndexCast, U32, Index, {{4294967295.0}}, {4294967295.0}},
      {OpKind::Bitcast, F32, I32, {{1, -0.0}}, {0x3F800000, -2147483648.0}},
      {OpKind::Bitcast, U8, F8E5M2, {{0x3C, 0x7C}}, {1, kInf}},
  };
}

const std::vector<Case> &cases() {
  static const std::vector<Case> table = [] {
    std::vector<Case> all;
    for (const std::vector<Case> &some : {integerCases(), floatCases(), conversionCases()})
      all.insert(all.end(), some.begin(), some.end());
    return all;
  }();
  return table;
}

std::string nameOf(const Case &c) { return std::string(opInfo(c.kind).name) + " " + c.compare; }
Elem operandElem(const Case &c, size_t i) { return c.kind == OpKind::Select && i == 0 ? Elem::I1 : c.in; }

void expectSame(double got, double expected, const std::string &what) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(got)) << what << ": " << got;
    return;
  }
  EXPECT_EQ(got, expected) << what;
  EXPECT_EQ(std::signbit(got), std::signbit(expected)) << what;
}

using ElementwiseTest = KernelTest;

TEST_F(ElementwiseTest, ValuesByHandInAKernel) {
  for (const Case &c : cases()) {
    Kernel k;
    Builder kb(context, k.body);
    auto n = static_cast<int64_t>(c.expected.size());
    std::vector<Array> arrays;
    for (size_t i = 0; i < c.operands.size(); ++i) {
      arrays.emplace_back(operandElem(c, i), std::vector<int64_t>{1, n});
      arrays.back().fill([&](int64_t x) { return c.operands[i][static_cast<size_t>(x)]; });
    }
    arrays.emplace_back(c.out, std::vector<int64_t>{1, n});
    std::vector<LaunchArg> args;
    for (Array &array : arrays) {
      args.push_back(array.arg());
      k.body.addParam(context.memref({1, n}, array.elem()));
    }
    k.paramCount = arrays.size();
    std::vector<Value *> operands;
    Value *zero = kb.index(0);
    auto tileOf = [&](size_t i) {
      return kb.value(OpKind::InitTile, {k.param(i), zero, zero}, context.tile({1, n}, arrays[i].elem()));
    };
    for (size_t i = 0; i + 1 < arrays.size(); ++i)
      operands.push_back(kb.value(OpKind::LoadTile, {tileOf(i)}, context.vector({1, n}, arrays[i].elem())));
    Op *op = kb.create(c.kind, operands, {context.vector({1, n}, c.out)});
    if (*c.compare) op->setAttr("kind", std::string(c.compare));
    kb.create(OpKind::StoreTile, {op->result(), tileOf(arrays.size() - 1)}, {});
    Result<void> done = interpret(k, args, {});
    ASSERT_TRUE(done) << done.error().message;
    for (int64_t x = 0; x < n; ++x)
      expectSame(arrays.back().number({0, x}), c.expected[static_cast<size_t>(x)], nameOf(c) + " element " + std::to_string(x));
  }
}

TEST(Elementwise, ValuesByHandOfScalars) {
  for (const Case &c : cases())
    for (size_t x = 0; x < c.expected.size(); ++x) {
      std::vector<Number> operands;
      for (size_t i = 0; i < c.operands.size(); ++i) {
        double value = c.operands[i][x];
        operands.push_back(isFloat(operandElem(c, i)) ? floatNumber(value) : integerNumber(static_cast<int64_t>(value)));
      }
      std::optional<Number> result = evaluateScalar({c.kind, c.in, c.out, c.compare}, operands);
      ASSERT_TRUE(result);
      expectSame(isFloat(c.out) ? result->f : static_cast<double>(result->i), c.expected[x], nameOf(c));
    }
}

TEST(Elementwise, EveryElementwiseOpHasACase) {
  std::set<OpKind> seen;
  for (const Case &c : cases()) seen.insert(c.kind);
  for (const OpInfo &info : allOps()) {
    EXPECT_EQ(seen.count(info.kind) != 0, info.elementwise) << info.name;
    if (!info.elementwise) {
      EXPECT_FALSE(evaluateScalar({info.kind, Elem::I32, Elem::I32, ""}, std::vector<Number>(3))) << info.name;
    }
  }
}

Number eval(OpKind kind, Elem elem, Elem result, std::vector<Number> operands) {
  return *evaluateScalar({kind, elem, result, ""}, operands);
}

TEST(Elementwise, The64BitIntegers) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min(), kMax = std::numeric_limits<int64_t>::max();
  auto of = [](OpKind kind, Elem elem, int64_t a, int64_t b) {
    return eval(kind, elem, elem, {integerNumber(a), integerNumber(b)}).i;
  };
  EXPECT_EQ(of(OpKind::AddI, Elem::Index, kMax, 1), kMin);
  EXPECT_EQ(of(OpKind::MulI, Elem::I64, kMax, 2), -2);
  EXPECT_EQ(of(OpKind::DivSI, Elem::I64, kMin, -1), 0);
  EXPECT_EQ(of(OpKind::DivSI, Elem::I64, kMin, 3), kMin / 3);
  EXPECT_EQ(of(OpKind::RemSI, Elem::Index, kMin, -1), 0);
  EXPECT_EQ(of(OpKind::RemSI, Elem::Index, kMin, 10), -8);
  EXPECT_EQ(of(OpKind::CeilDivSI, Elem::Index, kMax, 2), kMax / 2 + 1);
  EXPECT_EQ(of(OpKind::CeilDivSI, Elem::Index, kMin, 3), kMin / 3);
  EXPECT_EQ(of(OpKind::DivUI, Elem::I64, -1, 2), kMax);
  EXPECT_EQ(of(OpKind::DivSI, Elem::U64, -1, 2), kMax) << "u64 is unsigned whatever the op's name";
  EXPECT_EQ(of(OpKind::RemUI, Elem::U64, -1, 10), 5);
  EXPECT_EQ(of(OpKind::MinSI, Elem::U64, -1, 2), 2);
  EXPECT_EQ(of(OpKind::ShRUI, Elem::I64, -1, 63), 1);
  EXPECT_EQ(of(OpKind::ShRSI, Elem::I64, kMin, 63), -1);
  EXPECT_EQ(of(OpKind::ShRSI, Elem::I64, kMin, 64), -1);
  EXPECT_EQ(of(OpKind::ShLI, Elem::I64, 1, 63), kMin);
  EXPECT_EQ(of(OpKind::ShLI, Elem::I64, 1, 64), 0);
}

TEST(Elementwise, IntegersToFloatsRoundOnce) {
  // If the integer were converted to f64 first, the result would be a tie and round down.
  int64_t justAboveATie = (int64_t{1} << 60) + (int64_t{1} << 36) + 1;
  EXPECT_EQ(eval(OpKind::SIToFP, Elem::I64, Elem::F32, {integerNumber(justAboveATie)}).f, 0x1p60 + 0x1p37);
  EXPECT_EQ(eval(OpKind::SIToFP, Elem::I64, Elem::F32, {integerNumber(justAboveATie - 1)}).f, 0x1p60);
  EXPECT_EQ(eval(OpKind::SIToFP, Elem::I64, Elem::F32, {integerNumber(-justAboveATie)}).f, -0x1p60 - 0x1p37);
  EXPECT_EQ(eval(OpKind::UIToFP, Elem::I64, Elem::F64, {integerNumber(-1)}).f, 0x1p64);
  EXPECT_EQ(eval(OpKind::UIToFP, Elem::I64, Elem::BF16, {integerNumber(-1)}).f, 0x1p64);
  EXPECT_EQ(eval(OpKind::SIToFP, Elem::U64, Elem::F32, {integerNumber(-1)}).f, 0x1p64);
  EXPECT_EQ(eval(OpKind::UIToFP, Elem::I64, Elem::F32, {integerNumber(std::numeric_limits<int64_t>::min())}).f, 0x1p63);
  for (int64_t low : {-3, -1, 0, 1, 3, 1023, 1024, 1025})
    for (int64_t high : {int64_t{1} << 53, int64_t{1} << 62, -(int64_t{1} << 62)})
      EXPECT_EQ(eval(OpKind::SIToFP, Elem::I64, Elem::F32, {integerNumber(high + low)}).f,
                static_cast<double>(static_cast<float>(high + low)))
          << high << " + " << low;
}

TEST(Elementwise, FloatsToIntegersNeverCrash) {
  for (Elem to : {Elem::I1, Elem::I8, Elem::I32, Elem::I64, Elem::U8, Elem::U64, Elem::Index})
    for (double x : {kNaN, kInf, -kInf, 1e300, -1e300, 0x1p63, -0x1p63, 0x1p64, -0x1.1p63})
      for (OpKind kind : {OpKind::FPToSI, OpKind::FPToUI}) {
        int64_t got = eval(kind, Elem::F64, to, {floatNumber(x)}).i;
        EXPECT_TRUE(fitsInteger(to, got));
      }
  EXPECT_EQ(eval(OpKind::FPToUI, Elem::F64, Elem::U64, {floatNumber(0x1.8p63)}).i, static_cast<int64_t>(0xC000000000000000u));
}

TEST(Elementwise, FmaRoundsOnce) {
  auto fma = [](Elem elem, double a, double b, double c) {
    return eval(OpKind::Fma, elem, elem, {floatNumber(a), floatNumber(b), floatNumber(c)}).f;
  };
  // The product is a tie, and the addend is smaller than the last bit of the product in f64.
  EXPECT_EQ(fma(Elem::BF16, 1 + 0x1p-7, 1.5, 0x1p-100), 1.5 + 0x1p-6);
  EXPECT_EQ(fma(Elem::BF16, 1 + 0x1p-7, 1.5, -0x1p-100), 1.5 + 0x1p-7);
  double a = 1 + 0x1p-12, b = 1 + 0x1p-12; // product 1 + 2^-11 + 2^-24: a tie in f32
  EXPECT_EQ(fma(Elem::F32, a, b, 0x1p-140), static_cast<double>(std::fmaf(1 + 0x1p-12f, 1 + 0x1p-12f, 0x1p-140f)));
  EXPECT_EQ(fma(Elem::F32, a, b, 0x1p-140), 1 + 0x1p-11 + 0x1p-23);
  EXPECT_EQ(fma(Elem::F32, a, b, -0x1p-140), 1 + 0x1p-11);
  EXPECT_EQ(fma(Elem::F64, 1 + 0x1p-30, 1 + 0x1p-30, -1), 0x1p-29 + 0x1p-60);
  EXPECT_EQ(fma(Elem::F32, 1e30, 1e30, -kInf), -kInf);
  EXPECT_TRUE(std::isnan(fma(Elem::F32, kInf, 0, 1)));
  std::mt19937_64 random(11);
  for (int i = 0; i < 200000; ++i) {
    auto value = [&](int spread) {
      float mantissa = 1.0f + static_cast<float>(random() >> 41) * 0x1p-23f;
      return std::ldexp(random() & 1 ? mantissa : -mantissa,
                        static_cast<int>(random() % static_cast<unsigned>(spread)) - spread / 2);
    };
    float x = value(20), y = value(20), z = value(80);
    ASSERT_EQ(fma(Elem::F32, x, y, z), static_cast<double>(std::fmaf(x, y, z))) << x << " " << y << " " << z;
  }
}

TEST(Elementwise, ArithmeticIsThatOfTheHardware) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 100000; ++i) {
    auto bits = static_cast<uint32_t>(random()), bits2 = static_cast<uint32_t>(random() >> 32);
    float a, b;
    std::memcpy(&a, &bits, 4);
    std::memcpy(&b, &bits2, 4);
    if (std::isnan(a) || std::isnan(b)) continue;
    auto of = [&](OpKind kind) { return eval(kind, Elem::F32, Elem::F32, {floatNumber(a), floatNumber(b)}).f; };
    auto same = [](double x, float y) { return std::isnan(y) ? std::isnan(x) : x == static_cast<double>(y); };
    ASSERT_TRUE(same(of(OpKind::AddF), a + b)) << a << " " << b;
    ASSERT_TRUE(same(of(OpKind::SubF), a - b)) << a << " " << b;
    ASSERT_TRUE(same(of(OpKind::MulF), a * b)) << a << " " << b;
    ASSERT_TRUE(same(of(OpKind::DivF), a / b)) << a << " " << b;
    ASSERT_TRUE(same(of(OpKind::RemF), std::fmod(a, b))) << a << " " << b;
    ASSERT_TRUE(same(eval(OpKind::Sqrt, Elem::F32, Elem::F32, {floatNumber(a)}).f, std::sqrt(a))) << a;
  }
}

TEST_F(ElementwiseTest, AScalarConditionChoosesAWholeVector) {
  Value *out = matrixParam(Elem::I32);
  Value *flag = param(context.i1());
  Type v = context.vector({2, 3}, Elem::I32);
  Value *chosen = b.value(OpKind::Select, {flag, b.constantInt(v, 4), b.constantInt(v, 9)}, v);
  store(chosen, tileAt(out, 0, 0, {2, 3}));
  Array array(Elem::I32, {2, 3});
  for (int64_t condition : {0, 1}) {
    run({array.arg(), intArg(condition)});
    array.forEach([&](const auto &index) { EXPECT_EQ(array.number(index), condition ? 4 : 9); });
  }
}

TEST(Elementwise, MovingKeepsEveryBit) {
  for (uint32_t pattern : {0x7F800001u, 0xFFC12345u, 0x3F800001u}) {
    for (Elem elem : {Elem::F32, Elem::TF32}) {
      uint32_t back = 0;
      storeNumber(elem, &back, loadNumber(elem, &pattern));
      EXPECT_EQ(back, pattern) << elemName(elem);
    }
    auto value = static_cast<int64_t>(static_cast<int32_t>(pattern));
    Number f = eval(OpKind::Bitcast, Elem::I32, Elem::F32, {integerNumber(value)});
    EXPECT_EQ(eval(OpKind::Bitcast, Elem::F32, Elem::I32, {f}).i, value);
  }
}

} // namespace
} // namespace xt
