#include "ir/elem_kinds.h"
#include "ir/interp/field.h"
#include "ir/interp/field_arithmetic.h"
#include "ir/op_kinds.h"

#include "kernel_fixture.h"

#include <cmath>
#include <limits>

namespace xt {
namespace {

FieldValue real(double value) { return fieldFromReal(Elem::F32, value); }
FieldValue unknown(uint64_t index) { return fieldUnknown(0.25 + 0.001 * static_cast<double>(index), 7, index); }
FieldValue apply(OpKind kind, FieldValue x) { return fieldApply(kind, {&x, 1}); }
FieldValue apply(OpKind kind, FieldValue x, FieldValue y) {
  FieldValue operands[] = {x, y};
  return fieldApply(kind, operands);
}

TEST(Field, SumsAndProductsObeyTheLawsOfAField) {
  for (uint64_t i = 0; i < 50; ++i) {
    FieldValue a = unknown(3 * i), b = unknown(3 * i + 1), c = unknown(3 * i + 2);
    EXPECT_TRUE(sameField(fieldAdd(a, fieldAdd(b, c)), fieldAdd(fieldAdd(c, b), a)));
    EXPECT_TRUE(sameField(fieldMultiply(a, fieldAdd(b, c)), fieldAdd(fieldMultiply(a, b), fieldMultiply(a, c))));
    EXPECT_TRUE(sameField(fieldMultiply(apply(OpKind::DivF, a, b), b), a));
    EXPECT_TRUE(sameField(apply(OpKind::SubF, fieldAdd(a, b), b), a));
    EXPECT_FALSE(sameField(a, b));
  }
}

TEST(Field, TheFinalStepOfALongSumShowsHoweverSmallItIs) {
  FieldValue all, without;
  for (uint64_t k = 0; k < 1000; ++k) {
    FieldValue term = fieldMultiply(unknown(k), unknown(k + 5000));
    all = fieldAdd(all, term);
    if (k < 999) without = fieldAdd(without, term);
  }
  EXPECT_FALSE(sameField(all, without));
}

TEST(Field, ExpTurnsSumsIntoProducts) {
  FieldValue a = unknown(1), b = unknown(2);
  EXPECT_TRUE(sameField(apply(OpKind::Exp, fieldAdd(a, b)), fieldMultiply(apply(OpKind::Exp, a), apply(OpKind::Exp, b))));
  EXPECT_FALSE(sameField(apply(OpKind::Exp, a), apply(OpKind::Exp, b)));
  EXPECT_TRUE(sameField(apply(OpKind::Exp, real(0)), real(1)));
  // With the f32 literal of log2(e), exp2(x * log2(e)) is exp(x).
  EXPECT_TRUE(sameField(apply(OpKind::Exp2, fieldMultiply(a, real(1.4426950408889634))), apply(OpKind::Exp, a)));
  EXPECT_TRUE(sameField(apply(OpKind::Exp, real(-std::numeric_limits<double>::infinity())), real(0)));
}

TEST(Field, ASoftmaxDoesNotDependOnWhatIsSubtracted) {
  FieldValue a = unknown(1), b = unknown(2), shift = unknown(3);
  auto share = [&](FieldValue m) {
    FieldValue x = apply(OpKind::Exp, apply(OpKind::SubF, a, m)), y = apply(OpKind::Exp, apply(OpKind::SubF, b, m));
    return apply(OpKind::DivF, x, fieldAdd(x, y));
  };
  EXPECT_TRUE(sameField(share(a), share(shift)));
}

TEST(Field, TanhAndSigmoidComeFromExp) {
  FieldValue a = unknown(1), half = real(0.5), one = real(1);
  FieldValue sigmoid = apply(OpKind::DivF, one, fieldAdd(one, apply(OpKind::Exp, apply(OpKind::NegF, a))));
  FieldValue byTanh = fieldMultiply(half, fieldAdd(one, apply(OpKind::Tanh, fieldMultiply(half, a))));
  EXPECT_TRUE(sameField(sigmoid, byTanh));
  EXPECT_TRUE(sameField(apply(OpKind::Tanh, apply(OpKind::NegF, a)), apply(OpKind::NegF, apply(OpKind::Tanh, a))));
}

TEST(Field, UninterpretedFunctionsGiveTheSameForTheSame) {
  FieldValue a = unknown(1), b = unknown(2), minus = apply(OpKind::NegF, a);
  for (OpKind kind : {OpKind::Erf, OpKind::Sin, OpKind::Atan}) {
    EXPECT_TRUE(sameField(apply(kind, fieldAdd(a, b)), apply(kind, fieldAdd(b, a))));
    EXPECT_TRUE(sameField(apply(kind, minus), apply(OpKind::NegF, apply(kind, a))));
    EXPECT_FALSE(sameField(apply(kind, a), apply(kind, b)));
  }
  EXPECT_TRUE(sameField(apply(OpKind::Cos, minus), apply(OpKind::Cos, a)));
  EXPECT_FALSE(sameField(apply(OpKind::Sin, a), apply(OpKind::Erf, a)));
  EXPECT_TRUE(sameField(apply(OpKind::Rsqrt, a), apply(OpKind::DivF, real(1), apply(OpKind::Sqrt, a))));
  EXPECT_TRUE(sameField(apply(OpKind::Rsqrt, real(64)), real(0.125)));
}

TEST(Field, LiteralsAreWhatTheyWereWrittenAs) {
  // A literal is one tenth, whichever type it was rounded to.
  for (Elem elem : {Elem::F16, Elem::F32, Elem::F64})
    EXPECT_TRUE(sameField(fieldMultiply(fieldFromReal(elem, roundTo(elem, 0.1)), fieldFromInteger(10)), fieldFromInteger(1)))
        << elemName(elem);
  EXPECT_TRUE(sameField(real(0.70710678118654752), real(static_cast<float>(0.70710678118654752))));
  // Powers of two are exact, in narrow types too.
  for (Elem elem : {Elem::BF16, Elem::F16, Elem::F32})
    for (int e = 0; e <= 14; ++e)
      EXPECT_TRUE(sameField(fieldMultiply(fieldFromReal(elem, std::ldexp(1, -e)), fieldFromInteger(int64_t{1} << e)),
                            fieldFromInteger(1)))
          << elemName(elem) << " 2^-" << e;
  EXPECT_TRUE(sameField(real(-3), fieldFromInteger(-3)));
}

TEST(Field, LiteralsOfF64HaveTheDigitsOfF64) {
  double near = 0.1000000001;
  EXPECT_TRUE(sameField(real(near), real(0.1)));
  EXPECT_FALSE(sameField(fieldFromReal(Elem::F64, near), fieldFromReal(Elem::F64, 0.1)));
  EXPECT_TRUE(
      sameField(fieldMultiply(fieldFromReal(Elem::F64, near), fieldFromInteger(10000000000)), fieldFromInteger(1000000001)));
  EXPECT_TRUE(sameField(fieldFromReal(Elem::F64, 0.1), real(0.1)));
  // With the literal of log2(e) in either type, exp2(x * log2(e)) is exp(x).
  FieldValue a = unknown(1), log2e = fieldFromReal(Elem::F64, 1.4426950408889634);
  EXPECT_TRUE(sameField(apply(OpKind::Exp2, fieldMultiply(a, log2e)), apply(OpKind::Exp, a)));
  EXPECT_TRUE(sameField(fieldFromReal(Elem::F64, -1.4426950408889634), apply(OpKind::NegF, log2e)));
  EXPECT_FALSE(sameField(fieldFromReal(Elem::F64, 1.442695040889), log2e));
}

// A value that is 0 in the field may have a real value that is a rounding error, such as 0.1 + 0.2 - 0.3.
TEST(Field, NothingIsDividedByAnAlgebraicZero) {
  FieldValue a = unknown(1), zero = apply(OpKind::SubF, fieldAdd(real(0.1), real(0.2)), real(0.3));
  ASSERT_TRUE(sameField(zero, real(0)));
  ASSERT_NE(zero.real, 0);
  EXPECT_FALSE(std::isfinite(apply(OpKind::DivF, a, zero).real));
  EXPECT_FALSE(sameField(apply(OpKind::DivF, a, zero), real(0)));
  EXPECT_FALSE(std::isfinite(apply(OpKind::DivF, zero, zero).real));
  EXPECT_FALSE(std::isfinite(apply(OpKind::RemF, a, zero).real));
  EXPECT_FALSE(std::isfinite(apply(OpKind::PowF, zero, real(-2)).real));
  EXPECT_TRUE(std::isnan(apply(OpKind::Rsqrt, zero).real));
  EXPECT_TRUE(sameField(apply(OpKind::Sqrt, zero), real(0)));
  EXPECT_EQ(apply(OpKind::DivF, a, real(0)).real, std::numeric_limits<double>::infinity());
  EXPECT_EQ(apply(OpKind::Rsqrt, real(0)).real, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(sameField(apply(OpKind::PowF, a, real(-2)), apply(OpKind::DivF, real(1), fieldMultiply(a, a))));
}

TEST(Field, WhatIsNoNumberOrInfiniteKeepsItsRules) {
  double inf = std::numeric_limits<double>::infinity();
  FieldValue low = real(-inf), a = unknown(1);
  EXPECT_TRUE(sameField(apply(OpKind::MaximumF, low, a), a));
  EXPECT_TRUE(sameField(fieldAdd(low, a), low));
  EXPECT_TRUE(std::isnan(fieldMultiply(low, real(0)).real));
  EXPECT_TRUE(sameField(apply(OpKind::DivF, a, real(inf)), real(0)));
  EXPECT_FALSE(sameField(low, real(inf)));
}

TEST(Field, DotProductsAreTheSumsOfProducts) {
  for (bool infinite : {false, true}) {
    std::vector<FieldValue> a, b;
    for (uint64_t k = 0; k < 75; ++k) a.push_back(unknown(k)), b.push_back(unknown(100 + k));
    if (infinite) b[40] = real(std::numeric_limits<double>::infinity());
    FieldValue dot = unknown(999), sum = dot;
    fieldDot(dot, a.data(), 1, b.data(), 1, a.size());
    for (size_t k = 0; k < a.size(); ++k) sum = fieldAdd(sum, fieldMultiply(a[k], b[k]));
    EXPECT_TRUE(sameField(dot, sum));
  }
}

TEST(FieldArithmetic, MemoryRemembersElementsUntilItsBytesChange) {
  FieldArithmetic arithmetic;
  float memory[2] = {1, 2};
  arithmetic.setMemory(Elem::F32, &memory[0], fieldUnknown(1, 1, 1));
  FieldValue kept = arithmetic.inMemory(Elem::F32, &memory[0]);
  EXPECT_TRUE(sameField(kept, fieldUnknown(1, 1, 1)));
  EXPECT_TRUE(sameField(arithmetic.inMemory(Elem::F32, &memory[1]), fieldFromInteger(2)));
  memory[0] = 3;
  EXPECT_TRUE(sameField(arithmetic.inMemory(Elem::F32, &memory[0]), fieldFromInteger(3)));
}

// A loop that adds a tile 1000 times computes four million values, of which two tiles are in use at a time.
class FieldKernelTest : public KernelTest {};
TEST_F(FieldKernelTest, ValuesThatAreNoLongerUsedAreFreed) {
  constexpr int64_t kRows = 64, kSteps = 1000;
  Value *a = matrixParam(Elem::F32), *c = matrixParam(Elem::F32);
  Value *x = load(tileAt(a, 0, 0, {kRows, kRows}));
  std::vector<Value *> sums = loop(b.index(0), b.index(kSteps), b.index(1), {x}, [&](Value *, std::vector<Value *> carried) {
    return std::vector<Value *>{b.value(OpKind::AddF, {carried[0], x}, x->type())};
  });
  store(sums[0], tileAt(c, 0, 0, {kRows, kRows}));
  Array from(Elem::F32, {kRows, kRows}), to(Elem::F32, {kRows, kRows});
  from.fill([](int64_t i) { return static_cast<double>(i); });
  FieldArithmetic arithmetic;
  InterpOptions options;
  options.arithmetic = &arithmetic;
  Result<void> done = interpret(kernel, {from.arg(), to.arg()}, {}, options);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_LT(arithmetic.tableSize(), size_t{1} << 19);
  auto *first = static_cast<float *>(to.arg().buffer.data);
  for (int64_t i = 0; i < kRows * kRows; ++i)
    ASSERT_TRUE(sameField(arithmetic.inMemory(Elem::F32, first + i), fieldFromInteger((kSteps + 1) * i))) << i;
}

} // namespace
} // namespace xt
