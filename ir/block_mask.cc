#include "ir/block_mask.h"

#include "ir/atomic_update.h"
#include "ir/op_kinds.h"

namespace xt {

size_t accessedTileIndex(const Op &op) {
  if (AtomicUpdate::is(op)) return AtomicUpdate(op).tileIndex();
  return op.kind() == OpKind::StoreTile ? 1 : 0;
}

Value *blockMaskOf(const Op &op) {
  if (op.kind() != OpKind::LoadTile && op.kind() != OpKind::StoreTile && !AtomicUpdate::is(op)) return nullptr;
  size_t tile = accessedTileIndex(op);
  return op.operandCount() > tile + 1 && !op.operand(tile)->type().data().scatter ? op.operand(tile + 1) : nullptr;
}

} // namespace xt
