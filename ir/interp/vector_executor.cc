#include "ir/interp/vector_executor.h"

#include "ir/interp/vector_ops.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "ir/views/tile.h"

#include <algorithm>
#include <array>

namespace xt {

void VectorExecutor::constant(const Step &step) {
  const Op &op = *step.op;
  Number value = worker_.arithmetic().constant(op.result()->type().elem(), ConstantOp(op).value());
  if (op.result()->type().isVector())
    values_.setVector(step, Fragment(worker_.held(step).count, value));
  else
    values_.setResult(step, value);
}

void VectorExecutor::splat(const Step &step) {
  values_.setVector(step, Fragment(worker_.held(step).count, values_.number(step, 0)));
}

void VectorExecutor::id(const Step &step) {
  OpKind kind = step.op->kind();
  if (kind == OpKind::SubgroupId || kind == OpKind::LaneId) {
    size_t id = kind == OpKind::LaneId ? worker_.lane() : worker_.subgroup();
    return values_.setResult(step, integerNumber(static_cast<int64_t>(id)));
  }
  size_t fromLast = static_cast<size_t>(BlockIdOp(*step.op).dimension());
  const std::vector<int64_t> &id = worker_.environment().blockId;
  values_.setResult(step, integerNumber(fromLast < id.size() ? id[id.size() - 1 - fromLast] : 0));
}

void VectorExecutor::elementwise(const Step &step) {
  std::array<Numbers, 3> operands{};
  for (size_t i = 0; i < step.operands.size(); ++i) {
    const RuntimeValue &value = values_.operand(step, i);
    if (const auto *scalar = std::get_if<Number>(&value))
      operands[i] = {scalar, 0};
    else
      operands[i] = {values_.fragment(step, i)->data(), 1};
  }
  auto used = std::span(operands).first(step.operands.size());
  if (!step.op->result()->type().isVector()) {
    Number result;
    worker_.arithmetic().elementwise(step.elementwise, used, &result, 1);
    values_.setResult(step, result);
    return;
  }
  Fragment result(worker_.held(step).count);
  worker_.arithmetic().elementwise(step.elementwise, used, result.data(), result.size());
  values_.setVector(step, std::move(result));
}

// For products without an exchange: the subgroup holds the whole rows of `a` and columns of `b` that its part of the result
// needs.
void VectorExecutor::tileMma(const Step &step) {
  const Holding::Part &part = worker_.held(step);
  const Op &op = *step.op;
  Fragment result = step.operands.size() > 2
                        ? *values_.fragment(step, 2)
                        : Fragment(part.count, worker_.arithmetic().constant(op.result()->type().elem(), int64_t{0}));
  MmaExtents shape{part.slices[0].size(), part.slices[1].size(), static_cast<size_t>(op.operand(0)->type().extent(1))};
  worker_.arithmetic().multiplyAccumulate(op.operand(0)->type().elem(), op.result()->type().elem(), shape,
                                          values_.fragment(step, 0)->data(), values_.fragment(step, 1)->data(), result.data());
  values_.setVector(step, std::move(result));
}

void VectorExecutor::iota(const Step &step) {
  Fragment result;
  result.reserve(worker_.held(step).count);
  forEachHeld(worker_.held(step),
              [&](std::span<const int64_t> index) { result.push_back(iotaAt(*step.op, index, worker_.arithmetic())); });
  values_.setVector(step, std::move(result));
}

// The index of an element is its index in the whole vector, even if a subgroup holds only a part of the vector.
void VectorExecutor::createMask(const Step &step) {
  std::vector<int64_t> extents = values_.indices(step, 0);
  Fragment result;
  result.reserve(worker_.held(step).count);
  forEachHeld(worker_.held(step),
              [&](std::span<const int64_t> index) { result.push_back(integerNumber(maskAt(extents, index))); });
  values_.setVector(step, std::move(result));
}

// For ops without an exchange: the subgroup holds every element that its part of the result is computed from.
void VectorExecutor::rearrange(const Step &step) {
  const Holding &source = worker_.environment().program.holding(step.op->operand(0)->type());
  values_.setVector(step, evaluateVectorOp(*step.op, *values_.fragment(step, 0), source.of(worker_.id()), worker_.held(step),
                                           worker_.arithmetic()));
}

void VectorExecutor::extract(const Step &step) {
  std::optional<size_t> place = linearIndex(step.op->operand(0)->type().shape(), values_.indices(step, 1));
  values_.setResult(step, place ? (*values_.fragment(step, 0))[*place] : Number());
}

// Every subgroup that holds the element replaces it.
void VectorExecutor::insert(const Step &step) {
  std::vector<int64_t> wanted = values_.indices(step, 2);
  Fragment result = *values_.fragment(step, 1);
  size_t k = 0;
  forEachHeld(worker_.held(step), [&](std::span<const int64_t> index) {
    if (std::equal(index.begin(), index.end(), wanted.begin())) result[k] = values_.number(step, 0);
    ++k;
  });
  values_.setVector(step, std::move(result));
}

void VectorExecutor::insertSlice(const Step &step) {
  values_.setVector(step, insertedSlice(*step.op, *values_.fragment(step, 0), *values_.fragment(step, 1)));
}

} // namespace xt
