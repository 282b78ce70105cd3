#include "ir/atomic_update.h"

#include "ir/base/check.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "ir/views/shared.h"
#include "ir/views/xegpu.h"

namespace xt {

AtomicUpdate::AtomicUpdate(const Op &op) : op_(op), compares_(op.kind() == OpKind::AtomicCas) {
  XT_CHECK(is(op) || isOnDescriptor(op), "the op updates memory atomically");
}

bool AtomicUpdate::is(const Op &op) { return op.info().typeRule == TypeRule::AtomicUpdate; }

bool AtomicUpdate::isOnDescriptor(const Op &op) { return op.kind() == OpKind::AtomicTdesc; }

bool AtomicUpdate::releases() const {
  auto order = SharedAttrs(op_).order();
  return order == AtomicRmwOrder::Release || order == AtomicRmwOrder::AcqRel;
}

bool AtomicUpdate::acquires() const {
  auto order = SharedAttrs(op_).order();
  return order == AtomicRmwOrder::Acquire || order == AtomicRmwOrder::AcqRel;
}

bool AtomicUpdate::inWorkgroup() const { return SharedAttrs(op_).scope() == FenceScope::Workgroup; }

bool isFence(const Op &op) { return op.kind() == OpKind::Fence || op.kind() == OpKind::Mfence; }

bool isDeviceFence(const Op &op) {
  if (op.kind() == OpKind::Fence) return FenceOp(op).scope() != FenceScope::Workgroup;
  if (op.kind() != OpKind::Mfence || MfenceOp(op).memoryKind() == MfenceMemoryKind::Slm) return false;
  std::optional<MfenceFenceScope> scope = MfenceOp(op).fenceScope();
  return scope != MfenceFenceScope::Group && scope != MfenceFenceScope::Local;
}

} // namespace xt
