#include "targets/llvm/float_arithmetic.h"

#include "ir/base/check.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"

#include <llvm/IR/PatternMatch.h>

#include <array>

namespace xt {

namespace Intrinsic = llvm::Intrinsic;
using Predicate = llvm::CmpInst::Predicate;
using llvm::PatternMatch::match, llvm::PatternMatch::m_APFloat;

namespace {

// Whether `value` holds in each lane a number that decides the sign of the result where the other operand is equal: it is not
// zero, or is the zero that the minimum (-0) or the maximum (+0) of two zeros is.
bool decidesSign(LlvmValue *value, bool least) {
  const llvm::APFloat *number = nullptr;
  return match(value, m_APFloat(number)) && !number->isNaN() && (number->isNonZero() || number->isNegative() == least);
}

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

// Small formats compute in f32 and round afterwards: f32 has more than twice their precision, so +, -, *, / and sqrt
// have the same result as with a single rounding.
LlvmValue *FloatArithmetic::compute(OpKind kind, LlvmValues args, Elem elem) const {
  if (kind == OpKind::Fma && elem != Elem::F32 && elem != Elem::F64) return smallFma(args, elem);
  Elem work = elem == Elem::F64 ? Elem::F64 : Elem::F32;
  for (LlvmValue *&arg : args) arg = formats_.convert(arg, elem, work);
  auto done = [&](LlvmValue *value) {
    return elem == Elem::TF32 && onlyMoves(kind) ? value : formats_.convert(value, work, elem);
  };
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
  return done(lanes_.call(std::string(name), args));
}

// With a constant that decides the sign, an unordered comparison selects the other operand where it is the result or NaN.
//
// minnum and maxnum return the operand that is not NaN, and either of two zeros. If neither operand is less than the other, one
// is NaN or the two differ at most in sign: the OR of their bits is that NaN or number. The sign bit is set if either operand
// has it (for the minimum) or both have it (for the maximum).
LlvmValue *FloatArithmetic::smallest(OpKind kind, const LlvmValues &args) const {
  bool least = kind == OpKind::MinimumF || kind == OpKind::MinNumF;
  bool propagatesNan = kind == OpKind::MinimumF || kind == OpKind::MaximumF;
  for (size_t i = 0; propagatesNan && i < 2; ++i)
    if (decidesSign(args[i], least)) {
      LlvmValue *x = args[1 - i];
      return b.CreateSelect(least ? b.CreateFCmpULT(x, args[i]) : b.CreateFCmpUGT(x, args[i]), x, args[i]);
    }
  LlvmValue *number = b.CreateBinaryIntrinsic(least ? Intrinsic::minnum : Intrinsic::maxnum, args[0], args[1]);
  if (!propagatesNan) return number;
  unsigned width = number->getType()->getScalarSizeInBits();
  llvm::Type *image = number->getType()->getWithNewType(b.getIntNTy(width));
  LlvmValue *x = b.CreateBitCast(args[0], image), *y = b.CreateBitCast(args[1], image), *both = b.CreateOr(x, y);
  if (!least)
    both =
        b.CreateOr(b.CreateAnd(x, y), b.CreateAnd(both, llvm::ConstantInt::get(image, llvm::APInt::getSignedMaxValue(width))));
  return b.CreateSelect(b.CreateFCmpONE(args[0], args[1]), number, b.CreateBitCast(both, number->getType()));
}

// Rounds a sum to odd: `value` is the sum rounded to nearest, and the exact sum is `value` + `error`. Rounding to odd truncates
// towards zero and sets the last bit if anything was lost.
LlvmValue *FloatArithmetic::toOdd(LlvmValue *value, LlvmValue *error) const {
  LlvmValue *zero = llvm::Constant::getNullValue(value->getType());
  LlvmValue *image = b.CreateBitCast(value, form_.intType(value, value->getType()->getScalarSizeInBits()));
  LlvmValue *even = b.CreateICmpEQ(b.CreateAnd(image, form_.bits(image, 1)), form_.bits(image, 0));
  LlvmValue *outward = b.CreateICmpEQ(b.CreateFCmpOGT(error, zero), b.CreateFCmpOGT(value, zero));
  LlvmValue *neighbour = b.CreateAdd(image, b.CreateSelect(outward, form_.bits(image, 1), form_.bits(image, ~uint64_t{0})));
  LlvmValue *inexact = b.CreateFCmpONE(error, zero);
  return b.CreateBitCast(b.CreateSelect(b.CreateAnd(inexact, even), neighbour, image), value->getType());
}

// The product is exact in f64, and also in f32 unless it overflows or underflows there, which only a bf16 product can. The sum
// is rounded to odd, so that a second rounding is correct. Knuth's TwoSum gives the error of the sum, whose sign shows on which
// side of it the exact sum is.
LlvmValue *FloatArithmetic::smallFma(const LlvmValues &args, Elem elem) const {
  Elem work = traits_.doubles ? Elem::F64 : Elem::F32;
  auto wide = [&](LlvmValue *value) { return formats_.convert(value, elem, work); };
  LlvmValue *x = b.CreateFMul(wide(args[0]), wide(args[1])), *y = wide(args[2]);
  LlvmValue *sum = b.CreateFAdd(x, y), *virtualY = b.CreateFSub(sum, x);
  LlvmValue *error = b.CreateFAdd(b.CreateFSub(x, b.CreateFSub(sum, virtualY)), b.CreateFSub(y, virtualY));
  return formats_.convert(toOdd(sum, error), work, elem);
}

LlvmValue *FloatArithmetic::compare(const Op &op, LlvmValues args, Elem elem) const {
  Elem work = elem == Elem::F64 ? Elem::F64 : Elem::F32;
  for (LlvmValue *&arg : args) arg = formats_.convert(arg, elem, work);
  return b.CreateFCmp(predicateOf(CmpFOp(op).kind()), args[0], args[1]);
}

// Integers of up to 32 bits are exact in f64, and of up to 16 bits in f32. Wider integers use these types only as an
// intermediate step to 8 and 16 bits, and are rounded to odd.
LlvmValue *FloatArithmetic::fromInteger(LlvmValue *value, Elem from, Elem to, bool isSigned) const {
  LlvmValue *whole = form_.integerForm(value, from, isSigned);
  bool direct = to == Elem::F32 || to == Elem::F64;
  Elem work = direct ? to : elemInfo(from).bits <= 16 || !traits_.doubles ? Elem::F32 : Elem::F64;
  llvm::Type *wanted = form_.resized(value->getType(), form_.type(work, 0));
  int digits = elemInfo(work).precision;
  if (!direct && elemInfo(from).bits > digits) whole = stickyInteger(whole, isSigned, static_cast<unsigned>(digits));
  return formats_.convert(isSigned ? b.CreateSIToFP(whole, wanted) : b.CreateUIToFP(whole, wanted), work, to);
}

// Uses the saturating conversions, because the plain ones give poison out of range.
LlvmValue *FloatArithmetic::toInteger(LlvmValue *value, Elem from, Elem to, bool isSigned) const {
  LlvmValue *wide = formats_.convert(value, from, from == Elem::F64 ? Elem::F64 : Elem::F32);
  llvm::Type *wanted = form_.intType(value, static_cast<unsigned>(elemInfo(to).storageBytes) * 8);
  if (elemInfo(to).isUnsigned) isSigned = false;
  Intrinsic::ID id = isSigned ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat;
  return form_.wrapInteger(b.CreateIntrinsic(id, {wanted, wide->getType()}, {wide}), to);
}

// An integer with at most `digits` significant bits that rounds to 8 or 16 bits as `x` does: the low bits of a large
// integer are combined into one sticky bit.
LlvmValue *FloatArithmetic::stickyInteger(LlvmValue *x, bool isSigned, unsigned digits) const {
  unsigned width = x->getType()->getScalarSizeInBits(), dropped = width - digits + 1;
  uint64_t lowBits = (uint64_t{1} << dropped) - 1;
  LlvmValue *magnitude = isSigned ? b.CreateBinaryIntrinsic(Intrinsic::abs, x, b.getFalse()) : x;
  LlvmValue *large = b.CreateICmpUGE(magnitude, form_.bits(x, uint64_t{1} << digits));
  LlvmValue *low = b.CreateICmpNE(b.CreateAnd(x, form_.bits(x, lowBits)), form_.bits(x, 0));
  // Rounds towards minus infinity; the highest of the truncated bits records whether any of them was set.
  LlvmValue *cut = b.CreateAnd(x, b.CreateNot(form_.bits(x, lowBits)));
  LlvmValue *sticky = b.CreateOr(cut, b.CreateSelect(low, form_.bits(x, uint64_t{1} << (dropped - 1)), form_.bits(x, 0)));
  return b.CreateSelect(large, sticky, x);
}

} // namespace xt
