// Scalars and vectors.
#include "ir/asserted_shape.h"
#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/interp/mma.h"
#include "ir/interp/print_value.h"
#include "ir/interp/subgroup.h"
#include "ir/interp/vector_ops.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "ir/views/tile.h"

namespace xt {

void Subgroup::constant(const Step &step) {
  const Op &op = *step.op;
  Number value = arithmetic().constant(op.result()->type().elem(), ConstantOp(op).value());
  if (op.result()->type().isVector())
    setVector(step, Fragment(held(step).count, value));
  else
    slots_[step.results[0]] = value;
}

void Subgroup::blockOrSubgroupId(const Step &step) {
  if (step.op->kind() == OpKind::SubgroupId || step.op->kind() == OpKind::LaneId) {
    slots_[step.results[0]] = integerNumber(static_cast<int64_t>(step.op->kind() == OpKind::LaneId ? lane() : subgroup()));
    return;
  }
  size_t fromLast = static_cast<size_t>(BlockIdOp(*step.op).dimension());
  const std::vector<int64_t> &id = environment_.blockId;
  slots_[step.results[0]] = integerNumber(fromLast < id.size() ? id[id.size() - 1 - fromLast] : 0);
}

void Subgroup::elementwise(const Step &step) {
  std::array<Numbers, 3> operands{};
  for (size_t i = 0; i < step.operands.size(); ++i) {
    const RuntimeValue &value = slots_[step.operands[i]];
    if (const auto *scalar = std::get_if<Number>(&value))
      operands[i] = {scalar, 0};
    else
      operands[i] = {fragment(step.operands[i])->data(), 1};
  }
  auto used = std::span(operands).first(step.operands.size());
  if (!step.op->result()->type().isVector()) {
    Number result;
    arithmetic().elementwise(step.elementwise, used, &result, 1);
    slots_[step.results[0]] = result;
    return;
  }
  Fragment result(held(step).count);
  arithmetic().elementwise(step.elementwise, used, result.data(), result.size());
  setVector(step, std::move(result));
}

// The subgroup holds whole rows of a and whole columns of b for its part of the result.
void Subgroup::tileMma(const Step &step) {
  const Holding::Part &part = held(step);
  const Op &op = *step.op;
  Fragment result = step.operands.size() > 2
                        ? *fragment(step.operands[2])
                        : Fragment(part.count, arithmetic().constant(op.result()->type().elem(), int64_t{0}));
  MmaExtents shape{part.slices[0].size(), part.slices[1].size(), static_cast<size_t>(op.operand(0)->type().extent(1))};
  arithmetic().multiplyAccumulate(op.operand(0)->type().elem(), op.result()->type().elem(), shape,
                                  fragment(step.operands[0])->data(), fragment(step.operands[1])->data(), result.data());
  setVector(step, std::move(result));
}

void Subgroup::iota(const Step &step) {
  Fragment result;
  result.reserve(held(step).count);
  forEachHeld(held(step), [&](std::span<const int64_t> index) { result.push_back(iotaAt(*step.op, index, arithmetic())); });
  setVector(step, std::move(result));
}

// Indices count over the whole vector, even if a subgroup holds only a part.
void Subgroup::createMask(const Step &step) {
  std::vector<int64_t> extents = indices(step, 0);
  Fragment result;
  result.reserve(held(step).count);
  forEachHeld(held(step), [&](std::span<const int64_t> index) { result.push_back(integerNumber(maskAt(extents, index))); });
  setVector(step, std::move(result));
}

// The subgroup holds every element that its part of the result is computed from.
void Subgroup::vectorOp(const Step &step) {
  const Holding &source = environment_.program.holding(step.op->operand(0)->type());
  setVector(step, evaluateVectorOp(*step.op, *fragment(step.operands[0]), source.of(id_), held(step), arithmetic()));
}

void Subgroup::extract(const Step &step) {
  std::optional<size_t> place = linearIndex(step.op->operand(0)->type().shape(), indices(step, 1));
  slots_[step.results[0]] = place ? (*fragment(step.operands[0]))[*place] : Number();
}

// Every subgroup that holds the element replaces it.
void Subgroup::insert(const Step &step) {
  std::vector<int64_t> wanted = indices(step, 2);
  Fragment result = *fragment(step.operands[1]);
  size_t k = 0;
  forEachHeld(held(step), [&](std::span<const int64_t> index) {
    if (std::equal(index.begin(), index.end(), wanted.begin())) result[k] = number(step.operands[0]);
    ++k;
  });
  setVector(step, std::move(result));
}

void Subgroup::insertSlice(const Step &step) {
  const std::vector<int64_t> &offsets = InsertStridedSliceOp(*step.op).offsets();
  Fragment result = *fragment(step.operands[1]);
  const Fragment &part = *fragment(step.operands[0]);
  Type partType = step.op->operand(0)->type(), whole = step.op->operand(1)->type();
  size_t k = 0;
  forEachHeld(wholePart(partType.shape()), [&](std::span<const int64_t> index) {
    std::array<int64_t, kMaxRank> at{};
    for (size_t d = 0; d < offsets.size(); ++d) at[d] = index[d] + offsets[d];
    result[*linearIndex(whole.shape(), std::span(at).first(offsets.size()))] = part[k++];
  });
  setVector(step, std::move(result));
}

Fragment printedNumbers(Elem elem, std::span<const Number> elements, const Arithmetic &arithmetic) {
  Fragment numbers(elements.begin(), elements.end());
  for (Number &number : numbers)
    if (isFloat(elem)) number = floatNumber(arithmetic.real(number));
  return numbers;
}

// At workgroup scope, values that are the same in all subgroups are printed once; vectors are printed where the subgroups meet.
void Subgroup::print(const Step &step) {
  if (!environment_.print || !*environment_.print || (environment_.workgroupScope && id_ != 0)) return;
  PrintOp print(*step.op);
  std::string text = printPrefix(environment_.kernel, environment_.blockId, print.workgroup() ? -1 : static_cast<int64_t>(id_));
  text += print.text();
  if (step.operands.empty()) (*environment_.print)(printedText(text));
  for (size_t i = 0; i < step.operands.size(); ++i) {
    const RuntimeValue &value = slots_[step.operands[i]];
    const auto *scalar = std::get_if<Number>(&value);
    std::span<const Number> elements = scalar ? std::span(scalar, 1) : std::span(*fragment(step.operands[i]));
    Type type = step.op->operand(i)->type();
    (*environment_.print)(printedValue(text, type, printedNumbers(type.elem(), elements, arithmetic())));
  }
}

Result<void> Subgroup::assertion(const Step &step) {
  const RuntimeValue &value = slots_[step.operands[0]];
  if (const auto *scalar = std::get_if<Number>(&value)) return checkAssertion(*step.op, {scalar, 1}, {}, environment_, id_);
  return checkAssertion(*step.op, *fragment(step.operands[0]), indices(step, 1), environment_, id_);
}

namespace {
// The position of element k (row-major) of a part within the whole.
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
