// The interface of the arithmetic that the interpreter computes with.
//
// IEEE arithmetic defines the meaning of a kernel. An algebraic run (field_arithmetic.h) replaces floats by elements of a
// finite field; integers, masks and control flow are unchanged. Each implementation defines the content of a `Number` of a
// float type: only its own functions may access it.
#pragma once
#include "ir/interp/mma.h"
#include "ir/interp/scalar_eval.h"

namespace xt {

class Arithmetic {
public:
  virtual ~Arithmetic() = default;
  // The number of type `elem` for an attribute (a constant, a padding) or an argument of a launch.
  virtual Number constant(Elem elem, const AttrValue &value) = 0;
  // The number that loads give for elements out of bounds. `written` is the op's padding attribute; null stands for 0.
  Number padding(Elem elem, const AttrValue *written) { return constant(elem, written ? *written : AttrValue(int64_t{0})); }
  // Loads or stores an element in memory, at any alignment.
  virtual Number load(Elem elem, const void *bytes) = 0;
  virtual void store(Elem elem, void *bytes, Number value) = 0;
  // See evaluateElementwise (scalar_eval.h) and multiplyAccumulate (mma.h).
  virtual void elementwise(const ElementwiseOp &op, std::span<const Numbers> operands, Number *out, size_t count) = 0;
  virtual void multiplyAccumulate(Elem operand, Elem result, MmaExtents shape, const Number *a, const Number *b,
                                  Number *acc) = 0;
  // The value of a number of a float type, as `print` shows it.
  virtual double real(Number number) const = 0;
  // Called when a workgroup begins: the numbers of the previous one are no longer used. Memory keeps its contents.
  virtual void beginWorkgroup() {}

  // Numbers may refer to values that an implementation stores. If wantsToFree() is true, the workgroup stops between two
  // steps, calls inUse() for every number of any type that its subgroups hold, and then freeOthers(), which frees all other
  // values.
  virtual bool wantsToFree() const { return false; }
  virtual void inUse(Number) {}
  virtual void freeOthers() {}
};

// IEEE arithmetic. The object has no state, so all runs may share it.
Arithmetic &ieeeArithmetic();

} // namespace xt
