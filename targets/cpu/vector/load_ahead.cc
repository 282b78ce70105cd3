// Prefetches data that later workgroups or iterations load.
#include "ir/constants.h"
#include "ir/op_kinds.h"
#include "targets/cpu/analysis/vector_values.h"
#include "targets/cpu/vector/kernel_emitter.h"
#include "targets/cpu/vector/prefetch.h"

namespace xt {

// While this workgroup or iteration computes, memory has time to deliver the data of a later one.
LlvmValue *Loads::bytesAhead(const Value *tile, const TileAccess &access) {
  if (tile->type().data().scatter || !access.unitStride) return nullptr;
  int64_t bytes = tile->type().extent(0) * tile->type().extent(1) * elemInfo(access.elem).storageBytes;
  return tile->definingOp() ? bytesToLaterWorkgroup(*tile->definingOp(), access, bytes) : bytesToNextStep(*tile, access);
}

// Returns null unless consecutive workgroups of the grid process consecutive blocks of rows, and these have at least kSmallest
// bytes, so that the hardware does not prefetch them to the end.
LlvmValue *Loads::bytesToLaterWorkgroup(const Op &init, const TileAccess &access, int64_t bytes) {
  constexpr int64_t kAhead = 32 << 10, kSmallest = 16 << 10;
  if (bytes < kSmallest || c_.kernel.grid.empty() || init.kind() != OpKind::InitTile) return nullptr;
  const Value *base = init.operand(0);
  if (!base->type().isMemRef() || init.operandCount() != static_cast<size_t>(base->type().rank()) + 1) return nullptr;
  if (init.operand(init.operandCount() - 2) != c_.kernel.grid.back().variable) return nullptr;
  LlvmValue *step = c_.grid[kGridDims - 1][1];
  return b.CreateMul(b.CreateMul(access.rowStride, step), c_.argument((kAhead + bytes - 1) / bytes));
}

// Returns null unless a `for` loop moves the tile by constant offsets.
LlvmValue *Loads::bytesToNextStep(const Value &tile, const TileAccess &access) {
  const Block *body = tile.definingBlock();
  const Op *loop = body->parentOp();
  if (!loop || loop->kind() != OpKind::For) return nullptr;
  CarriedAt at = carriedAt(*loop);
  if (tile.index() < at.param) return nullptr;
  const Op *move = body->last()->operand(at.yield + tile.index() - at.param)->definingOp();
  if (!move || move->kind() != OpKind::UpdateTileOffset || move->operand(0) != &tile) return nullptr;
  auto offset = [&](size_t operand) {
    const AttrValue *value = constantValue(*move->operand(operand));
    return value ? std::get_if<int64_t>(value) : nullptr;
  };
  const int64_t *rows = offset(1), *columns = offset(2);
  if (!rows || !columns || (*rows == 0 && *columns == 0)) return nullptr;
  LlvmValue *down = b.CreateMul(*rows == 0 ? c_.number(0) : c_.argument(*rows), access.rowStride);
  return b.CreateAdd(down, b.CreateMul(*columns == 0 ? c_.number(0) : c_.argument(*columns), access.columnStride));
}

// If a later loop computes on the buffer, that loop prefetches, because it has time to. The loop that loads waits for memory
// anyway.
LlvmValue *Loads::aheadNowOrLater(const Op &load, const TileAccess &access) {
  if (inPlace_.contains(load.result())) return nullptr; // emitLoad() has recorded the distance, if it is known
  LlvmValue *ahead = bytesAhead(load.operand(0), access);
  if (!ahead || !isReadAgain(load)) return ahead;
  TileAccess &later = ahead_[load.result()] = access;
  later.ahead = ahead;
  return nullptr;
}

bool Loads::isReadAgain(const Op &load) const {
  if (c_.fusion.isInline(load.result())) return false;
  const Op *filler = c_.fusion.fillerOf(load.result());
  bool again = false;
  for (Use use : load.result()->uses())
    again |= use.user != filler && isPointwise(*use.user) && use.user->block() == load.block();
  return again;
}

std::optional<TileAccess> Loads::takeAhead(const Value *load) {
  auto found = ahead_.find(load);
  if (found == ahead_.end() || load->definingOp()->block() != c_.block) return std::nullopt;
  TileAccess access = found->second;
  ahead_.erase(found);
  return access;
}

// Also prefetches columns past the last one: they are loaded soon, or the prefetch does no harm.
void Loads::prefetchAhead(const TileAccess &access, const RowAccess &row, LlvmValue *column) {
  LlvmValue *address = byteOffset(b, row.pointer, b.CreateMul(column, c_.number(elemInfo(access.elem).storageBytes)));
  k_.tiles.prefetchLine(byteOffset(b, address, access.ahead));
}

} // namespace xt
