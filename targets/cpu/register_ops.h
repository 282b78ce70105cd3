// Arithmetic on values in registers: scalars, and vectors of some lanes of a tile.
//
// In registers i1 is an LLVM i1, i4 an i8 with the sign extended, f32 and tf32 a float, f64 a double, and every smaller
// float the integer of its bits: no LLVM type for them, so that each op rounds exactly where this file says so.
// `lanes` is 0 for a scalar.
#pragma once
#include "ir/op.h"
#include "targets/cpu/cpu_info.h"
#include "targets/llvm/loops.h"

namespace xt {

class RegisterOps {
public:
  RegisterOps(llvm::IRBuilder<> &builder, const CpuInfo &cpu) : b(builder), cpu_(cpu) {}

  llvm::Type *type(Elem elem, int lanes) const;
  llvm::Type *storageType(Elem elem, int lanes) const; // in memory: i1 is a byte of 0 or 1
  llvm::Value *toStorage(Elem elem, llvm::Value *value);
  llvm::Value *fromStorage(Elem elem, llvm::Value *value);
  llvm::Constant *constant(Elem elem, const AttrValue &value, int lanes) const;
  llvm::Constant *zero(Elem elem, int lanes) const { return llvm::Constant::getNullValue(type(elem, lanes)); }
  llvm::Value *splat(llvm::Value *scalar, int lanes) { return b.CreateVectorSplat(static_cast<unsigned>(lanes), scalar); }

  // Between float types, rounded to nearest even once.
  llvm::Value *convertFloat(llvm::Value *value, Elem from, Elem to);
  // An operand of tile_mma in the type that it is multiplied in: tf32 rounded to its mantissa, i8 and u8 as i32 …
  llvm::Value *mmaOperand(llvm::Value *value, Elem from);
  // The result of an op whose row says `elementwise`.
  llvm::Value *elementwise(const Op &op, llvm::ArrayRef<llvm::Value *> operands);
  // Bytes of the widest lane that computing the op needs; a loop over several takes the largest.
  static int laneBytes(const Op &op);

  // 64 bytes on the stack, shared by everything in the function that passes through memory lane by lane.
  llvm::Value *stackSlot(size_t number);

private:
  llvm::Value *widen(llvm::Value *value, Elem from);             // to f32, exactly
  llvm::Value *narrow(llvm::Value *value, Elem to);              // from f32
  llvm::Value *narrowToOdd(llvm::Value *value);                  // f64 to f32 such that a second rounding is right
  llvm::Value *widenImage(llvm::Value *bits, Elem from);
  llvm::Value *narrowImage(llvm::Value *value, Elem to);
  llvm::Value *roundMantissa(llvm::Value *bits, unsigned dropped); // to nearest even, in place

  llvm::Value *cast(OpKind kind, llvm::Value *value, Elem from, Elem to);
  llvm::Value *floatOp(const Op &op, LlvmValues args, Elem elem);
  llvm::Value *smallFma(const LlvmValues &args, Elem elem);
  llvm::Value *integerOp(const Op &op, LlvmValues args, Elem elem);
  llvm::Value *compareIntegers(const Op &op, LlvmValues args, Elem elem);
  llvm::Value *compareFloats(const Op &op, LlvmValues args, Elem elem);
  llvm::Value *divide(OpKind kind, llvm::Value *x, llvm::Value *y, bool isSigned);
  llvm::Value *shift(OpKind kind, llvm::Value *x, llvm::Value *amount, Elem elem, bool isSigned);
  llvm::Value *stickyInteger(llvm::Value *x, bool isSigned);
  llvm::Value *fromInteger(llvm::Value *value, Elem from, Elem to, bool isSigned);
  llvm::Value *toInteger(llvm::Value *value, Elem from, Elem to, bool isSigned);
  llvm::Value *resizeInteger(llvm::Value *value, Elem from, Elem to, bool isSigned);
  llvm::Value *wrapInteger(llvm::Value *value, Elem to);           // an i8 to i1 or i4; others are wrapped already
  llvm::Value *integerForm(llvm::Value *value, Elem elem, bool isSigned);
  llvm::Value *call(std::string name, llvm::ArrayRef<llvm::Value *> args); // of the C library, lane by lane

  llvm::Type *resized(llvm::Type *like, llvm::Type *scalar) const;
  llvm::Constant *bits(llvm::Value *like, uint64_t value) const { return llvm::ConstantInt::get(like->getType(), value); }
  llvm::Type *intType(llvm::Value *like, unsigned width) const;
  llvm::Type *floatType(llvm::Value *like) const { return resized(like->getType(), b.getFloatTy()); }

  llvm::IRBuilder<> &b;
  const CpuInfo &cpu_;
  llvm::SmallVector<llvm::Value *, 4> slots_;
};

} // namespace xt
