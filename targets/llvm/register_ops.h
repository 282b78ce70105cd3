// Arithmetic on values in registers: scalars, and vectors of several elements.
//
// In registers i1 is an LLVM i1, i4 a sign-extended i8, f32 and tf32 a float, f64 a double, and every smaller float
// the integer of its bits: LLVM's types for them are not used, so that each op rounds exactly where this file says
// so. `lanes` is 0 for a scalar.
#pragma once
#include "ir/op.h"
#include "targets/llvm/loops.h"

namespace xt {

// Emits the mathematical function of an op on f32 or f64 values; if it returns null, the C library's function is called.
using FunctionCall = LlvmValue *(*)(llvm::IRBuilderBase &, OpKind, llvm::ArrayRef<LlvmValue *>);

// The name of an op's function in both the C library and OpenCL C; "" if the op is not such a function.
std::string_view mathFunctionName(OpKind kind);

// Differences between the targets that use RegisterOps.
struct RegisterTraits {
  bool halves = true;   // LLVM's half converts to and from float in one instruction
  bool doubles = true;  // f64 is supported; otherwise only f64 values use it
  bool vectors = false; // vector division is supported; otherwise it is done lane by lane
  // IEEE 754-2019's minimum and maximum are supported; otherwise they are built from those that drop a NaN.
  bool minimum = true;
  FunctionCall function = nullptr; // null: always the C library's function, lane by lane; its errors are below 2 ulp
};

class RegisterOps {
public:
  RegisterOps(llvm::IRBuilderBase &builder, RegisterTraits traits) : b(builder), traits_(traits) {}

  llvm::Type *type(Elem elem, int lanes) const;
  llvm::Type *storageType(Elem elem, int lanes) const; // in memory an i1 is a byte with the value 0 or 1
  LlvmValue *toStorage(Elem elem, LlvmValue *value);
  LlvmValue *fromStorage(Elem elem, LlvmValue *value);
  llvm::Constant *constant(Elem elem, const AttrValue &value, int lanes) const;
  llvm::Constant *zero(Elem elem, int lanes) const { return llvm::Constant::getNullValue(type(elem, lanes)); }
  llvm::Constant *laneNumbers(int lanes) const; // 0, 1, … as i32
  LlvmValue *splat(LlvmValue *scalar, int lanes) { return b.CreateVectorSplat(static_cast<unsigned>(lanes), scalar); }

  // Converts between float types with a single rounding to nearest even.
  LlvmValue *convertFloat(LlvmValue *value, Elem from, Elem to);
  // An operand of tile_mma in the type in which it is multiplied: tf32 rounded to its mantissa, i8 and u8 as i32 …
  LlvmValue *mmaOperand(LlvmValue *value, Elem from);
  // The result of an op that the table marks as `elementwise`.
  LlvmValue *elementwise(const Op &op, llvm::ArrayRef<LlvmValue *> operands);
  // Applies the op of a reduction or an atomic (ir/combine.h) to two values.
  LlvmValue *combine(OpKind kind, Elem elem, LlvmValue *x, LlvmValue *y);
  // Converts an index to another element type.
  LlvmValue *indexTo(LlvmValue *value, Elem elem);
  LlvmValue *indexFrom(LlvmValue *value, Elem elem) { // from an integer
    return resizeInteger(value, elem, kIndexElem, !elemInfo(elem).isUnsigned);
  }
  // Bytes per lane for computing on values of the type.
  static int workBytes(Elem elem);
  // Bytes of the widest lane needed to compute the op; a loop over several ops uses the maximum.
  static int laneBytes(const Op &op);

  // 64 bytes on the stack, shared by all code of the function that goes through memory lane by lane.
  LlvmValue *stackSlot(size_t number);

private:
  LlvmValue *widen(LlvmValue *value, Elem from); // to f32, exactly
  LlvmValue *narrow(LlvmValue *value, Elem to);  // from f32
  LlvmValue *narrowToOdd(LlvmValue *value);      // f64 to f32 such that a second rounding is correct
  LlvmValue *widenImage(LlvmValue *bits, Elem from);
  LlvmValue *narrowImage(LlvmValue *value, Elem to);
  LlvmValue *roundMantissa(LlvmValue *bits, unsigned dropped); // to nearest even, in place

  LlvmValue *cast(OpKind kind, LlvmValue *value, Elem from, Elem to);
  LlvmValue *floatOp(OpKind kind, LlvmValues args, Elem elem);
  LlvmValue *smallFma(const LlvmValues &args, Elem elem);
  LlvmValue *smallest(OpKind kind, const LlvmValues &args);
  LlvmValue *toOdd(LlvmValue *value, LlvmValue *error);
  LlvmValue *integerOp(OpKind kind, LlvmValues args, Elem elem);
  LlvmValue *compareIntegers(const Op &op, LlvmValues args, Elem elem);
  LlvmValue *compareFloats(const Op &op, LlvmValues args, Elem elem);
  LlvmValue *divide(OpKind kind, LlvmValue *x, LlvmValue *y, Elem elem);
  LlvmValue *shift(OpKind kind, LlvmValue *x, LlvmValue *amount, Elem elem, bool isSigned);
  LlvmValue *stickyInteger(LlvmValue *x, bool isSigned, unsigned digits);
  LlvmValue *fromInteger(LlvmValue *value, Elem from, Elem to, bool isSigned);
  LlvmValue *toInteger(LlvmValue *value, Elem from, Elem to, bool isSigned);
  LlvmValue *resizeInteger(LlvmValue *value, Elem from, Elem to, bool isSigned);
  LlvmValue *wrapInteger(LlvmValue *value, Elem to); // wraps an i8 to i1 or i4; other types are wrapped already
  LlvmValue *integerForm(LlvmValue *value, Elem elem, bool isSigned);
  // Computes one lane after another through memory, so that the code size does not depend on the number of lanes. The
  // result has the arguments' type.
  LlvmValue *perLane(llvm::ArrayRef<LlvmValue *> args, llvm::function_ref<LlvmValue *(llvm::ArrayRef<LlvmValue *>)> compute);
  LlvmValue *call(std::string name, llvm::ArrayRef<LlvmValue *> args); // of the C library

  llvm::Type *resized(llvm::Type *like, llvm::Type *scalar) const;
  llvm::Constant *bits(LlvmValue *like, uint64_t value) const { return llvm::ConstantInt::get(like->getType(), value); }
  llvm::Type *intType(LlvmValue *like, unsigned width) const;
  llvm::Type *floatType(LlvmValue *like) const { return resized(like->getType(), b.getFloatTy()); }

  llvm::IRBuilderBase &b;
  RegisterTraits traits_;
  llvm::SmallVector<LlvmValue *, 4> slots_;
};

} // namespace xt
