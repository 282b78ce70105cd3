// Elementwise ops on values in registers.
#include "ir/base/check.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "targets/llvm/register_ops.h"

#include <array>

namespace xt {

namespace Intrinsic = llvm::Intrinsic;
using Predicate = llvm::CmpInst::Predicate;

namespace {

Intrinsic::ID intrinsicOf(OpKind kind) {
  struct Entry {
    OpKind kind;
    Intrinsic::ID id;
  };
  static constexpr std::array kIntrinsics = {
      Entry{OpKind::MinimumF, Intrinsic::minimum},   Entry{OpKind::MaximumF, Intrinsic::maximum},
      Entry{OpKind::MinNumF, Intrinsic::minimumnum}, Entry{OpKind::MaxNumF, Intrinsic::maximumnum},
      Entry{OpKind::Sqrt, Intrinsic::sqrt},          Entry{OpKind::AbsF, Intrinsic::fabs},
      Entry{OpKind::Floor, Intrinsic::floor},        Entry{OpKind::Ceil, Intrinsic::ceil},
      Entry{OpKind::Round, Intrinsic::round},        Entry{OpKind::RoundEven, Intrinsic::roundeven},
      Entry{OpKind::Trunc, Intrinsic::trunc},
  };
  for (const Entry &entry : kIntrinsics)
    if (entry.kind == kind) return entry.id;
  return Intrinsic::not_intrinsic;
}

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

Predicate predicateOf(CmpFKind kind) {
  switch (kind) {
  case CmpFKind::False: return Predicate::FCMP_FALSE;
  case CmpFKind::Oeq: return Predicate::FCMP_OEQ;
  case CmpFKind::Ogt: return Predicate::FCMP_OGT;
  case CmpFKind::Oge: return Predicate::FCMP_OGE;
  case CmpFKind::Olt: return Predicate::FCMP_OLT;
  case CmpFKind::Ole: return Predicate::FCMP_OLE;
  case CmpFKind::One: return Predicate::FCMP_ONE;
  case CmpFKind::Ord: return Predicate::FCMP_ORD;
  case CmpFKind::Ueq: return Predicate::FCMP_UEQ;
  case CmpFKind::Ugt: return Predicate::FCMP_UGT;
  case CmpFKind::Uge: return Predicate::FCMP_UGE;
  case CmpFKind::Ult: return Predicate::FCMP_ULT;
  case CmpFKind::Ule: return Predicate::FCMP_ULE;
  case CmpFKind::Une: return Predicate::FCMP_UNE;
  case CmpFKind::Uno: return Predicate::FCMP_UNO;
  case CmpFKind::True: return Predicate::FCMP_TRUE;
  }
  XT_UNREACHABLE("kind of a comparison");
}

// The `…ui` ops treat the bits as an unsigned number; for the others the element type determines the signedness.
bool isSignedOp(OpKind kind, Elem elem) {
  bool ui = kind == OpKind::DivUI || kind == OpKind::RemUI || kind == OpKind::ShRUI || kind == OpKind::MinUI ||
            kind == OpKind::MaxUI || kind == OpKind::CeilDivUI || kind == OpKind::ExtUI || kind == OpKind::UIToFP ||
            kind == OpKind::FPToUI;
  return !ui && !elemInfo(elem).isUnsigned;
}

// Whether the op selects an operand, rounds it to an integer or changes its sign. The result is exact, so a tf32
// keeps bits that arithmetic would round away.
bool onlyMoves(OpKind kind) {
  return kind == OpKind::NegF || kind == OpKind::AbsF || kind == OpKind::Floor || kind == OpKind::Ceil ||
         kind == OpKind::Round || kind == OpKind::RoundEven || kind == OpKind::Trunc || kind == OpKind::MinimumF ||
         kind == OpKind::MaximumF || kind == OpKind::MinNumF || kind == OpKind::MaxNumF;
}

} // namespace

std::string_view mathFunctionName(OpKind kind) {
#define XT_FUNCTION(kind_, name, ...)                                                                                          \
  if (kind == OpKind::kind_) return #name;
#define XT_FUNCTION2(kind_, name) XT_FUNCTION(kind_, name)
#include "ir/ops/functions.def"
#undef XT_FUNCTION
#undef XT_FUNCTION2
  return {};
}

// --- floats ----------------------------------------------------------------------------------------------------------

// Small formats compute in f32 and round afterwards: f32 has more than twice their precision, so +, -, *, / and sqrt
// have the same result as with a single rounding.
LlvmValue *RegisterOps::floatOp(OpKind kind, LlvmValues args, Elem elem) {
  if (kind == OpKind::Fma && elem != Elem::F32 && elem != Elem::F64) return smallFma(args, elem);
  Elem work = elem == Elem::F64 ? Elem::F64 : Elem::F32;
  for (LlvmValue *&arg : args) arg = convertFloat(arg, elem, work);
  auto done = [&](LlvmValue *value) { return elem == Elem::TF32 && onlyMoves(kind) ? value : convertFloat(value, work, elem); };
  if (kind == OpKind::AddF) return done(b.CreateFAdd(args[0], args[1]));
  if (kind == OpKind::SubF) return done(b.CreateFSub(args[0], args[1]));
  if (kind == OpKind::MulF) return done(b.CreateFMul(args[0], args[1]));
  if (kind == OpKind::DivF) return done(b.CreateFDiv(args[0], args[1]));
  if (kind == OpKind::NegF) return done(b.CreateFNeg(args[0]));
  if (kind == OpKind::Fma) return done(b.CreateFMA(args[0], args[1], args[2]));
  if (kind == OpKind::Rsqrt) {
    LlvmValue *root = b.CreateUnaryIntrinsic(Intrinsic::sqrt, args[0]);
    return done(b.CreateFDiv(llvm::ConstantFP::get(root->getType(), 1.0), root));
  }
  if (!traits_.minimum &&
      (kind == OpKind::MinimumF || kind == OpKind::MaximumF || kind == OpKind::MinNumF || kind == OpKind::MaxNumF))
    return done(smallest(kind, args));
  if (Intrinsic::ID id = intrinsicOf(kind))
    return done(args.size() == 1 ? b.CreateUnaryIntrinsic(id, args[0]) : b.CreateBinaryIntrinsic(id, args[0], args[1]));
  if (traits_.function)
    if (LlvmValue *result = traits_.function(b, kind, args)) return done(result);
  std::string_view name = mathFunctionName(kind);
  XT_CHECK(!name.empty(), "an elementwise op on floats");
  return done(call(std::string(name), args));
}

// minnum and maxnum return the operand that is not NaN, and either of two zeros. Where neither operand is less than
// the other, one is NaN or the two differ at most in sign: OR-ing their bits gives that NaN or number. The sign bit
// is set if either operand has it (for the minimum) or both have it (for the maximum).
LlvmValue *RegisterOps::smallest(OpKind kind, const LlvmValues &args) {
  bool least = kind == OpKind::MinimumF || kind == OpKind::MinNumF;
  LlvmValue *number = b.CreateBinaryIntrinsic(least ? Intrinsic::minnum : Intrinsic::maxnum, args[0], args[1]);
  if (kind == OpKind::MinNumF || kind == OpKind::MaxNumF) return number;
  unsigned width = number->getType()->getScalarSizeInBits();
  llvm::Type *bits = number->getType()->getWithNewType(b.getIntNTy(width));
  LlvmValue *x = b.CreateBitCast(args[0], bits), *y = b.CreateBitCast(args[1], bits), *both = b.CreateOr(x, y);
  if (!least)
    both =
        b.CreateOr(b.CreateAnd(x, y), b.CreateAnd(both, llvm::ConstantInt::get(bits, llvm::APInt::getSignedMaxValue(width))));
  return b.CreateSelect(b.CreateFCmpONE(args[0], args[1]), number, b.CreateBitCast(both, number->getType()));
}

// Rounds a sum to odd: `value` is the sum rounded to nearest, and the exact sum is larger by `error`. Rounding to odd
// truncates towards zero and sets the last bit if anything was lost.
LlvmValue *RegisterOps::toOdd(LlvmValue *value, LlvmValue *error) {
  LlvmValue *zero = llvm::Constant::getNullValue(value->getType());
  LlvmValue *image = b.CreateBitCast(value, intType(value, value->getType()->getScalarSizeInBits()));
  LlvmValue *even = b.CreateICmpEQ(b.CreateAnd(image, bits(image, 1)), bits(image, 0));
  LlvmValue *outward = b.CreateICmpEQ(b.CreateFCmpOGT(error, zero), b.CreateFCmpOGT(value, zero));
  LlvmValue *neighbour = b.CreateAdd(image, b.CreateSelect(outward, bits(image, 1), bits(image, ~uint64_t{0})));
  LlvmValue *inexact = b.CreateFCmpONE(error, zero);
  return b.CreateBitCast(b.CreateSelect(b.CreateAnd(inexact, even), neighbour, image), value->getType());
}

// The product is exact in f64, and also in f32 unless it overflows or underflows there, which only a bf16 product
// can. The sum is rounded to odd, so that a second rounding is correct; Knuth's TwoSum gives its error, and so the
// side on which the exact sum is.
LlvmValue *RegisterOps::smallFma(const LlvmValues &args, Elem elem) {
  Elem work = traits_.doubles ? Elem::F64 : Elem::F32;
  auto wide = [&](LlvmValue *value) { return convertFloat(value, elem, work); };
  LlvmValue *x = b.CreateFMul(wide(args[0]), wide(args[1])), *y = wide(args[2]);
  LlvmValue *sum = b.CreateFAdd(x, y), *virtualY = b.CreateFSub(sum, x);
  LlvmValue *error = b.CreateFAdd(b.CreateFSub(x, b.CreateFSub(sum, virtualY)), b.CreateFSub(y, virtualY));
  return convertFloat(toOdd(sum, error), work, elem);
}

LlvmValue *RegisterOps::compareFloats(const Op &op, LlvmValues args, Elem elem) {
  Elem work = elem == Elem::F64 ? Elem::F64 : Elem::F32;
  for (LlvmValue *&arg : args) arg = convertFloat(arg, elem, work);
  return b.CreateFCmp(predicateOf(CmpFOp(op).kind()), args[0], args[1]);
}

// --- integers --------------------------------------------------------------------------------------------------------

LlvmValue *RegisterOps::integerForm(LlvmValue *value, Elem elem, bool isSigned) {
  if (elem == Elem::I1) return isSigned ? b.CreateSExt(value, intType(value, 8)) : b.CreateZExt(value, intType(value, 8));
  return elem == Elem::I4 && !isSigned ? b.CreateAnd(value, bits(value, 15)) : value;
}

LlvmValue *RegisterOps::wrapInteger(LlvmValue *value, Elem to) {
  if (to == Elem::I1) return b.CreateTrunc(value, intType(value, 1));
  return to == Elem::I4 ? b.CreateAShr(b.CreateShl(value, 4), 4) : value;
}

LlvmValue *RegisterOps::resizeInteger(LlvmValue *value, Elem from, Elem to, bool isSigned) {
  LlvmValue *whole = integerForm(value, from, isSigned);
  llvm::Type *wanted = intType(value, static_cast<unsigned>(elemInfo(to).storageBytes) * 8);
  return wrapInteger(isSigned ? b.CreateSExtOrTrunc(whole, wanted) : b.CreateZExtOrTrunc(whole, wanted), to);
}

// Up to 32 bits are exact in f64, up to 16 in f32. Wider integers use these types only as an intermediate step to 8
// and 16 bits, and are rounded to odd.
LlvmValue *RegisterOps::fromInteger(LlvmValue *value, Elem from, Elem to, bool isSigned) {
  LlvmValue *whole = integerForm(value, from, isSigned);
  bool direct = to == Elem::F32 || to == Elem::F64;
  Elem work = direct ? to : elemInfo(from).bits <= 16 || !traits_.doubles ? Elem::F32 : Elem::F64;
  llvm::Type *wanted = resized(value->getType(), type(work, 0));
  int digits = elemInfo(work).precision;
  if (!direct && elemInfo(from).bits > digits) whole = stickyInteger(whole, isSigned, static_cast<unsigned>(digits));
  return convertFloat(isSigned ? b.CreateSIToFP(whole, wanted) : b.CreateUIToFP(whole, wanted), work, to);
}

// Uses the saturating conversions, because the plain ones give poison out of range.
LlvmValue *RegisterOps::toInteger(LlvmValue *value, Elem from, Elem to, bool isSigned) {
  LlvmValue *wide = convertFloat(value, from, from == Elem::F64 ? Elem::F64 : Elem::F32);
  llvm::Type *wanted = intType(value, static_cast<unsigned>(elemInfo(to).storageBytes) * 8);
  if (elemInfo(to).isUnsigned) isSigned = false;
  Intrinsic::ID id = isSigned ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat;
  return wrapInteger(b.CreateIntrinsic(id, {wanted, wide->getType()}, {wide}), to);
}

LlvmValue *RegisterOps::compareIntegers(const Op &op, LlvmValues args, Elem elem) {
  Predicate predicate = predicateOf(CmpIOp(op).kind());
  if (elemInfo(elem).isUnsigned) predicate = llvm::ICmpInst::getUnsignedPredicate(predicate);
  for (LlvmValue *&arg : args) arg = integerForm(arg, elem, !llvm::CmpInst::isUnsigned(predicate));
  return b.CreateICmp(predicate, args[0], args[1]);
}

LlvmValue *RegisterOps::integerOp(OpKind kind, LlvmValues args, Elem elem) {
  if (kind == OpKind::AndI) return b.CreateAnd(args[0], args[1]); // wrapped operands give a wrapped result
  if (kind == OpKind::OrI) return b.CreateOr(args[0], args[1]);
  if (kind == OpKind::XorI) return b.CreateXor(args[0], args[1]);
  bool isSigned = isSignedOp(kind, elem);
  LlvmValue *amount = args.back();
  for (LlvmValue *&arg : args) arg = integerForm(arg, elem, isSigned);
  auto done = [&](LlvmValue *value) { return wrapInteger(value, elem); };
  if (kind == OpKind::AddI) return done(b.CreateAdd(args[0], args[1]));
  if (kind == OpKind::SubI) return done(b.CreateSub(args[0], args[1]));
  if (kind == OpKind::MulI) return done(b.CreateMul(args[0], args[1]));
  if (kind == OpKind::AbsI) return !isSigned ? args[0] : done(b.CreateBinaryIntrinsic(Intrinsic::abs, args[0], b.getFalse()));
  if (kind == OpKind::ShLI || kind == OpKind::ShRSI || kind == OpKind::ShRUI)
    return done(shift(kind, args[0], integerForm(amount, elem, false), elem, isSigned));
  if (kind == OpKind::MinSI || kind == OpKind::MinUI)
    return done(b.CreateBinaryIntrinsic(isSigned ? Intrinsic::smin : Intrinsic::umin, args[0], args[1]));
  if (kind == OpKind::MaxSI || kind == OpKind::MaxUI)
    return done(b.CreateBinaryIntrinsic(isSigned ? Intrinsic::smax : Intrinsic::umax, args[0], args[1]));
  return done(divide(kind, args[0], args[1], elem));
}

// A shift by the width or more shifts every bit out.
LlvmValue *RegisterOps::shift(OpKind kind, LlvmValue *x, LlvmValue *amount, Elem elem, bool isSigned) {
  auto width = static_cast<uint64_t>(elemInfo(elem).bits);
  if (kind == OpKind::ShRSI && isSigned)
    return b.CreateAShr(x, b.CreateBinaryIntrinsic(Intrinsic::umin, amount, bits(amount, width - 1)));
  LlvmValue *inside = b.CreateICmpULT(amount, bits(amount, width));
  LlvmValue *safe = b.CreateSelect(inside, amount, bits(amount, 0));
  LlvmValue *shifted = kind == OpKind::ShLI ? b.CreateShl(x, safe) : b.CreateLShr(x, safe);
  return b.CreateSelect(inside, shifted, bits(x, 0));
}

// A zero divisor and the one quotient that overflows would trap: these divide by 1 and give 0, as the interpreter does.
LlvmValue *RegisterOps::divide(OpKind kind, LlvmValue *x, LlvmValue *y, Elem elem) {
  bool isSigned = isSignedOp(kind, elem);
  LlvmValue *traps = b.CreateICmpEQ(y, bits(y, 0));
  if (isSigned) {
    auto least = -(uint64_t{1} << (elemInfo(elem).bits - 1)); // i1 and i4 are computed in 8 bits
    LlvmValue *overflows = b.CreateAnd(b.CreateICmpEQ(y, llvm::Constant::getAllOnesValue(y->getType())),
                                       b.CreateICmpEQ(x, llvm::ConstantInt::get(x->getType(), least, true, true)));
    traps = b.CreateOr(traps, overflows);
  }
  LlvmValue *divisor = b.CreateSelect(traps, bits(y, 1), y);
  LlvmValue *quotient = perLane({x, divisor}, [&](llvm::ArrayRef<LlvmValue *> lane) {
    return isSigned ? b.CreateSDiv(lane[0], lane[1]) : b.CreateUDiv(lane[0], lane[1]);
  });
  auto done = [&](LlvmValue *value) { return b.CreateSelect(traps, bits(x, 0), value); };
  if (kind == OpKind::DivSI || kind == OpKind::DivUI) return done(quotient);
  LlvmValue *remainder = b.CreateSub(x, b.CreateMul(quotient, divisor));
  if (kind == OpKind::RemSI || kind == OpKind::RemUI) return done(remainder);
  LlvmValue *up = b.CreateICmpNE(remainder, bits(x, 0));
  if (kind == OpKind::FloorDivSI) {
    if (!isSigned) return done(quotient);
    LlvmValue *down = b.CreateAnd(up, b.CreateICmpSLT(b.CreateXor(remainder, divisor), bits(x, 0)));
    return done(b.CreateSub(quotient, b.CreateZExt(down, x->getType())));
  }
  XT_CHECK(kind == OpKind::CeilDivSI || kind == OpKind::CeilDivUI, "an elementwise op on integers");
  // Truncation rounds a negative quotient up already.
  if (isSigned) up = b.CreateAnd(up, b.CreateICmpSGE(b.CreateXor(remainder, divisor), bits(x, 0)));
  return done(b.CreateAdd(quotient, b.CreateZExt(up, x->getType())));
}

// An integer with at most `digits` significant bits that rounds to 8 or 16 bits as `x` does: the low bits of a large
// integer are combined into one sticky bit.
LlvmValue *RegisterOps::stickyInteger(LlvmValue *x, bool isSigned, unsigned digits) {
  unsigned width = x->getType()->getScalarSizeInBits(), dropped = width - digits + 1;
  uint64_t lowBits = (uint64_t{1} << dropped) - 1;
  LlvmValue *magnitude = isSigned ? b.CreateBinaryIntrinsic(Intrinsic::abs, x, b.getFalse()) : x;
  LlvmValue *large = b.CreateICmpUGE(magnitude, bits(x, uint64_t{1} << digits));
  LlvmValue *low = b.CreateICmpNE(b.CreateAnd(x, bits(x, lowBits)), bits(x, 0));
  // Rounds towards minus infinity; the bit above the truncated ones records whether any of them was set.
  LlvmValue *cut = b.CreateAnd(x, b.CreateNot(bits(x, lowBits)));
  LlvmValue *sticky = b.CreateOr(cut, b.CreateSelect(low, bits(x, uint64_t{1} << (dropped - 1)), bits(x, 0)));
  return b.CreateSelect(large, sticky, x);
}

} // namespace xt
