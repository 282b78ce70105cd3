#include "passes/exchange_barriers.h"

#include "ir/op_kinds.h"

namespace xt {
namespace {

void erase(Op *barrier) { barrier->block()->erase(barrier); }

} // namespace

void ExchangeBarriers::beforeWrites() {
  ++exchange_;
  if (loops_ > 0) waits_.push_back({b_.create(OpKind::Barrier, {}, {}), exchange_});
}

void ExchangeBarriers::afterWrites() { own_[b_.create(OpKind::Barrier, {}, {})] = exchange_; }

void ExchangeBarriers::join(size_t first) {
  std::erase_if(waits_, [&](const Wait &wait) { return wait.exchange > first && (erase(wait.barrier), true); });
  std::erase_if(own_,
                [&](const auto &own) { return own.second >= first && own.second < exchange_ && (erase(own.first), true); });
  for (auto &[barrier, exchange] : own_) exchange = std::min(exchange, first);
}

void ExchangeBarriers::dropNeedlessWaits() {
  std::set<const Op *> waits; // for lookup only
  for (const Wait &wait : waits_) waits.insert(wait.barrier);
  std::vector<Op *> needless;
  for (const Wait &wait : waits_)
    if (isNeedless(wait, waits)) needless.push_back(wait.barrier);
  for (Op *barrier : needless) erase(barrier);
}

// A subgroup that reads the result of an exchange and writes the same buffer in a later iteration passes every barrier of the
// loop body in between. Any other barrier in that body therefore makes the barrier before the writes unnecessary.
bool ExchangeBarriers::isNeedless(const Wait &wait, const std::set<const Op *> &waits) const {
  auto keepsApart = [&](const Block &block) {
    for (Op &op : block) {
      auto own = own_.find(&op);
      if (op.kind() == OpKind::Barrier && !waits.count(&op) && (own == own_.end() || own->second != wait.exchange)) return true;
    }
    return false;
  };
  const Block *block = wait.barrier->block();
  while (!keepsApart(*block)) {
    if (!block->parentOp() || carriedAt(*block->parentOp()).loops) return false;
    block = block->parentOp()->block();
  }
  return true;
}

} // namespace xt
