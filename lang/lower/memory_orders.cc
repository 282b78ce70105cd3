#include "lang/lower/memory_orders.h"

#include "ir/atomic_update.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"

#include <vector>

namespace xt {
void expandMemoryOrders(KernelState &state) {
  std::vector<Op *> atomics;
  walk(state.kernel->body, [&](Op &op) {
    if (AtomicUpdate::is(op)) atomics.push_back(&op);
  });
  const bool whole = state.kernel->scope == Scope::Workgroup;
  for (Op *op : atomics) {
    const AtomicUpdate atomic(*op);
    const bool releases = atomic.releases(), acquires = atomic.acquires(), inWorkgroup = atomic.inWorkgroup();
    op->removeAttr("order");
    auto fence = [&] {
      Op *made = state.builder.create(OpKind::Fence, {}, {});
      if (inWorkgroup) FenceOp(*made).setScope(FenceScope::Workgroup, op->range());
    };
    state.builder.setRange(op->range());
    state.builder.setBefore(op);
    if (releases && whole) state.builder.create(OpKind::Barrier, {}, {});
    if (releases) fence();
    if (!acquires) continue;
    if (Op *next = op->next())
      state.builder.setBefore(next);
    else
      state.builder.setEnd(*op->block());
    fence();
    if (whole) state.builder.create(OpKind::Barrier, {}, {});
  }
}

} // namespace xt
