#include "ir/interp/print_executor.h"

#include "ir/asserted_shape.h"
#include "ir/interp/print_value.h"
#include "ir/views/scalar.h"
#include "ir/views/tile.h"

namespace xt {

Fragment printedNumbers(Elem elem, std::span<const Number> elements, const Arithmetic &arithmetic) {
  Fragment numbers(elements.begin(), elements.end());
  for (Number &number : numbers)
    if (isFloat(elem)) number = floatNumber(arithmetic.real(number));
  return numbers;
}

// At workgroup scope only values that are equal in all subgroups are printed here, by the first subgroup. Vectors of which the
// subgroups hold parts are printed by Workgroup::printOrAssert.
void PrintExecutor::print(const Step &step) {
  const WorkgroupEnvironment &environment = worker_.environment();
  if (!environment.print || !*environment.print || (environment.workgroupScope && worker_.id() != 0)) return;
  PrintOp print(*step.op);
  int64_t origin = print.workgroup() ? -1 : static_cast<int64_t>(worker_.id());
  std::string text = printPrefix(environment.kernel, environment.blockId, origin);
  text += print.text();
  if (step.operands.empty()) (*environment.print)(printedText(text));
  for (size_t i = 0; i < step.operands.size(); ++i) {
    const RuntimeValue &value = values_.operand(step, i);
    const auto *scalar = std::get_if<Number>(&value);
    std::span<const Number> elements = scalar ? std::span(scalar, 1) : std::span(*values_.fragment(step, i));
    Type type = step.op->operand(i)->type();
    (*environment.print)(printedValue(text, type, printedNumbers(type.elem(), elements, worker_.arithmetic())));
  }
}

Result<void> PrintExecutor::assertion(const Step &step) {
  const RuntimeValue &value = values_.operand(step, 0);
  if (const auto *scalar = std::get_if<Number>(&value))
    return checkAssertion(*step.op, {scalar, 1}, {}, worker_.environment(), worker_.id());
  return checkAssertion(*step.op, *values_.fragment(step, 0), values_.indices(step, 1), worker_.environment(), worker_.id());
}

namespace {
// Returns the row-major position in the whole vector of element `k` (row-major) of a part that begins at index `first`; `k` if
// `first` is empty.
int64_t inWhole(int64_t k, Type part, std::span<const int64_t> first, std::span<const int64_t> whole) {
  if (first.empty()) return k;
  int64_t place = 0, stride = 1;
  for (size_t d = whole.size(); d-- > 0;) {
    int64_t extent = part.extent(static_cast<int>(d));
    place += (first[d] + k % extent) * stride;
    stride *= whole[d];
    k /= extent;
  }
  return place;
}
} // namespace

Result<void> checkAssertion(const Op &op, std::span<const Number> condition, std::span<const int64_t> first,
                            const WorkgroupEnvironment &environment, size_t subgroup) {
  for (size_t k = 0; k < condition.size(); ++k) {
    if (condition[k].i != 0) continue;
    std::vector<int64_t> shape = assertedShape(op);
    int64_t element = inWhole(static_cast<int64_t>(k), op.operand(0)->type(), first, shape);
    std::string where =
        originText(environment.kernel, environment.blockId, AssertOp(op).workgroup() ? -1 : static_cast<int64_t>(subgroup));
    return Error::kernel(assertionText(AssertOp(op).text(), shape, element, where), op.range());
  }
  return {};
}

} // namespace xt
