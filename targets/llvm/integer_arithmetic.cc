#include "targets/llvm/integer_arithmetic.h"

#include "ir/base/check.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"

namespace xt {

namespace Intrinsic = llvm::Intrinsic;
using Predicate = llvm::CmpInst::Predicate;

namespace {

Predicate predicateOf(CmpIKind kind) {
  switch (kind) {
  case CmpIKind::Eq: return Predicate::ICMP_EQ;
  case CmpIKind::Ne: return Predicate::ICMP_NE;
  case CmpIKind::Slt: return Predicate::ICMP_SLT;
  case CmpIKind::Sle: return Predicate::ICMP_SLE;
  case CmpIKind::Sgt: return Predicate::ICMP_SGT;
  case CmpIKind::Sge: return Predicate::ICMP_SGE;
  case CmpIKind::Ult: return Predicate::ICMP_ULT;
  case CmpIKind::Ule: return Predicate::ICMP_ULE;
  case CmpIKind::Ugt: return Predicate::ICMP_UGT;
  case CmpIKind::Uge: return Predicate::ICMP_UGE;
  }
  XT_UNREACHABLE("kind of a comparison");
}

// The `…ui` ops treat the bits as an unsigned number; for the others the element type determines the signedness.
bool isSignedOp(OpKind kind, Elem elem) {
  bool ui = kind == OpKind::DivUI || kind == OpKind::RemUI || kind == OpKind::ShRUI || kind == OpKind::MinUI ||
            kind == OpKind::MaxUI || kind == OpKind::CeilDivUI;
  return !ui && !elemInfo(elem).isUnsigned;
}

} // namespace

LlvmValue *IntegerArithmetic::compare(const Op &op, LlvmValues args, Elem elem) const {
  Predicate predicate = predicateOf(CmpIOp(op).kind());
  if (elemInfo(elem).isUnsigned) predicate = llvm::ICmpInst::getUnsignedPredicate(predicate);
  for (LlvmValue *&arg : args) arg = form_.integerForm(arg, elem, !llvm::CmpInst::isUnsigned(predicate));
  return b.CreateICmp(predicate, args[0], args[1]);
}

LlvmValue *IntegerArithmetic::compute(OpKind kind, LlvmValues args, Elem elem) const {
  if (kind == OpKind::AndI) return b.CreateAnd(args[0], args[1]); // wrapped operands give a wrapped result
  if (kind == OpKind::OrI) return b.CreateOr(args[0], args[1]);
  if (kind == OpKind::XorI) return b.CreateXor(args[0], args[1]);
  bool isSigned = isSignedOp(kind, elem);
  LlvmValue *amount = args.back();
  for (LlvmValue *&arg : args) arg = form_.integerForm(arg, elem, isSigned);
  auto done = [&](LlvmValue *value) { return form_.wrapInteger(value, elem); };
  if (kind == OpKind::AddI) return done(b.CreateAdd(args[0], args[1]));
  if (kind == OpKind::SubI) return done(b.CreateSub(args[0], args[1]));
  if (kind == OpKind::MulI) return done(b.CreateMul(args[0], args[1]));
  if (kind == OpKind::AbsI) return !isSigned ? args[0] : done(b.CreateBinaryIntrinsic(Intrinsic::abs, args[0], b.getFalse()));
  if (kind == OpKind::ShLI || kind == OpKind::ShRSI || kind == OpKind::ShRUI)
    return done(shift(kind, args[0], form_.integerForm(amount, elem, false), elem, isSigned));
  if (kind == OpKind::MinSI || kind == OpKind::MinUI)
    return done(b.CreateBinaryIntrinsic(isSigned ? Intrinsic::smin : Intrinsic::umin, args[0], args[1]));
  if (kind == OpKind::MaxSI || kind == OpKind::MaxUI)
    return done(b.CreateBinaryIntrinsic(isSigned ? Intrinsic::smax : Intrinsic::umax, args[0], args[1]));
  return done(divide(kind, args[0], args[1], elem));
}

// A shift by the width or more shifts every bit out.
LlvmValue *IntegerArithmetic::shift(OpKind kind, LlvmValue *x, LlvmValue *amount, Elem elem, bool isSigned) const {
  auto width = static_cast<uint64_t>(elemInfo(elem).bits);
  if (kind == OpKind::ShRSI && isSigned)
    return b.CreateAShr(x, b.CreateBinaryIntrinsic(Intrinsic::umin, amount, form_.bits(amount, width - 1)));
  LlvmValue *inside = b.CreateICmpULT(amount, form_.bits(amount, width));
  LlvmValue *safe = b.CreateSelect(inside, amount, form_.bits(amount, 0));
  LlvmValue *shifted = kind == OpKind::ShLI ? b.CreateShl(x, safe) : b.CreateLShr(x, safe);
  return b.CreateSelect(inside, shifted, form_.bits(x, 0));
}

// A zero divisor and the one quotient that overflows would trap. In these cases the divisor becomes 1 and the result 0, as in
// the interpreter.
LlvmValue *IntegerArithmetic::divide(OpKind kind, LlvmValue *x, LlvmValue *y, Elem elem) const {
  bool isSigned = isSignedOp(kind, elem);
  LlvmValue *traps = b.CreateICmpEQ(y, form_.bits(y, 0));
  if (isSigned) {
    auto least = -(uint64_t{1} << (elemInfo(elem).bits - 1)); // i1 and i4 are computed in 8 bits
    LlvmValue *overflows = b.CreateAnd(b.CreateICmpEQ(y, llvm::Constant::getAllOnesValue(y->getType())),
                                       b.CreateICmpEQ(x, llvm::ConstantInt::get(x->getType(), least, true, true)));
    traps = b.CreateOr(traps, overflows);
  }
  LlvmValue *divisor = b.CreateSelect(traps, form_.bits(y, 1), y);
  LlvmValue *quotient = lanes_.compute({x, divisor}, [&](llvm::ArrayRef<LlvmValue *> lane) {
    return isSigned ? b.CreateSDiv(lane[0], lane[1]) : b.CreateUDiv(lane[0], lane[1]);
  });
  auto done = [&](LlvmValue *value) { return b.CreateSelect(traps, form_.bits(x, 0), value); };
  if (kind == OpKind::DivSI || kind == OpKind::DivUI) return done(quotient);
  LlvmValue *remainder = b.CreateSub(x, b.CreateMul(quotient, divisor));
  if (kind == OpKind::RemSI || kind == OpKind::RemUI) return done(remainder);
  LlvmValue *up = b.CreateICmpNE(remainder, form_.bits(x, 0));
  if (kind == OpKind::FloorDivSI) {
    if (!isSigned) return done(quotient);
    LlvmValue *down = b.CreateAnd(up, b.CreateICmpSLT(b.CreateXor(remainder, divisor), form_.bits(x, 0)));
    return done(b.CreateSub(quotient, b.CreateZExt(down, x->getType())));
  }
  XT_CHECK(kind == OpKind::CeilDivSI || kind == OpKind::CeilDivUI, "an elementwise op on integers");
  // Truncation rounds a negative quotient up already.
  if (isSigned) up = b.CreateAnd(up, b.CreateICmpSGE(b.CreateXor(remainder, divisor), form_.bits(x, 0)));
  return done(b.CreateAdd(quotient, b.CreateZExt(up, x->getType())));
}

} // namespace xt
