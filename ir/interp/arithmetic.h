// The numbers that the interpreter computes with.
//
// IEEE arithmetic is the definition of what a kernel means. An algebraic run (field_arithmetic.h) puts elements of a
// finite field in the place of floats; integers, masks and control flow stay as they are. An implementation decides what
// the `Number` of a float type holds: only its own functions look inside one.
#pragma once
#include "ir/interp/mma.h"
#include "ir/interp/scalar_eval.h"

namespace xt {

class Arithmetic {
public:
  virtual ~Arithmetic() = default;
  // The number that an attribute (a constant, a padding) or an argument of a launch gives an element type.
  virtual Number constant(Elem elem, const AttrValue &value) = 0;
  // An element in memory, at any alignment.
  virtual Number load(Elem elem, const void *bytes) = 0;
  virtual void store(Elem elem, void *bytes, Number value) = 0;
  // As evaluateElementwise and multiplyAccumulate.
  virtual void elementwise(const ElementwiseOp &op, std::span<const Numbers> operands, Number *out, size_t count) = 0;
  virtual void multiplyAccumulate(Elem operand, Elem result, MmaExtents shape, const Number *a, const Number *b,
                                  Number *acc) = 0;
  // A workgroup begins: the numbers of the one before are no longer used. What memory holds stays.
  virtual void beginWorkgroup() {}
};

// Keeps no state, so that all may use it at once.
Arithmetic &ieeeArithmetic();

} // namespace xt
