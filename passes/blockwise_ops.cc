#include "passes/blockwise_ops.h"

#include "ir/context.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "ir/views/tile.h"
#include "passes/index_arithmetic.h"
#include "passes/part_values.h"

namespace xt {

void BlockwiseOps::plain(const Op &op) {
  Values operands;
  for (const Value *operand : op.operands()) operands.push_back(values_.one(operand));
  std::vector<Type> types;
  for (size_t i = 0; i < op.resultCount(); ++i) types.push_back(op.result(i)->type());
  Op *made = values_.copy(op, std::move(operands), types);
  for (size_t i = 0; i < op.resultCount(); ++i) values_.bind(op.result(i), {made->result(i)});
}

void BlockwiseOps::eachBlock(const Op &op) {
  size_t count = classes_.grid(op.result()).count();
  Values results;
  for (size_t k = 0; k < count; ++k) {
    Values operands;
    for (const Value *operand : op.operands())
      operands.push_back(operand->type().isVector() ? values_.of(operand)[k] : values_.one(operand));
    results.push_back(values_.copy(op, std::move(operands), {values_.blockType(op.result(), k)})->result());
  }
  values_.bind(op.result(), std::move(results));
}

// All elements are equal, so blocks of one shape share one value.
void BlockwiseOps::constantLike(const Op &op) {
  const BlockGrid &grid = classes_.grid(op.result());
  std::vector<std::pair<Type, Value *>> made;
  Values results;
  for (size_t k = 0; k < grid.count(); ++k) {
    Type type = values_.blockType(op.result(), k);
    Value *value = nullptr;
    for (auto &[knownType, known] : made)
      if (knownType == type) value = known;
    if (!value) {
      Values operands;
      for (const Value *operand : op.operands()) operands.push_back(values_.one(operand));
      value = values_.copy(op, std::move(operands), {type})->result();
      made.emplace_back(type, value);
    }
    results.push_back(value);
  }
  values_.bind(op.result(), std::move(results));
}

void BlockwiseOps::iota(const Op &op) {
  const BlockGrid &grid = classes_.grid(op.result());
  size_t dim = dimensionOf(op);
  Values results;
  for (size_t k = 0; k < grid.count(); ++k) {
    int64_t first = grid.origin(k)[dim];
    results.push_back(iotaFrom(b_, op, values_.blockType(op.result(), k), first ? b_.index(first) : nullptr));
  }
  values_.bind(op.result(), std::move(results));
}

void BlockwiseOps::createMask(const Op &op) {
  const BlockGrid &grid = classes_.grid(op.result());
  Values results;
  for (size_t k = 0; k < grid.count(); ++k) {
    std::vector<int64_t> origin = grid.origin(k);
    Values extents;
    for (size_t d = 0; d < op.operandCount(); ++d) extents.push_back(differenceOf(b_, values_.one(op.operand(d)), origin[d]));
    results.push_back(b_.value(OpKind::CreateMask, std::move(extents), values_.blockType(op.result(), k)));
  }
  values_.bind(op.result(), std::move(results));
}

// An insert whose index is outside of the block replaces nothing.
void BlockwiseOps::insert(const Op &op) {
  const BlockGrid &grid = classes_.grid(op.result());
  Values results;
  for (size_t k = 0; k < grid.count(); ++k) {
    std::vector<int64_t> origin = grid.origin(k);
    Values operands = {values_.one(op.operand(0)), values_.of(op.operand(1))[k]};
    for (size_t d = 0; d < origin.size(); ++d) operands.push_back(differenceOf(b_, values_.one(op.operand(2 + d)), origin[d]));
    results.push_back(b_.value(OpKind::Insert, std::move(operands), values_.blockType(op.result(), k)));
  }
  values_.bind(op.result(), std::move(results));
}

// Extracts from each block and selects the result of the block that contains the index.
void BlockwiseOps::extract(const Op &op) {
  const Value *vector = op.operand(0);
  const BlockGrid &grid = classes_.grid(vector);
  Value *result = nullptr;
  for (size_t k = 0; k < grid.count(); ++k) {
    std::vector<int64_t> origin = grid.origin(k);
    Values operands = {values_.of(vector)[k]};
    for (size_t d = 0; d < origin.size(); ++d) operands.push_back(differenceOf(b_, values_.one(op.operand(1 + d)), origin[d]));
    Value *element = b_.value(OpKind::Extract, std::move(operands), op.result()->type());
    for (size_t d = 0; result && d < origin.size(); ++d) {
      if (origin[d] == 0) continue;
      Op *reached = b_.create(OpKind::CmpI, {values_.one(op.operand(1 + d)), b_.index(origin[d])}, {b_.context().i1()});
      CmpIOp(*reached).setKind(CmpIKind::Sge);
      element = b_.value(OpKind::Select, {reached->result(), element, result}, op.result()->type());
    }
    result = element;
  }
  values_.bind(op.result(), {result});
}

// Asserts each block, with its offset in the vector, or in the larger vector that the operand is already a part of.
void BlockwiseOps::check(const Op &op) {
  const Value *condition = op.operand(0);
  const BlockGrid &grid = classes_.grid(condition);
  std::span<const int64_t> shape = condition->type().shape();
  bool part = op.operandCount() > 1;
  for (size_t k = 0; k < grid.count(); ++k) {
    Values operands = {values_.of(condition)[k]};
    std::vector<int64_t> origin = grid.origin(k);
    for (size_t d = 0; (part || grid.count() > 1) && d < shape.size(); ++d)
      operands.push_back(part ? sumOf(b_, values_.one(op.operand(1 + d)), origin[d]) : b_.index(origin[d]));
    Op *made = values_.copy(op, std::move(operands), {});
    if (!part && grid.count() > 1) AssertOp(*made).setWhole({shape.begin(), shape.end()});
  }
}

// A print needs the whole vector, because its output is one text.
void BlockwiseOps::print(const Op &op) {
  Values operands;
  for (const Value *operand : op.operands())
    operands.push_back(operand->type().isVector() ? parts_.wholeOf(operand) : values_.one(operand));
  values_.copy(op, std::move(operands), {});
}

} // namespace xt
