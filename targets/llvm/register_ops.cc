#include "targets/llvm/register_ops.h"

#include "ir/base/check.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"

#include <algorithm>

namespace xt {

int RegisterOps::workBytes(Elem elem) { return RegisterForm::isSmallFloat(elem) ? 4 : elemInfo(elem).storageBytes; }

int RegisterOps::laneBytes(const Op &op) {
  Elem result = op.result()->type().elem();
  int most = workBytes(result);
  for (const auto *operand : op.operands()) most = std::max(most, workBytes(operand->type().elem()));
  bool small = RegisterForm::isSmallFloat(result) || result == Elem::TF32;
  bool throughDouble = op.kind() == OpKind::Fma || op.kind() == OpKind::SIToFP || op.kind() == OpKind::UIToFP;
  return small && throughDouble ? 8 : most;
}

LlvmValue *RegisterOps::mmaOperand(LlvmValue *value, Elem from) {
  if (isInteger(from)) return form_.resizeInteger(value, from, Elem::I32, !elemInfo(from).isUnsigned);
  return from == Elem::TF32 ? formats_.narrow(value, from) : convertFloat(value, from, Elem::F32);
}

LlvmValue *RegisterOps::combine(OpKind kind, Elem elem, LlvmValue *x, LlvmValue *y) {
  return isFloat(elem) ? floats_.compute(kind, {x, y}, elem) : integers_.compute(kind, {x, y}, elem);
}

LlvmValue *RegisterOps::indexTo(LlvmValue *value, Elem elem) {
  return isFloat(elem) ? floats_.fromInteger(value, Elem::Index, elem, true)
                       : form_.resizeInteger(value, Elem::Index, elem, true);
}

LlvmValue *RegisterOps::elementwise(const Op &op, llvm::ArrayRef<LlvmValue *> operands) {
  LlvmValues args(operands);
  Elem from = op.operand(0)->type().elem(), to = op.result()->type().elem();
  switch (op.info().typeRule) {
  case TypeRule::Elementwise:
    return isFloat(from) ? floats_.compute(op.kind(), args, from) : integers_.compute(op.kind(), args, from);
  case TypeRule::Compare: return isFloat(from) ? floats_.compare(op, args, from) : integers_.compare(op, args, from);
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
    return form_.resizeInteger(value, from, to, isSigned);
  if (kind == OpKind::ExtUI) return form_.resizeInteger(value, from, to, false);
  if (kind == OpKind::SIToFP) return floats_.fromInteger(value, from, to, isSigned);
  if (kind == OpKind::UIToFP) return floats_.fromInteger(value, from, to, false);
  if (kind == OpKind::FPToSI || kind == OpKind::FPToUI) return floats_.toInteger(value, from, to, kind == OpKind::FPToSI);
  XT_CHECK(kind == OpKind::Bitcast, "a cast");
  LlvmValue *image = b.CreateBitCast(value, form_.resized(value->getType(), type(to, 0)));
  return elemInfo(to).bits == 4 ? form_.fromStorage(to, image) : image; // i4 is held with copies of its sign, u4 with zeros
}

} // namespace xt
