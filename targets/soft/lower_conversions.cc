#include "targets/soft/lower.h"
#include "targets/soft/runtime.h"

#include <llvm/IR/Intrinsics.h>

namespace xt::soft {
namespace {

using Builder = llvm::IRBuilder<>;

// A conversion such as "int4_sat_rte": the target type and the mode.
struct Conversion {
  NamedType to;
  bool saturate = false;
  char rounding = 0; // last letter of rte, rtz, rtp, rtn; 0: the default
};

std::optional<Conversion> parse(std::string_view text) {
  Conversion result;
  std::string type;
  while (!text.empty() && (text[0] < '0' || text[0] > '9') && text[0] != '_') type += text[0], text.remove_prefix(1);
  (void)takeNumber(text);
  result.to = namedType(type);
  if (takePrefix(text, "_sat")) result.saturate = true;
  if (text.size() == 4 && takePrefix(text, "_rt")) result.rounding = text[0], text.remove_prefix(1);
  return result.to.bits && text.empty() ? std::optional(result) : std::nullopt;
}

llvm::Value *rounded(Builder &b, llvm::Value *value, char rounding) {
  using namespace llvm;
  Intrinsic::ID id = rounding == 'e'   ? Intrinsic::roundeven
                     : rounding == 'p' ? Intrinsic::ceil
                     : rounding == 'n' ? Intrinsic::floor
                                       : Intrinsic::trunc;
  return b.CreateUnaryIntrinsic(id, value);
}

llvm::Value *toInteger(Builder &b, llvm::Value *value, llvm::Type *type, const Conversion &how) {
  using namespace llvm;
  if (how.rounding && how.rounding != 'z') value = rounded(b, value, how.rounding);
  if (how.saturate)
    return b.CreateIntrinsic(how.to.isSigned ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat, {type, value->getType()},
                             {value});
  return how.to.isSigned ? b.CreateFPToSI(value, type) : b.CreateFPToUI(value, type);
}

// Rounds to the nearest value of the narrower type, then moves it by one unit if the rounding direction requires it:
// adjacent values differ by one in their bits.
llvm::Value *narrowed(Builder &b, llvm::Value *value, llvm::Type *type, char rounding) {
  using namespace llvm;
  Value *near = b.CreateFPTrunc(value, type);
  if (!rounding || rounding == 'e') return near;
  Type *bitsType = type->getWithNewType(b.getIntNTy(type->getScalarSizeInBits()));
  Value *back = b.CreateFPExt(near, value->getType());
  Value *zero = ConstantFP::getZero(value->getType());
  Value *above = b.CreateFCmpOGT(back, value), *below = b.CreateFCmpOLT(back, value);
  Value *positive = b.CreateFCmpOGT(value, zero), *negative = b.CreateFCmpOLT(value, zero);
  Value *wrong = rounding == 'p'   ? below
                 : rounding == 'n' ? above
                                   : b.CreateOr(b.CreateAnd(above, positive), b.CreateAnd(below, negative));
  Value *bits = b.CreateBitCast(near, bitsType);
  // Adding one to the bits moves a value away from zero. A number that was rounded up moves down, and one that was rounded
  // down moves up.
  Value *outward = b.CreateXor(above, positive);
  Value *moved = b.CreateSelect(outward, b.CreateAdd(bits, ConstantInt::get(bitsType, 1)),
                                b.CreateSub(bits, ConstantInt::get(bitsType, 1)));
  return b.CreateSelect(wrong, b.CreateBitCast(moved, type), near);
}

llvm::Value *integerToInteger(Builder &b, llvm::Value *value, llvm::Type *type, bool fromSigned, const Conversion &how) {
  using namespace llvm;
  unsigned from = value->getType()->getScalarSizeInBits(), to = type->getScalarSizeInBits();
  if (!how.saturate) return fromSigned ? b.CreateSExtOrTrunc(value, type) : b.CreateZExtOrTrunc(value, type);
  unsigned wideBits = std::max(from, to) + 1; // holds every value of both types
  Type *wide = value->getType()->getWithNewType(b.getIntNTy(wideBits));
  Value *held = fromSigned ? b.CreateSExt(value, wide) : b.CreateZExt(value, wide);
  APInt least = how.to.isSigned ? APInt::getSignedMinValue(to).sext(wideBits) : APInt::getZero(wideBits);
  APInt most = how.to.isSigned ? APInt::getSignedMaxValue(to).sext(wideBits) : APInt::getMaxValue(to).zext(wideBits);
  held = b.CreateBinaryIntrinsic(Intrinsic::smax, held, ConstantInt::get(wide, least));
  held = b.CreateBinaryIntrinsic(Intrinsic::smin, held, ConstantInt::get(wide, most));
  return b.CreateTrunc(held, type);
}

llvm::Value *convert(Builder &b, llvm::Value *value, llvm::Type *type, bool fromSigned, const Conversion &how) {
  bool fromFloat = value->getType()->isFPOrFPVectorTy(), toFloat = type->isFPOrFPVectorTy();
  if (fromFloat && !toFloat) return toInteger(b, value, type, how);
  if (!fromFloat && !toFloat) return integerToInteger(b, value, type, fromSigned, how);
  // Integers of up to 32 bits are exact in f64, from which narrowed() rounds in any direction. The processor rounds wider
  // ones to nearest, whatever the direction is.
  if (!fromFloat) {
    bool direct = !how.rounding || how.rounding == 'e' || value->getType()->getScalarSizeInBits() > 32 ||
                  type->getScalarType()->isDoubleTy();
    llvm::Type *through = direct ? type : type->getWithNewType(b.getDoubleTy());
    llvm::Value *exact = fromSigned ? b.CreateSIToFP(value, through) : b.CreateUIToFP(value, through);
    return direct ? exact : narrowed(b, exact, type, how.rounding);
  }
  if (value->getType()->getScalarSizeInBits() <= type->getScalarSizeInBits()) return b.CreateFPCast(value, type);
  return narrowed(b, value, type, how.rounding);
}

// Converts f32 to bf16, as the bits of an integer: the upper half of the f32, rounded to nearest even; NaNs stay NaNs.
llvm::Value *toBfloat16(Builder &b, llvm::Value *value, llvm::Type *type) {
  using namespace llvm;
  Type *words = value->getType()->getWithNewType(b.getInt32Ty());
  auto number = [&](uint32_t n) { return ConstantInt::get(words, n); };
  Value *bits = b.CreateBitCast(value, words);
  Value *odd = b.CreateAnd(b.CreateLShr(bits, 16), number(1));
  Value *up = b.CreateLShr(b.CreateAdd(b.CreateAdd(bits, number(0x7fff)), odd), 16);
  Value *quiet = b.CreateOr(b.CreateLShr(bits, 16), number(0x40));
  return b.CreateTrunc(b.CreateSelect(b.CreateFCmpUNO(value, value), quiet, up), type);
}

llvm::Value *fromBfloat16(Builder &b, llvm::Value *value, llvm::Type *type) {
  llvm::Type *words = value->getType()->getWithNewType(b.getInt32Ty());
  return b.CreateBitCast(b.CreateShl(b.CreateZExt(value, words), 16), type);
}

} // namespace

bool lowerConversions(LowerContext &, llvm::Function &function, const BuiltinName &name) {
  if (function.arg_size() != 1) return false;
  llvm::Type *type = function.getReturnType();
  std::string_view text = name.name;
  if (text == "__spirv_ConvertFToBF16INTEL" || text.starts_with("intel_convert_bfloat16")) {
    replaceCalls(function, [&](Builder &b, llvm::CallInst &call) { return toBfloat16(b, call.getArgOperand(0), type); });
    return true;
  }
  if (text == "__spirv_ConvertBF16ToFINTEL" || text.starts_with("intel_convert_as_bfloat16")) {
    replaceCalls(function, [&](Builder &b, llvm::CallInst &call) { return fromBfloat16(b, call.getArgOperand(0), type); });
    return true;
  }
  std::optional<Conversion> how;
  bool fromSigned = !name.parameters.empty() && namedType(scalarOf(name.parameters[0])).isSigned;
  if (takePrefix(text, "convert_"))
    how = parse(text);
  else if (text.starts_with("__spirv_") && !name.resultSuffix.empty()) {
    how = parse(name.resultSuffix);
    // SPIR-V's names determine signedness; the types in symbols may not.
    if (text == "__spirv_ConvertSToF" || text == "__spirv_SatConvertSToU" || text == "__spirv_SConvert")
      fromSigned = true;
    else if (text == "__spirv_ConvertUToF" || text == "__spirv_SatConvertUToS" || text == "__spirv_UConvert")
      fromSigned = false;
    else if (text == "__spirv_ConvertFToU" && how)
      how->to.isSigned = false;
    else if (text != "__spirv_ConvertFToS" && text != "__spirv_FConvert" && text != "__spirv_ConvertFToU")
      how.reset();
  }
  if (!how) return false;
  replaceCalls(function,
               [&](Builder &b, llvm::CallInst &call) { return convert(b, call.getArgOperand(0), type, fromSigned, *how); });
  return true;
}

} // namespace xt::soft
