#include "lang/lower/memory_orders.h"

#include "ir/atomic_update.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "ir/views/tile.h"

#include <vector>

namespace xt {
namespace {

struct MemoryOrder {
  bool releases = false, acquires = false;
};

MemoryOrder orderOf(const Op &op) {
  if (op.kind() == OpKind::AtomicCas) {
    auto order = AtomicCasOp(op).order();
    bool both = order == AtomicCasOrder::AcqRel;
    return {both || order == AtomicCasOrder::Release, both || order == AtomicCasOrder::Acquire};
  }
  auto order = AtomicRmwOp(op).order();
  bool both = order == AtomicRmwOrder::AcqRel;
  return {both || order == AtomicRmwOrder::Release, both || order == AtomicRmwOrder::Acquire};
}

} // namespace

void expandMemoryOrders(KernelState &state) {
  std::vector<Op *> atomics;
  walk(state.kernel->body, [&](Op &op) {
    if (AtomicUpdate::is(op)) atomics.push_back(&op);
  });
  const bool whole = state.kernel->scope == Scope::Workgroup;
  for (Op *op : atomics) {
    const MemoryOrder order = orderOf(*op);
    const bool inWorkgroup = AtomicUpdate(*op).inWorkgroup();
    op->removeAttr("order");
    auto fence = [&] {
      Op *made = state.builder.create(OpKind::Fence, {}, {});
      if (inWorkgroup) FenceOp(*made).setScope(FenceScope::Workgroup, op->range());
    };
    state.builder.setRange(op->range());
    state.builder.setBefore(op);
    if (order.releases && whole) state.builder.create(OpKind::Barrier, {}, {});
    if (order.releases) fence();
    if (!order.acquires) continue;
    if (Op *next = op->next())
      state.builder.setBefore(next);
    else
      state.builder.setEnd(*op->block());
    fence();
    if (whole) state.builder.create(OpKind::Barrier, {}, {});
  }
}

} // namespace xt
