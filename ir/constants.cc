#include "ir/constants.h"

#include "ir/op_kinds.h"
#include "ir/views/scalar.h"

#include <cmath>

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

bool isPositiveZero(const AttrValue &number) {
  const auto *real = std::get_if<double>(&number);
  return real ? *real == 0 && !std::signbit(*real) : number == AttrValue(int64_t{0});
}

} // namespace xt
