#include "ir/constants.h"

#include "ir/op_kinds.h"
#include "ir/views/scalar.h"

namespace xt {

const AttrValue *constantValue(const Value &value) {
  const Op *op = value.definingOp();
  if (!op || op->kind() != OpKind::Constant) return nullptr;
  return &ConstantOp(*op).value();
}

std::optional<int64_t> constantInt(const Value &value) {
  const AttrValue *constant = constantValue(value);
  const int64_t *number = constant ? std::get_if<int64_t>(constant) : nullptr;
  return number ? std::optional(*number) : std::nullopt;
}

} // namespace xt
