#include "ir/interp/slot_values.h"

namespace xt {

std::vector<int64_t> SlotValues::indices(const Step &step, size_t first) const {
  std::vector<int64_t> values;
  for (size_t i = first; i < step.operands.size(); ++i) values.push_back(index(step, i));
  return values;
}

Fragment SlotValues::elements(const Step &step, size_t i) const {
  if (const auto *scalar = std::get_if<Number>(&operand(step, i))) return {*scalar};
  return *fragment(step, i);
}

void SlotValues::setElements(const Step &step, Fragment values) {
  if (!step.op->result()->type().isScalar()) return setVector(step, std::move(values));
  setResult(step, values[0]);
}

} // namespace xt
