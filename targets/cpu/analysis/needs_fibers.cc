#include "targets/cpu/analysis/needs_fibers.h"

#include "ir/op_kinds.h"

namespace xt {

namespace {
// Even a single subgroup may wait at a named barrier for subgroups that never come. Only fibers detect that.
bool hasNamedBarriers(const Kernel &kernel) {
  bool found = false;
  walk(kernel.body, [&](const Op &op) { found |= op.kind() == OpKind::AllocNbarrier || op.kind() == OpKind::CreateNbarrier; });
  return found;
}
} // namespace

bool needsFibers(const Kernel &kernel) {
  if (kernel.scope == Scope::Lane) return true;
  if (kernel.scope != Scope::Subgroup) return false;
  bool waits = false;
  walk(kernel.body, [&](const Op &op) {
    waits |= op.kind() == OpKind::Barrier || op.kind() == OpKind::AllocNbarrier || op.kind() == OpKind::CreateNbarrier;
  });
  return waits && (kernel.subgroups > 1 || hasNamedBarriers(kernel));
}

} // namespace xt
