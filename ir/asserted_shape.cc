#include "ir/asserted_shape.h"

namespace xt {

std::vector<int64_t> assertedShape(const Op &op) {
  if (const Attr *whole = op.attr("whole")) return std::get<std::vector<int64_t>>(whole->value);
  Type condition = op.operand(0)->type();
  if (!condition.isVector()) return {};
  return {condition.shape().begin(), condition.shape().end()};
}

} // namespace xt
