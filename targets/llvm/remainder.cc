#include "targets/llvm/remainder.h"

namespace xt {
namespace {

namespace Intrinsic = llvm::Intrinsic;

class Remainder {
public:
  Remainder(llvm::IRBuilderBase &builder, llvm::Type *type)
      : b(builder), type_(type), semantics_(type->getScalarType()->getFltSemantics()),
        ints_(type->getWithNewType(builder.getIntNTy(type->getScalarSizeInBits()))),
        mantissaBits_(llvm::APFloat::semanticsPrecision(semantics_) - 1),
        bias_(static_cast<uint64_t>(llvm::APFloat::semanticsMaxExponent(semantics_))) {}

  LlvmValue *compute(LlvmValue *x, LlvmValue *y) {
    LlvmValue *dividend = magnitude(x), *divisor = magnitude(y), *none = number(0);
    LlvmValue *infinity = llvm::ConstantFP::getInfinity(type_);
    LlvmValue *defined = b.CreateAnd(b.CreateFCmpOLT(dividend, infinity), b.CreateFCmpOGT(divisor, none));
    LlvmValue *divides = b.CreateAnd(defined, b.CreateFCmpOLT(divisor, infinity));
    LlvmValue *rest = divide(b.CreateSelect(divides, dividend, none), b.CreateSelect(divides, divisor, number(1)));
    rest = b.CreateSelect(divides, rest, dividend); // an infinite divisor leaves x
    return b.CreateSelect(defined, b.CreateCopySign(rest, x), llvm::ConstantFP::getNaN(type_));
  }

private:
  llvm::Constant *number(double value) const { return llvm::ConstantFP::get(type_, value); }
  llvm::Constant *integer(uint64_t value) const { return llvm::ConstantInt::get(ints_, value); }
  LlvmValue *magnitude(LlvmValue *x) { return b.CreateUnaryIntrinsic(Intrinsic::fabs, x); }

  // The exponent of a number that is not negative, plus the bias; of a subnormal one, by that of its product with a power of two.
  LlvmValue *exponent(LlvmValue *x) {
    auto stored = [&](LlvmValue *value) { return b.CreateLShr(b.CreateBitCast(value, ints_), mantissaBits_); };
    llvm::Constant *least = llvm::ConstantFP::get(type_, llvm::APFloat::getSmallestNormalized(semantics_));
    LlvmValue *enlarged = b.CreateFMul(x, llvm::ConstantFP::get(type_, powerOfTwo(mantissaBits_)));
    return b.CreateSelect(b.CreateFCmpOLT(x, least), b.CreateSub(stored(enlarged), integer(mantissaBits_)), stored(x));
  }
  llvm::APFloat powerOfTwo(uint64_t n) const {
    return scalbn(llvm::APFloat::getOne(semantics_), static_cast<int>(n), llvm::APFloat::rmNearestTiesToEven);
  }
  // y 2^k, for results that are numbers: the halves of k are exponents of numbers.
  LlvmValue *scaled(LlvmValue *y, LlvmValue *k) {
    LlvmValue *half = b.CreateLShr(k, 1);
    auto power = [&](LlvmValue *n) {
      return b.CreateBitCast(b.CreateShl(b.CreateAdd(n, integer(bias_)), mantissaBits_), type_);
    };
    return b.CreateFMul(b.CreateFMul(y, power(half)), power(b.CreateSub(k, half)));
  }

  // x mod y of numbers x >= 0 and y > 0. A lane of a vector that is done goes through the next rounds unchanged.
  LlvmValue *divide(LlvmValue *x, LlvmValue *y) {
    LlvmValue *exponentOfY = exponent(y);
    llvm::Function *function = b.GetInsertBlock()->getParent();
    llvm::BasicBlock *before = b.GetInsertBlock();
    auto *again = llvm::BasicBlock::Create(b.getContext(), "divide", function);
    auto *done = llvm::BasicBlock::Create(b.getContext(), "divided", function);
    b.CreateBr(again);
    b.SetInsertPoint(again);
    llvm::PHINode *left = b.CreatePHI(type_, 2);
    left->addIncoming(x, before);
    LlvmValue *k = b.CreateSub(b.CreateSub(exponent(left), exponentOfY), integer(mantissaBits_ - 1));
    k = b.CreateBinaryIntrinsic(Intrinsic::smax, k, integer(0));
    LlvmValue *divisor = scaled(y, k);
    // The quotient is below 2^mantissaBits_, so its error is at most 1/4, and what is truncated is right or too large by 1. Both the
    // remainder and that of a quotient too large are numbers.
    LlvmValue *quotient = b.CreateUnaryIntrinsic(Intrinsic::trunc, b.CreateFDiv(left, divisor));
    LlvmValue *rest = b.CreateFMA(b.CreateFNeg(quotient), divisor, left);
    rest = b.CreateSelect(b.CreateFCmpOLT(rest, number(0)), b.CreateFAdd(rest, divisor), rest);
    left->addIncoming(rest, again);
    LlvmValue *more = b.CreateICmpSGT(k, integer(0));
    if (more->getType()->isVectorTy()) more = b.CreateOrReduce(more);
    b.CreateCondBr(more, again, done);
    b.SetInsertPoint(done);
    return rest;
  }

  llvm::IRBuilderBase &b;
  llvm::Type *type_;
  const llvm::fltSemantics &semantics_;
  llvm::Type *ints_;
  uint64_t mantissaBits_, bias_;
};

} // namespace

LlvmValue *remainderFunction(llvm::IRBuilderBase &builder, LlvmValue *x, LlvmValue *y) {
  return Remainder(builder, x->getType()).compute(x, y);
}

} // namespace xt
