#include "targets/llvm/register_form.h"

#include "ir/base/check.h"
#include "ir/elem_kinds.h"

namespace xt {

namespace {

llvm::Type *scalarType(llvm::LLVMContext &context, Elem elem) {
  if (elem == Elem::I1) return llvm::Type::getInt1Ty(context);
  if (elem == Elem::F64) return llvm::Type::getDoubleTy(context);
  if (elem == Elem::F32 || elem == Elem::TF32) return llvm::Type::getFloatTy(context);
  return llvm::IntegerType::get(context, static_cast<unsigned>(elemInfo(elem).storageBytes) * 8);
}

llvm::Type *withLanes(llvm::Type *scalar, int lanes) {
  return lanes ? llvm::FixedVectorType::get(scalar, static_cast<unsigned>(lanes)) : scalar;
}

} // namespace

bool RegisterForm::isSmallFloat(Elem elem) {
  return isFloat(elem) && elem != Elem::F64 && elem != Elem::F32 && elem != Elem::TF32;
}

llvm::Type *RegisterForm::type(Elem elem, int lanes) const { return withLanes(scalarType(b.getContext(), elem), lanes); }

llvm::Type *RegisterForm::storageType(Elem elem, int lanes) const {
  return elem == Elem::I1 ? withLanes(b.getInt8Ty(), lanes) : type(elem, lanes);
}

llvm::Type *RegisterForm::resized(llvm::Type *like, llvm::Type *scalar) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(like);
  return vector ? llvm::FixedVectorType::get(scalar, vector->getNumElements()) : scalar;
}

LlvmValue *RegisterForm::toStorage(Elem elem, LlvmValue *value) const {
  return elem == Elem::I1 ? b.CreateZExt(value, intType(value, 8)) : value;
}

LlvmValue *RegisterForm::fromStorage(Elem elem, LlvmValue *value) const {
  if (elem == Elem::I1) return b.CreateTrunc(value, intType(value, 1));
  if (elem == Elem::F4E2M1) return b.CreateAnd(value, bits(value, 15));
  return elemInfo(elem).bits == 4 ? wrapInteger(value, elem) : value;
}

llvm::Constant *RegisterForm::constant(Elem elem, const AttrValue &value, int lanes) const {
  llvm::Type *whole = type(elem, lanes);
  const auto *number = std::get_if<double>(&value);
  const auto *integer = std::get_if<int64_t>(&value);
  XT_CHECK(number || integer, "a constant is a number");
  if (isInteger(elem)) {
    int64_t wrapped = wrapTo(elem, integer ? *integer : static_cast<int64_t>(*number));
    return llvm::ConstantInt::get(whole, static_cast<uint64_t>(wrapped), true, true);
  }
  double rounded = roundTo(elem, number ? *number : static_cast<double>(*integer));
  if (!isSmallFloat(elem)) return llvm::ConstantFP::get(whole, rounded);
  uint16_t image = 0;
  storeFloat(elem, &image, rounded);
  return llvm::ConstantInt::get(whole, image);
}

llvm::Constant *RegisterForm::laneNumbers(int lanes) const {
  llvm::SmallVector<uint32_t, 64> numbers;
  for (int lane = 0; lane < lanes; ++lane) numbers.push_back(static_cast<uint32_t>(lane));
  return llvm::ConstantDataVector::get(b.getContext(), numbers);
}

LlvmValue *RegisterForm::integerForm(LlvmValue *value, Elem elem, bool isSigned) const {
  if (elem == Elem::I1) return isSigned ? b.CreateSExt(value, intType(value, 8)) : b.CreateZExt(value, intType(value, 8));
  if (elem == Elem::I4 && !isSigned) return b.CreateAnd(value, bits(value, 15));
  return elem == Elem::U4 && isSigned ? b.CreateAShr(b.CreateShl(value, 4), 4) : value;
}

LlvmValue *RegisterForm::wrapInteger(LlvmValue *value, Elem to) const {
  if (to == Elem::I1) return b.CreateTrunc(value, intType(value, 1));
  if (to == Elem::U4) return b.CreateAnd(value, bits(value, 15));
  return to == Elem::I4 ? b.CreateAShr(b.CreateShl(value, 4), 4) : value;
}

LlvmValue *RegisterForm::resizeInteger(LlvmValue *value, Elem from, Elem to, bool isSigned) const {
  LlvmValue *whole = integerForm(value, from, isSigned);
  llvm::Type *wanted = intType(value, static_cast<unsigned>(elemInfo(to).storageBytes) * 8);
  return wrapInteger(isSigned ? b.CreateSExtOrTrunc(whole, wanted) : b.CreateZExtOrTrunc(whole, wanted), to);
}

} // namespace xt
