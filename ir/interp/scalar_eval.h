// The arithmetic of every elementwise op, on numbers and on arrays of them: the single implementation that the interpreter, the
// grid's bounds and constant folding share.
//
// - Floats: each op is computed exactly, or in f64, and rounded once to its type. In f32 and narrower types + - * / sqrt fma
//   are correctly rounded; functions (exp …) are the f64 results, rounded. Comparisons and min/max follow IEEE 754-2019.
// - Integers wrap around. An op interprets its operands by their type (iN and index signed, uN unsigned; a true
//   i1 is -1 if signed); the `…ui` ops and the `u` comparisons interpret the bits as an unsigned number.
// - Cases that the language leaves unspecified: division by zero and the one quotient that overflows give 0; shifts by the
//   width or more give 0, or the sign; a float that does not fit an integer is taken modulo 2^n, and is 0 if it is NaN, inf
//   or beyond 64 bits.
#pragma once
#include "ir/elem.h"
#include "ir/op.h"

#include <optional>
#include <span>
#include <string_view>

namespace xt {

// One element. `f` is for a float type and holds the element's exact value; `i` is for an integer type, wrapped to it (wrapTo).
union Number {
  int64_t i = 0;
  double f;
};

inline Number integerNumber(int64_t value) {
  Number n;
  n.i = value;
  return n;
}
inline Number floatNumber(double value) {
  Number n;
  n.f = value;
  return n;
}

// The number for an attribute (a constant's value, a padding) in an element type: rounded, or wrapped.
Number numberFromAttr(Elem elem, const AttrValue &value);

// Loads or stores an element in memory, at any alignment. This preserves every bit, also of a NaN, and all 32 bits of a tf32.
Number loadNumber(Elem elem, const void *bytes);
void storeNumber(Elem elem, void *bytes, Number value);

// The parameters of an elementwise op: the element types of its last operand and of its result. `compare` is the kind of a cmpi
// or cmpf, "" otherwise.
struct ElementwiseOp {
  OpKind kind;
  Elem operand;
  Elem result;
  std::string_view compare;
};
// The parameters of an op that the op table marks as elementwise.
ElementwiseOp elementwiseOp(const Op &op);

// An operand of `count` elements; with step 0 one element is used for all (a scalar combined with vectors).
struct Numbers {
  const Number *data;
  size_t step = 1;
};

// out[k] = op(operands[0][k], …) for k < count. `out` may be the array of an operand.
void evaluateElementwise(const ElementwiseOp &op, std::span<const Numbers> operands, Number *out, size_t count);

// Evaluates an op on one element of each operand. Nullopt if the op is not elementwise.
std::optional<Number> evaluateScalar(const ElementwiseOp &op, std::span<const Number> operands);

} // namespace xt
