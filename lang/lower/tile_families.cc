#include "lang/lower/tile_families.h"

#include "ir/op_kinds.h"

namespace xt {

TileFamilies::TileFamilies(Block &body) {
  walk(body, [&](Op &op) {
    for (size_t i = 0; i < op.resultCount(); ++i)
      if (op.result(i)->type().isTile()) number(op.result(i));
    if (op.kind() == OpKind::UpdateTileOffset) join(op.operand(0), op.result());
    if (!op.regionCount()) return;
    CarriedAt at = carriedAt(op);
    for (size_t i = 0; i < op.resultCount(); ++i) {
      if (!op.result(i)->type().isTile()) continue;
      if (at.loops) join(op.operand(at.operand + i), op.result(i));
      if (at.loops) join(op.region()->param(at.param + i), op.result(i));
      for (size_t r = 0; r < op.regionCount(); ++r) join(op.region(r)->last()->operand(at.yield + i), op.result(i));
    }
  });
}

int TileFamilies::of(const Value *value) const {
  auto found = numbers_.find(value);
  return found == numbers_.end() ? -1 : root(found->second);
}

int TileFamilies::number(const Value *value) {
  auto [it, isNew] = numbers_.try_emplace(value, static_cast<int>(parents_.size()));
  if (isNew) parents_.push_back(it->second);
  return it->second;
}

int TileFamilies::root(int family) const {
  while (parents_[static_cast<size_t>(family)] != family) family = parents_[static_cast<size_t>(family)];
  return family;
}

// The family that was made later joins the other one, so that chains of moves stay short.
void TileFamilies::join(const Value *a, const Value *b) {
  int x = root(number(a)), y = root(number(b));
  parents_[static_cast<size_t>(std::max(x, y))] = std::min(x, y);
}

} // namespace xt
