// Arithmetic on values in registers: scalars, and vectors of several elements, in the form of register_form.h.
#pragma once
#include "targets/llvm/float_arithmetic.h"
#include "targets/llvm/integer_arithmetic.h"

namespace xt {

class RegisterOps {
public:
  RegisterOps(llvm::IRBuilderBase &builder, RegisterTraits traits)
      : b(builder), form_(builder), lanes_(builder, traits.vectors), formats_(form_, traits.halves), integers_(form_, lanes_),
        floats_(form_, formats_, lanes_, traits) {}
  RegisterOps(const RegisterOps &) = delete;

  // Types and values in the form of RegisterForm.
  llvm::Type *type(Elem elem, int lanes) const { return form_.type(elem, lanes); }
  llvm::Type *storageType(Elem elem, int lanes) const { return form_.storageType(elem, lanes); }
  LlvmValue *toStorage(Elem elem, LlvmValue *value) { return form_.toStorage(elem, value); }
  LlvmValue *fromStorage(Elem elem, LlvmValue *value) { return form_.fromStorage(elem, value); }
  llvm::Constant *constant(Elem elem, const AttrValue &value, int lanes) const { return form_.constant(elem, value, lanes); }
  llvm::Constant *zero(Elem elem, int lanes) const { return llvm::Constant::getNullValue(type(elem, lanes)); }
  llvm::Constant *laneNumbers(int lanes) const { return form_.laneNumbers(lanes); }
  LlvmValue *splat(LlvmValue *scalar, int lanes) { return b.CreateVectorSplat(static_cast<unsigned>(lanes), scalar); }

  // Converts between float types with a single rounding to nearest even.
  LlvmValue *convertFloat(LlvmValue *value, Elem from, Elem to) { return formats_.convert(value, from, to); }
  // Converts an operand of tile_mma to the type in which it is multiplied: a tf32 is rounded to its mantissa, other floats
  // become f32, and integers become i32. Not for f64.
  LlvmValue *mmaOperand(LlvmValue *value, Elem from);
  // Computes the result of an op that the table marks as `elementwise`.
  LlvmValue *elementwise(const Op &op, llvm::ArrayRef<LlvmValue *> operands);
  // Applies the op of a reduction or an atomic (ir/combine.h) to two values.
  LlvmValue *combine(OpKind kind, Elem elem, LlvmValue *x, LlvmValue *y);
  // Converts an index to another element type.
  LlvmValue *indexTo(LlvmValue *value, Elem elem);
  LlvmValue *indexFrom(LlvmValue *value, Elem elem) { // from any integer type
    return form_.resizeInteger(value, elem, kIndexElem, !elemInfo(elem).isUnsigned);
  }
  // Number of bytes per lane of the type in which values of `elem` are computed.
  static int workBytes(Elem elem);
  // Number of bytes per lane of the widest type that computing the op needs; a loop over several ops uses the maximum.
  static int laneBytes(const Op &op);

  LlvmValue *stackSlot(size_t number) { return lanes_.stackSlot(number); }

private:
  LlvmValue *cast(OpKind kind, LlvmValue *value, Elem from, Elem to);

  llvm::IRBuilderBase &b;
  RegisterForm form_;
  LaneByLane lanes_;
  FloatConversion formats_;
  IntegerArithmetic integers_;
  FloatArithmetic floats_;
};

} // namespace xt
