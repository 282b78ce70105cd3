#include "passes/block_windows.h"

#include "ir/base/check.h"
#include "ir/context.h"
#include "ir/gpu/block_rules.h"
#include "ir/op_kinds.h"
#include "passes/index_arithmetic.h"
#include "passes/transposed_memref.h"

namespace xt {

// --- what a tile becomes ---------------------------------------------------------------------------------------------

void BlockWindows::initTile(const Op &op) {
  const Value *tile = op.result();
  if (isScatter(tile)) {
    if (roots_.root(tile)) return values_.bind(tile, values_.of(op.operand(1)));
    Values windows;
    for (Value *offsets : values_.of(op.operand(1))) windows.push_back(scatterWindow(op, offsets));
    return values_.bind(tile, std::move(windows));
  }
  size_t row = rowOffsetAt(op);
  if (roots_.root(tile)) return values_.bindOffsets(tile, values_.one(op.operand(row)), values_.one(op.operand(row + 1)));
  const BlockGrid &grid = classes_.grid(tile);
  Values results;
  for (size_t k = 0; k < grid.count(); ++k) {
    Values operands;
    for (const Value *operand : op.operands()) operands.push_back(values_.one(operand));
    std::vector<int64_t> origin = grid.origin(k);
    operands[row] = sumOf(b_, operands[row], origin[0]);
    operands[row + 1] = sumOf(b_, operands[row + 1], origin[1]);
    results.push_back(b_.value(OpKind::InitTile, std::move(operands), values_.typesOf(tile)[k]));
  }
  values_.bind(tile, std::move(results));
}

void BlockWindows::updateTile(const Op &op) {
  const Value *from = op.operand(0), *to = op.result();
  const Values &olds = values_.of(from);
  bool known = roots_.root(to) != nullptr;
  if (known && !isScatter(to)) {
    Value *row = sumOf(b_, olds[0], values_.one(op.operand(1)));
    return values_.bindOffsets(to, row, sumOf(b_, olds[1], values_.one(op.operand(2))));
  }
  Values results;
  for (size_t k = 0; k < olds.size(); ++k) {
    bool each = op.operand(1)->type().isVector();
    Value *delta = each ? values_.of(op.operand(1))[k] : values_.one(op.operand(1));
    if (!known) {
      Values operands = {olds[k], delta};
      if (op.operandCount() > 2) operands.push_back(values_.one(op.operand(2)));
      results.push_back(b_.value(OpKind::UpdateTileOffset, std::move(operands), olds[k]->type()));
      continue;
    }
    Type offsets = olds[k]->type();
    if (!each) delta = b_.value(OpKind::Splat, {delta}, offsets);
    results.push_back(b_.value(OpKind::AddI, {olds[k], delta}, offsets));
  }
  values_.bind(to, std::move(results));
}

// --- windows ---------------------------------------------------------------------------------------------------------

Values BlockWindows::initOperands(const Value *tile, const std::vector<int64_t> &origin, bool transposed) {
  const Op &root = *roots_.root(tile);
  size_t row = rowOffsetAt(root), rank = row + 1;
  Values operands;
  for (size_t i = 0; i < root.operandCount(); ++i) {
    bool own = i == row || i == row + 1;
    size_t d = i - row;
    operands.push_back(own ? sumOf(b_, values_.of(tile)[transposed ? 1 - d : d], origin[d]) : values_.one(root.operand(i)));
  }
  if (!transposed) return operands;
  if (!hasOwnShape(root)) {
    operands[0] = transposedBase(operands[0]);
    return operands;
  }
  for (size_t last : {row + 1 + rank, row + 1 + 2 * rank}) std::swap(operands[last - 1], operands[last]);
  return operands;
}

Value *BlockWindows::transposedBase(const Value *param) {
  Value *&made = transposed_[param];
  if (made) return made;
  Builder front(b_.context(), kernel_.body);
  if (Op *first = lastOld_->next()) front.setBefore(first);
  front.setRange(param->range());
  return made = front.value(OpKind::Cast, {kernel_.param(param->index())}, transposedMemRef(b_.context(), param->type()));
}

Value *BlockWindows::at(const Value *tile, const std::vector<int64_t> &origin, const std::vector<int64_t> &shape,
                        const Layout *lanes) {
  TypeData data = tile->type().data();
  data.shape = shape;
  data.layout = lanes;
  return b_.value(OpKind::InitTile, initOperands(tile, origin), b_.context().intern(std::move(data)));
}

Value *BlockWindows::scatterWindow(const Op &init, Value *offsets) {
  Values operands;
  for (size_t i = 0; i < init.operandCount(); ++i) operands.push_back(i == 1 ? offsets : values_.one(init.operand(i)));
  TypeData data = init.result()->type().data();
  data.shape = {offsets->type().shape().begin(), offsets->type().shape().end()};
  data.layout = offsets->type().layout();
  return b_.value(OpKind::InitTile, std::move(operands), b_.context().intern(std::move(data)));
}

Value *BlockWindows::of(const Value *tile, const BlockGrid &grid, size_t k, const Layout *lanes) {
  const Op *root = roots_.root(tile);
  if (!root) return values_.of(tile)[k];
  return isScatter(tile) ? scatterWindow(*root, values_.of(tile)[k]) : at(tile, grid.origin(k), grid.shape(k), lanes);
}

// --- accesses --------------------------------------------------------------------------------------------------------

void BlockWindows::eachWindow(const Op &op) {
  const Value *tile = nullptr;
  for (const Value *operand : op.operands())
    if (operand->type().isTile()) tile = operand;
  XT_CHECK(tile, "gathers, scatters and atomics have a tile");
  const BlockGrid &grid = classes_.grid(tile);
  auto lanes = [&](size_t k) { return op.resultCount() ? values_.blockType(op.result(), k).layout() : nullptr; };
  Values results;
  for (size_t k = 0; k < grid.count(); ++k) {
    Values operands;
    for (const Value *operand : op.operands())
      operands.push_back(operand == tile ? of(tile, grid, k, lanes(k)) : values_.of(operand)[k]);
    std::vector<Type> types;
    if (op.resultCount()) types.push_back(values_.blockType(op.result(), k));
    Op *made = values_.copy(op, std::move(operands), types);
    if (op.resultCount()) results.push_back(made->result());
  }
  if (op.resultCount()) values_.bind(op.result(), std::move(results));
}

BlockGrid BlockWindows::accessGrid(Type vector, const BlockGrid &wanted) const {
  for (size_t k = 0; k < wanted.count(); ++k)
    if (b_.context().vector(wanted.shape(k), vector.elem()).byteCount() > kMostMessageBytes) return classes_.plainGrid(vector);
  return wanted;
}

} // namespace xt
