#include "passes/value_classes.h"
#include "ir/op_kinds.h"

#include <numeric>

namespace xt {
namespace {

// Whether the op is elementwise and all its vectors have the same shape.
bool isPointwise(const Op &op) {
  switch (op.info().typeRule) {
  case TypeRule::Elementwise:
  case TypeRule::Compare:
  case TypeRule::Select:
  case TypeRule::Cast:
  case TypeRule::Insert:
  case TypeRule::AtomicUpdate:
  case TypeRule::LoadGather:
  case TypeRule::StoreScatter: return true;
  default: return false;
  }
}

} // namespace

ValueClasses::ValueClasses(Kernel &kernel, bool (*isMember)(Type type)) : isMember_(isMember) {
  number(kernel.body);
  parents_.resize(values_.size());
  std::iota(parents_.begin(), parents_.end(), 0);
  walk(kernel.body, [&](Op &op) { uniteAround(op); });
}

void ValueClasses::number(Block &block) {
  auto add = [&](const Value *value) {
    if (!isMember_(value->type())) return;
    numbers_[value] = values_.size();
    values_.push_back(value);
  };
  for (const auto &param : block.params()) add(param.get());
  for (Op &op : block) {
    for (size_t r = 0; r < op.regionCount(); ++r) number(*op.region(r));
    for (size_t i = 0; i < op.resultCount(); ++i) add(op.result(i));
  }
}

size_t ValueClasses::classOf(size_t number) const {
  while (parents_[number] != number) number = parents_[number] = parents_[parents_[number]];
  return number;
}

void ValueClasses::unite(const Value *a, const Value *b) {
  if (!isMember_(a->type()) || !isMember_(b->type())) return;
  size_t x = classOf(a), y = classOf(b);
  parents_[std::max(x, y)] = std::min(x, y);
}

void ValueClasses::uniteAround(Op &op) {
  if (op.regionCount()) {
    CarriedAt at = carriedAt(op);
    for (size_t i = 0; i < op.resultCount(); ++i) {
      if (at.loops) unite(op.result(i), op.operand(at.operand + i));
      if (at.loops) unite(op.result(i), op.region()->param(at.param + i));
      for (size_t r = 0; r < op.regionCount(); ++r)
        if (const Op *yield = op.region(r)->last(); yield && yield->kind() == OpKind::Yield)
          unite(op.result(i), yield->operand(at.yield + i));
    }
    return;
  }
  bool scatter = op.resultCount() && op.result()->type().isTile() && op.result()->type().data().scatter;
  if (isPointwise(op) || scatter) {
    const Value *first = op.resultCount() ? op.result() : op.operand(0);
    for (const Value *operand : op.operands()) unite(first, operand);
  }
  bool moves = op.kind() == OpKind::UpdateTileOffset || op.kind() == OpKind::UpdateNdOffset;
  if (moves && !scatter) unite(op.result(), op.operand(0));
  if (op.kind() == OpKind::TileMma && op.operandCount() > 2) unite(op.result(), op.operand(2));
  if (op.kind() == OpKind::InsertStridedSlice) unite(op.result(), op.operand(1));
}

} // namespace xt
