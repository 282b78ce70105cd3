#include "ir/atomic_update.h"

#include "ir/base/check.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "ir/views/tile.h"
#include "ir/views/xegpu.h"

namespace xt {

AtomicUpdate::AtomicUpdate(const Op &op) : op_(op), compares_(op.kind() == OpKind::AtomicCas) {
  XT_CHECK(is(op) || op.kind() == OpKind::AtomicTdesc, "the op updates memory atomically");
}

bool AtomicUpdate::is(const Op &op) { return op.info().typeRule == TypeRule::AtomicUpdate; }

bool AtomicUpdate::inWorkgroup() const {
  if (compares_) return AtomicCasOp(op_).scope() == AtomicCasScope::Workgroup;
  return op_.kind() == OpKind::AtomicRmw && AtomicRmwOp(op_).scope() == AtomicRmwScope::Workgroup;
}

bool isDeviceFence(const Op &op) {
  if (op.kind() == OpKind::Fence) return FenceOp(op).scope() != FenceScope::Workgroup;
  if (op.kind() != OpKind::Mfence || MfenceOp(op).memoryKind() == MfenceMemoryKind::Slm) return false;
  std::optional<MfenceFenceScope> scope = MfenceOp(op).fenceScope();
  return scope != MfenceFenceScope::Group && scope != MfenceFenceScope::Local;
}

} // namespace xt
