#include "targets/llvm/trigonometric.h"

#include "ir/op_kinds.h"
#include "targets/llvm/double_code.h"
#include "targets/llvm/reduced_angle.h"

#include <limits>

namespace xt {
namespace {

constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
// pi/2 as a sum of three numbers.
constexpr double kHalfPi[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
constexpr double kLarge = 0x1p30;
// Below this, sin(x) rounds to x, and cos(x) to 1.
constexpr double kTiny = 0x1p-27;

// (-1)^(k + 1)/(2k + 3)! for (sin(r) - r) / r^3, |r| <= pi/4: the first term left out is 1e-19 of sin(r) with 8 terms, and 9e-12 with 5.
template <size_t n> constexpr std::array<double, n> sineTerms() {
  std::array<double, n> terms{};
  double factorial = -1;
  for (size_t k = 0; k < n; ++k) factorial *= -static_cast<double>((2 * k + 2) * (2 * k + 3)), terms[k] = -1 / factorial;
  return terms;
}
// (-1)^k/(2k + 4)! for (cos(r) - 1 + r^2/2) / r^4, |r| <= pi/4: the first term left out is 3e-18 of cos(r) with 7 terms, and 2e-10 with 4.
template <size_t n> constexpr std::array<double, n> cosineTerms() {
  std::array<double, n> terms{};
  double factorial = -2;
  for (size_t k = 0; k < n; ++k) factorial *= -static_cast<double>((2 * k + 3) * (2 * k + 4)), terms[k] = 1 / factorial;
  return terms;
}

class Trigonometric : DoubleCode {
public:
  Trigonometric(llvm::IRBuilderBase &builder, llvm::Type *type, bool single) : DoubleCode(builder, type), single_(single) {}

  LlvmValue *compute(OpKind kind, LlvmValue *x) {
    Angle angle = reduce(x);
    LlvmValue *quadrant = kind == OpKind::Cos ? b.CreateAdd(angle.quadrant, integer(1)) : angle.quadrant;
    auto bit = [&](uint64_t value) { return b.CreateICmpNE(b.CreateAnd(quadrant, integer(value)), integer(0)); };
    LlvmValue *value = b.CreateSelect(bit(1), cosine(angle), sine(angle));
    value = b.CreateSelect(bit(2), b.CreateFNeg(value), value);
    LlvmValue *size = magnitude(x);
    if (kind == OpKind::Sin) value = b.CreateSelect(b.CreateFCmpOLT(size, number(kTiny)), x, value);
    LlvmValue *finite = b.CreateFCmpOLT(size, number(std::numeric_limits<double>::infinity()));
    return b.CreateSelect(finite, value, b.CreateFSub(x, x));
  }

private:
  struct Angle {
    LlvmValue *quadrant, *high, *low;
  };

  Angle reduce(LlvmValue *x) {
    Angle few = reduceFew(x);
    LlvmValue *large = b.CreateFCmpUGE(magnitude(x), number(kLarge));
    LlvmValue *any = large->getType()->isVectorTy() ? b.CreateOrReduce(large) : large;
    LlvmValues reduced = ifElse(
        b, any,
        [&]() -> LlvmValues {
          Angle many = reduceMany(x);
          return {b.CreateSelect(large, many.quadrant, few.quadrant), b.CreateSelect(large, many.high, few.high),
                  b.CreateSelect(large, many.low, few.low)};
        },
        [&]() -> LlvmValues { return {few.quadrant, few.high, few.low}; });
    return {reduced[0], reduced[1], reduced[2]};
  }
  // The subtraction of n times the first part is exact, as the result has at most 53 bits above the last one of that part. An f32 is
  // so far from all multiples of pi/2 that the second part is enough.
  Angle reduceFew(LlvmValue *x) {
    LlvmValue *image = fma(x, number(kTwoOverPi), number(kRounder)), *n = b.CreateFSub(image, number(kRounder));
    LlvmValue *first = fma(n, number(-kHalfPi[0]), x);
    if (single_) return {asInteger(image), fma(n, number(-kHalfPi[1]), first), number(0)};
    DoublePair second = product(n, number(-kHalfPi[1]));
    // Knuth's TwoSum, as either may be the larger.
    LlvmValue *high = b.CreateFAdd(first, second.high), *virtualSecond = b.CreateFSub(high, first);
    LlvmValue *lost =
        b.CreateFAdd(b.CreateFSub(first, b.CreateFSub(high, virtualSecond)), b.CreateFSub(second.high, virtualSecond));
    return {asInteger(image), high, b.CreateFAdd(lost, fma(n, number(-kHalfPi[2]), second.low))};
  }
  Angle reduceMany(LlvmValue *x) {
    llvm::Function *function = reducedAngle(b);
    auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(doubles_);
    unsigned lanes = vector ? vector->getNumElements() : 1;
    LlvmValue *parts[3] = {llvm::PoisonValue::get(ints_), llvm::PoisonValue::get(doubles_), llvm::PoisonValue::get(doubles_)};
    for (unsigned lane = 0; lane < lanes; ++lane) {
      LlvmValue *result = b.CreateCall(function, {vector ? b.CreateExtractElement(x, lane) : x});
      for (unsigned i = 0; i < 3; ++i) {
        LlvmValue *part = b.CreateExtractValue(result, i);
        parts[i] = vector ? b.CreateInsertElement(parts[i], part, lane) : part;
      }
    }
    return {parts[0], parts[1], parts[2]};
  }

  // sin(high + low) = sin(high) + low cos(high), and the same for cos, with 1 - high^2/2 and high for the factors of low.
  LlvmValue *sine(const Angle &angle) {
    LlvmValue *square = b.CreateFMul(angle.high, angle.high), *cube = b.CreateFMul(square, angle.high);
    if (single_) return fma(cube, polynomial(sineTerms<5>(), square), angle.high);
    LlvmValue *low = b.CreateFMul(angle.low, fma(square, number(-0.5), number(1)));
    return b.CreateFAdd(angle.high, fma(cube, polynomial(sineTerms<8>(), square), low));
  }
  LlvmValue *cosine(const Angle &angle) {
    LlvmValue *square = b.CreateFMul(angle.high, angle.high), *fourth = b.CreateFMul(square, square);
    if (single_) return fma(fourth, polynomial(cosineTerms<4>(), square), fma(square, number(-0.5), number(1)));
    LlvmValue *half = b.CreateFMul(square, number(0.5)), *most = b.CreateFSub(number(1), half);
    LlvmValue *lost = b.CreateFSub(b.CreateFSub(number(1), most), half);
    LlvmValue *rest = fma(fourth, polynomial(cosineTerms<7>(), square), fma(angle.high, b.CreateFNeg(angle.low), lost));
    return b.CreateFAdd(most, rest);
  }

  bool single_;
};

} // namespace

bool isTrigonometric(OpKind kind) { return kind == OpKind::Sin || kind == OpKind::Cos; }

LlvmValue *trigonometricFunction(llvm::IRBuilderBase &builder, OpKind kind, LlvmValue *x, bool single) {
  if (!isTrigonometric(kind)) return nullptr;
  return Trigonometric(builder, x->getType(), single).compute(kind, x);
}

} // namespace xt
