#include "targets/xe/emit/window_origins.h"
#include "ir/op_kinds.h"

#include <algorithm>

namespace xt {

WindowOrigins::WindowOrigins(const Kernel &kernel) {
  do {
    changed_ = false;
    walk(kernel.body, [&](const Op &op) { visit(op); });
  } while (changed_);
}

const std::vector<const Op *> &WindowOrigins::of(const Value *window) const {
  static const std::vector<const Op *> kNone;
  auto found = makers_.find(window);
  return found == makers_.end() ? kNone : found->second;
}

void WindowOrigins::flow(const Value *from, const Value *to) {
  if (!to->type().isWindow()) return;
  auto found = makers_.find(from);
  if (found == makers_.end()) return;
  std::vector<const Op *> coming = found->second; // a copy, because makers_[to] may rehash the map
  std::vector<const Op *> &known = makers_[to];
  for (const Op *maker : coming) {
    if (std::find(known.begin(), known.end(), maker) != known.end()) continue;
    known.push_back(maker);
    changed_ = true;
  }
}

void WindowOrigins::visit(const Op &op) {
  switch (op.info().typeRule) {
  case TypeRule::InitTile:
  case TypeRule::CreateNdTdesc:
  case TypeRule::CreateTdesc: {
    std::vector<const Op *> &makers = makers_[op.result()];
    if (makers.empty()) makers.push_back(&op), changed_ = true;
    return;
  }
  case TypeRule::UpdateTileOffset:
  case TypeRule::UpdateNdOffset:
  case TypeRule::UpdateTdesc: return flow(op.operand(0), op.result());
  case TypeRule::For:
  case TypeRule::While:
  case TypeRule::If: {
    CarriedAt at = carriedAt(op);
    for (size_t i = 0; i < op.resultCount(); ++i) {
      if (at.loops) {
        flow(op.operand(at.operand + i), op.region(0)->param(at.param + i));
        flow(op.operand(at.operand + i), op.result(i));
      }
      for (size_t r = 0; r < op.regionCount(); ++r) {
        const Op *last = op.region(r)->last();
        if (!last || last->kind() != OpKind::Yield) continue;
        flow(last->operand(at.yield + i), op.result(i));
        if (at.loops) flow(last->operand(at.yield + i), op.region(0)->param(at.param + i));
      }
    }
    return;
  }
  default: return;
  }
}

} // namespace xt
