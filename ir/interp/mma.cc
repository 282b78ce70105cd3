#include "ir/interp/mma.h"
#include "ir/elem_kinds.h"

#include <cmath>
#include <vector>

namespace xt {

namespace {
// The number of products between two roundings of a 16-bit accumulator (lang/reference/tiles_and_products.md).
constexpr size_t kProductsPerRounding = 8;

double asF32(double value) { return static_cast<double>(static_cast<float>(value)); }

// Calls add(sum, x, y) for each product, and afterStep(row, products so far) after each step along the depth.
template <class Add, class AfterStep>
void accumulate(MmaExtents shape, const Number *a, const Number *b, Number *acc, Add add, AfterStep afterStep) {
  for (size_t r = 0; r < shape.rows; ++r) {
    Number *row = acc + r * shape.columns;
    for (size_t k = 0; k < shape.depth; ++k) {
      Number x = a[r * shape.depth + k];
      const Number *y = b + k * shape.columns;
      for (size_t c = 0; c < shape.columns; ++c) add(row[c], x, y[c]);
      afterStep(row, k + 1);
    }
  }
}
void nothing(Number *, size_t) {}

std::vector<Number> roundedToTf32(const Number *values, size_t count) {
  std::vector<Number> rounded(values, values + count);
  for (Number &value : rounded) value.f = roundTo(Elem::TF32, value.f);
  return rounded;
}
} // namespace

void multiplyAccumulate(Elem operand, Elem result, MmaExtents shape, const Number *a, const Number *b, Number *acc) {
  if (isInteger(result)) {
    accumulate(shape, a, b, acc, [](Number &sum, Number x, Number y) { sum.i += x.i * y.i; }, nothing);
    for (size_t k = 0; k < shape.rows * shape.columns; ++k) acc[k].i = wrapTo(result, acc[k].i);
    return;
  }
  std::vector<Number> roundedA, roundedB;
  if (operand == Elem::TF32) {
    roundedA = roundedToTf32(a, shape.rows * shape.depth);
    roundedB = roundedToTf32(b, shape.depth * shape.columns);
    a = roundedA.data();
    b = roundedB.data();
  }
  auto fused64 = [](Number &sum, Number x, Number y) { sum.f = std::fma(x.f, y.f, sum.f); };
  auto fused32 = [](Number &sum, Number x, Number y) {
    sum.f = std::fmaf(static_cast<float>(x.f), static_cast<float>(y.f), static_cast<float>(sum.f));
  };
  // A product has at most 22 bits, so it is exact. If f64 cannot represent the sum exactly, the bits that are dropped are too
  // far below the last place of f32 to turn the second rounding into a tie.
  auto add32 = [](Number &sum, Number x, Number y) { sum.f = asF32(sum.f + x.f * y.f); };
  auto narrow = [&](Number *row, size_t products) {
    if (products % kProductsPerRounding != 0 && products != shape.depth) return;
    for (size_t c = 0; c < shape.columns; ++c) row[c].f = roundTo(result, row[c].f);
  };
  bool narrowResult = result == Elem::F16 || result == Elem::BF16;
  if (operand == Elem::F64)
    accumulate(shape, a, b, acc, fused64, nothing);
  else if (operand == Elem::F32 && narrowResult)
    accumulate(shape, a, b, acc, fused32, narrow);
  else if (operand == Elem::F32)
    accumulate(shape, a, b, acc, fused32, nothing);
  else if (narrowResult)
    accumulate(shape, a, b, acc, add32, narrow);
  else
    accumulate(shape, a, b, acc, add32, nothing);
}

} // namespace xt
