#include "targets/llvm/register_ops.h"

#include "ir/base/check.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"

#include <llvm/IR/Module.h>

#include <algorithm>

namespace xt {

namespace Intrinsic = llvm::Intrinsic;

namespace {

// Whether the float type is held in registers as the integer of its bits.
bool isSmallFloat(Elem elem) { return isFloat(elem) && elem != Elem::F64 && elem != Elem::F32 && elem != Elem::TF32; }

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

llvm::Type *RegisterOps::type(Elem elem, int lanes) const { return withLanes(scalarType(b.getContext(), elem), lanes); }

llvm::Type *RegisterOps::storageType(Elem elem, int lanes) const {
  return elem == Elem::I1 ? withLanes(b.getInt8Ty(), lanes) : type(elem, lanes);
}

llvm::Type *RegisterOps::resized(llvm::Type *like, llvm::Type *scalar) const {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(like);
  return vector ? llvm::FixedVectorType::get(scalar, vector->getNumElements()) : scalar;
}
llvm::Type *RegisterOps::intType(LlvmValue *like, unsigned width) const { return resized(like->getType(), b.getIntNTy(width)); }

LlvmValue *RegisterOps::toStorage(Elem elem, LlvmValue *value) {
  return elem == Elem::I1 ? b.CreateZExt(value, intType(value, 8)) : value;
}

LlvmValue *RegisterOps::fromStorage(Elem elem, LlvmValue *value) {
  if (elem == Elem::I1) return b.CreateTrunc(value, intType(value, 1));
  return elem == Elem::I4 ? wrapInteger(value, elem) : value;
}

llvm::Constant *RegisterOps::constant(Elem elem, const AttrValue &value, int lanes) const {
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

llvm::Constant *RegisterOps::laneNumbers(int lanes) const {
  llvm::SmallVector<uint32_t, 64> numbers;
  for (int lane = 0; lane < lanes; ++lane) numbers.push_back(static_cast<uint32_t>(lane));
  return llvm::ConstantDataVector::get(b.getContext(), numbers);
}

LlvmValue *RegisterOps::stackSlot(size_t number) {
  while (slots_.size() <= number) {
    llvm::BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
    llvm::IRBuilder<> top(&entry, entry.begin());
    llvm::AllocaInst *slot = top.CreateAlloca(llvm::ArrayType::get(b.getInt8Ty(), 64));
    slot->setAlignment(llvm::Align(64));
    slots_.push_back(slot);
  }
  return slots_[number];
}

int RegisterOps::laneBytes(const Op &op) {
  auto bytes = [](Elem elem) { return isSmallFloat(elem) ? 4 : elemInfo(elem).storageBytes; };
  Elem result = op.result()->type().elem();
  int most = bytes(result);
  for (const auto *operand : op.operands()) most = std::max(most, bytes(operand->type().elem()));
  bool small = isSmallFloat(result) || result == Elem::TF32;
  bool throughDouble = op.kind() == OpKind::Fma || op.kind() == OpKind::SIToFP || op.kind() == OpKind::UIToFP;
  return small && throughDouble ? 8 : most;
}

LlvmValue *RegisterOps::perLane(llvm::ArrayRef<LlvmValue *> args,
                                llvm::function_ref<LlvmValue *(llvm::ArrayRef<LlvmValue *>)> compute) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(args[0]->getType());
  if (!vector || traits_.vectors) return compute(args);
  llvm::Type *scalar = vector->getElementType();
  for (size_t i = 0; i < args.size(); ++i) b.CreateAlignedStore(args[i], stackSlot(i), llvm::Align(64));
  uint64_t bytes = scalar->getPrimitiveSizeInBits() / 8;
  forLoop(b, b.getInt64(0), b.getInt64(vector->getNumElements() * bytes), b.getInt64(bytes), [&](LlvmValue *i) {
    LlvmValues lane;
    for (size_t n = 0; n < args.size(); ++n)
      lane.push_back(b.CreateAlignedLoad(scalar, byteOffset(b, stackSlot(n), i), llvm::Align(bytes)));
    b.CreateAlignedStore(compute(lane), byteOffset(b, stackSlot(0), i), llvm::Align(bytes));
  });
  return b.CreateAlignedLoad(vector, stackSlot(0), llvm::Align(64));
}

LlvmValue *RegisterOps::call(std::string name, llvm::ArrayRef<LlvmValue *> args) {
  llvm::Type *scalar = args[0]->getType()->getScalarType();
  if (scalar->isFloatTy()) name += "f";
  llvm::SmallVector<llvm::Type *, 2> types(args.size(), scalar);
  llvm::Module *module = b.GetInsertBlock()->getModule();
  llvm::FunctionCallee callee = module->getOrInsertFunction(name, llvm::FunctionType::get(scalar, types, false));
  llvm::cast<llvm::Function>(callee.getCallee())->setDoesNotThrow();
  return perLane(args, [&](llvm::ArrayRef<LlvmValue *> lane) { return b.CreateCall(callee, lane); });
}

LlvmValue *RegisterOps::combine(OpKind kind, Elem elem, LlvmValue *x, LlvmValue *y) {
  return isFloat(elem) ? floatOp(kind, {x, y}, elem) : integerOp(kind, {x, y}, elem);
}

LlvmValue *RegisterOps::indexTo(LlvmValue *value, Elem elem) {
  return isFloat(elem) ? fromInteger(value, Elem::Index, elem, true) : resizeInteger(value, Elem::Index, elem, true);
}

int RegisterOps::workBytes(Elem elem) { return isSmallFloat(elem) ? 4 : elemInfo(elem).storageBytes; }

LlvmValue *RegisterOps::elementwise(const Op &op, llvm::ArrayRef<LlvmValue *> operands) {
  LlvmValues args(operands);
  Elem from = op.operand(0)->type().elem(), to = op.result()->type().elem();
  switch (op.info().typeRule) {
  case TypeRule::Elementwise: return isFloat(from) ? floatOp(op.kind(), args, from) : integerOp(op.kind(), args, from);
  case TypeRule::Compare: return isFloat(from) ? compareFloats(op, args, from) : compareIntegers(op, args, from);
  case TypeRule::Select: return b.CreateSelect(args[0], args[1], args[2]);
  case TypeRule::Cast: return cast(op.kind(), args[0], from, to);
#define XT_TYPE_RULE(rule, function) case TypeRule::rule:
#define XT_ELEMENT_RULE(rule, function)
#include "ir/ops/type_rules.def"
    break;
  }
  XT_UNREACHABLE("not an elementwise op");
}

LlvmValue *RegisterOps::cast(OpKind kind, LlvmValue *value, Elem from, Elem to) {
  if (kind == OpKind::TruncF || kind == OpKind::ExtF) return convertFloat(value, from, to);
  bool isSigned = !elemInfo(from).isUnsigned;
  if (kind == OpKind::TruncI || kind == OpKind::ExtSI || kind == OpKind::IndexCast)
    return resizeInteger(value, from, to, isSigned);
  if (kind == OpKind::ExtUI) return resizeInteger(value, from, to, false);
  if (kind == OpKind::SIToFP) return fromInteger(value, from, to, isSigned);
  if (kind == OpKind::UIToFP) return fromInteger(value, from, to, false);
  if (kind == OpKind::FPToSI || kind == OpKind::FPToUI) return toInteger(value, from, to, kind == OpKind::FPToSI);
  XT_CHECK(kind == OpKind::Bitcast, "a cast");
  return b.CreateBitCast(value, resized(value->getType(), type(to, 0)));
}

} // namespace xt
