// The arithmetic of every elementwise op, on numbers and on arrays of them: the one implementation, shared by the
// interpreter, the grid's bounds and constant folding.
//
// - Floats: each op is computed exactly, or in f64, and rounded once to its type. f32 and narrower: + - * / sqrt fma
//   are correctly rounded; functions (exp …) are those of f64 rounded. Comparisons and min/max are IEEE 754-2019's.
// - Integers wrap around. An op takes the value that its operand's type says (iN and index signed, uN unsigned, a true
//   i1 is -1 where it is signed); the `…ui` ops and the `u` comparisons take the bits as an unsigned number.
// - What language.md leaves unspecified: division by zero and the one quotient that does not fit give 0; shifts by the
//   width or more give 0, or the sign; a float that an integer cannot hold is taken modulo 2^n, and 0 if it is NaN, inf
//   or beyond 64 bits.
#pragma once
#include "ir/elem.h"
#include "ir/op.h"

#include <optional>
#include <span>
#include <string_view>

namespace xt {

// One element: `f` of a float type, holding the element's exact value; `i` of an integer type, wrapped to it (wrapTo).
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

// The number that an attribute (a constant's value, a padding) gives an element type: rounded, or wrapped.
Number numberFromAttr(Elem elem, const AttrValue &value);

// Memory images, at any alignment. Loading and storing keeps every bit, also of a NaN and of an f32 in a tf32's place.
Number loadNumber(Elem elem, const void *bytes);
void storeNumber(Elem elem, void *bytes, Number value);

// What an elementwise op works on: the element types of its last operand and of its result. `compare` is the kind of a
// cmpi or cmpf, "" otherwise.
struct ElementwiseOp {
  OpKind kind;
  Elem operand;
  Elem result;
  std::string_view compare;
};
// Of an op whose row says elementwise.
ElementwiseOp elementwiseOp(const Op &op);

// An operand of `count` elements; step 0 repeats one for all (a scalar beside vectors).
struct Numbers {
  const Number *data;
  size_t step = 1;
};

// out[k] = op(operands[0][k], …) for k < count. `out` may be an operand's own array.
void evaluateElementwise(const ElementwiseOp &op, std::span<const Numbers> operands, Number *out, size_t count);

// The same for one element; nullopt for ops that are not elementwise.
std::optional<Number> evaluateScalar(const ElementwiseOp &op, std::span<const Number> operands);

} // namespace xt
