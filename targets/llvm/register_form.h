// How the values of an element type are held in registers: scalars, and vectors of several elements.
//
// In registers, an i1 is an LLVM i1, an i4 is a sign-extended i8, an f32 or tf32 is a float, an f64 is a double, and every
// smaller float is the integer of its bits: LLVM's types for them are not used, so that each op rounds exactly where the
// functions of this folder say so. `lanes` is 0 for a scalar.
#pragma once
#include "ir/op.h"
#include "targets/llvm/loops.h"

namespace xt {

class RegisterForm {
public:
  explicit RegisterForm(llvm::IRBuilderBase &builder) : b(builder) {}
  llvm::IRBuilderBase &builder() const { return b; }

  // Whether the float type is held as the integer of its bits.
  static bool isSmallFloat(Elem elem);
  llvm::Type *type(Elem elem, int lanes) const;
  llvm::Type *storageType(Elem elem, int lanes) const; // in memory an i1 is a byte with the value 0 or 1
  LlvmValue *toStorage(Elem elem, LlvmValue *value) const;
  LlvmValue *fromStorage(Elem elem, LlvmValue *value) const;
  llvm::Constant *constant(Elem elem, const AttrValue &value, int lanes) const;
  llvm::Constant *laneNumbers(int lanes) const; // 0, 1, … as i32

  // integerForm() converts i1 and i4 to integers of 8 bits, with which ops compute; wrapInteger() converts their results back
  // to the form in registers. Both leave other types unchanged.
  LlvmValue *integerForm(LlvmValue *value, Elem elem, bool isSigned) const;
  LlvmValue *wrapInteger(LlvmValue *value, Elem to) const;
  LlvmValue *resizeInteger(LlvmValue *value, Elem from, Elem to, bool isSigned) const;

  // Types and constants with as many lanes as `like` has.
  static llvm::Type *resized(llvm::Type *like, llvm::Type *scalar);
  llvm::Type *intType(LlvmValue *like, unsigned width) const { return resized(like->getType(), b.getIntNTy(width)); }
  llvm::Type *floatType(LlvmValue *like) const { return resized(like->getType(), b.getFloatTy()); }
  static llvm::Constant *bits(LlvmValue *like, uint64_t value) { return llvm::ConstantInt::get(like->getType(), value); }

private:
  llvm::IRBuilderBase &b;
};

} // namespace xt
