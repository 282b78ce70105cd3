#include "lang/lower/replaced_ops.h"

namespace xt {

void ReplacedOps::replace(Op &op, Value *value, const Layout *layout) {
  if (layout && !value->type().layout()) value->setType(state_.context.withLayout(value->type(), layout));
  if (value->name().empty()) value->setName(op.result()->name());
  value->setRange(op.result()->range());
  values_[op.result()] = value;
  op.result()->replaceAllUsesWith(value);
  drop(op);
}

void ReplacedOps::forget(const std::function<bool(const Value *)> &vanishes) {
  std::unordered_set<const Op *> erased(dead_.begin(), dead_.end()); // for lookup only
  WrittenLayouts &written = state_.written;
  std::erase_if(written.calls, [&](const auto &entry) { return erased.contains(entry.first); });
  std::erase_if(written.operands, [&](const OperandLayout &layout) { return erased.contains(layout.op); });
  std::erase_if(written.pairs, [&](const LayoutPair &pair) { return erased.contains(pair.op); });
  auto isGone = [&](const Value *value) {
    return (vanishes && vanishes(value)) || (value->definingOp() && erased.contains(value->definingOp()));
  };
  auto replaced = [&](const Value *value) -> const Value * {
    auto found = values_.find(value);
    return found == values_.end() ? nullptr : found->second;
  };
  for (DeclaredLayout &declared : written.declared)
    if (const Value *now = replaced(declared.value)) declared.value = now;
  std::erase_if(written.declared, [&](const DeclaredLayout &declared) { return isGone(declared.value); });
  NameIndex *index = state_.params.symbols().index();
  if (!index) return;
  index->replaceValues(replaced);
  index->keepTypes(isGone);
}

void ReplacedOps::erase() {
  for (size_t k = dead_.size(); k-- > 0;) dead_[k]->block()->erase(dead_[k]);
}

} // namespace xt
