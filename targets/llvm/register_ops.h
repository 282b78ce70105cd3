// Arithmetic on values in registers: scalars, and vectors of several elements.
//
// In registers i1 is an LLVM i1, i4 an i8 with the sign extended, f32 and tf32 a float, f64 a double, and every smaller
// float the integer of its bits: no LLVM type for them, so that each op rounds exactly where this file says so.
// `lanes` is 0 for a scalar.
#pragma once
#include "ir/op.h"
#include "targets/llvm/loops.h"

namespace xt {

// A mathematical function of the op, of f32 or f64 values; null: the C library's is called.
using FunctionCall = LlvmValue *(*)(llvm::IRBuilderBase &, OpKind, llvm::ArrayRef<LlvmValue *>);

// What C's library and OpenCL C both call the function of an op; "": it is none.
std::string_view mathFunctionName(OpKind kind);

// What differs between the targets that compute so.
struct RegisterTraits {
  bool halves = true;   // LLVM's half converts to and from float in one instruction
  bool doubles = true;  // f64 is there; else only values that are f64 need it
  bool vectors = false; // divides vectors; else lane after lane
  // IEEE 754-2019's minimum and maximum are there; else they are made of those that lose a NaN.
  bool minimum = true;
  FunctionCall function = nullptr; // null: always the C library's, lane after lane; its errors are below 2 ulp
};

class RegisterOps {
public:
  RegisterOps(llvm::IRBuilderBase &builder, RegisterTraits traits) : b(builder), traits_(traits) {}

  llvm::Type *type(Elem elem, int lanes) const;
  llvm::Type *storageType(Elem elem, int lanes) const; // in memory: i1 is a byte of 0 or 1
  LlvmValue *toStorage(Elem elem, LlvmValue *value);
  LlvmValue *fromStorage(Elem elem, LlvmValue *value);
  llvm::Constant *constant(Elem elem, const AttrValue &value, int lanes) const;
  llvm::Constant *zero(Elem elem, int lanes) const { return llvm::Constant::getNullValue(type(elem, lanes)); }
  llvm::Constant *laneNumbers(int lanes) const; // 0, 1, … as i32
  LlvmValue *splat(LlvmValue *scalar, int lanes) { return b.CreateVectorSplat(static_cast<unsigned>(lanes), scalar); }

  // Between float types, rounded to nearest even once.
  LlvmValue *convertFloat(LlvmValue *value, Elem from, Elem to);
  // An operand of tile_mma in the type that it is multiplied in: tf32 rounded to its mantissa, i8 and u8 as i32 …
  LlvmValue *mmaOperand(LlvmValue *value, Elem from);
  // The result of an op whose row says `elementwise`.
  LlvmValue *elementwise(const Op &op, llvm::ArrayRef<LlvmValue *> operands);
  // The op of a reduction or an atomic (ir/combine.h) on two values.
  LlvmValue *combine(OpKind kind, Elem elem, LlvmValue *x, LlvmValue *y);
  // An index as a number of another type.
  LlvmValue *indexTo(LlvmValue *value, Elem elem);
  LlvmValue *indexFrom(LlvmValue *value, Elem elem) { // of an integer
    return resizeInteger(value, elem, Elem::Index, !elemInfo(elem).isUnsigned);
  }
  // Bytes of a lane in which values of the type are computed.
  static int workBytes(Elem elem);
  // Bytes of the widest lane that computing the op needs; a loop over several takes the largest.
  static int laneBytes(const Op &op);

  // 64 bytes on the stack, shared by everything in the function that passes through memory lane by lane.
  LlvmValue *stackSlot(size_t number);

private:
  LlvmValue *widen(LlvmValue *value, Elem from); // to f32, exactly
  LlvmValue *narrow(LlvmValue *value, Elem to);  // from f32
  LlvmValue *narrowToOdd(LlvmValue *value);      // f64 to f32 such that a second rounding is right
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
  LlvmValue *wrapInteger(LlvmValue *value, Elem to); // an i8 to i1 or i4; others are wrapped already
  LlvmValue *integerForm(LlvmValue *value, Elem elem, bool isSigned);
  // One lane after another, through memory, so that the code does not grow with the lanes. The result has the
  // arguments' type.
  LlvmValue *perLane(llvm::ArrayRef<LlvmValue *> args,
                     llvm::function_ref<LlvmValue *(llvm::ArrayRef<LlvmValue *>)> compute);
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
