// Loads that have a buffer, but are read in place if the tile turns out to be in bounds and is not overwritten.
#include "targets/cpu/vector/fused_loop.h"

namespace xt {

// Whether all elements of a tile are in bounds. Tiles are whole registers wide, so no register that is read holds other
// elements.
LlvmValue *KernelEmitter::isInside(const TileAccess &access, int64_t rows, int64_t columns) {
  LlvmValue *first = b.CreateOr(access.rowLow, access.columnLow);
  LlvmValue *down = b.CreateICmpEQ(access.rowHigh, argument(rows)),
            *across = b.CreateICmpEQ(access.columnHigh, argument(columns));
  return b.CreateAnd(b.CreateICmpEQ(first, number(0)), b.CreateAnd(down, across));
}

void KernelEmitter::emitLoad(const Op &op) {
  Value *load = op.result();
  const Value *tile = op.operand(0);
  const Buffer &buffer = *buffers_.bufferOf(load);
  auto copy = [&] {
    FusedLoop loop(*this);
    loop.computeToBuffer(op, buffer);
    loop.emit();
  };
  const Op *reader = fusion_.readerOf(load);
  int64_t rows = tile->type().extent(0), columns = tile->type().extent(1);
  LlvmValue *apart = reader && reader->kind() == OpKind::StoreTile ? areTilesApart(tile, reader->operand(1)) : b.getTrue();
  std::optional<TileAccess> access;
  if (reader && apart && fillsRegisters(cpu_, tile->type())) access = accessTile(tile, nullptr);
  if (!access || !access->unitStride) {
    copy();
    return;
  }
  LlvmValue *inPlace = b.CreateAnd(isInside(*access, rows, columns), apart);
  if ((access->ahead = bytesAhead(tile, *access))) ahead_[load] = *access;
  inPlace_[load] = {b.CreateSelect(inPlace, access->origin, bufferAddress(buffer)),
                    b.CreateSelect(inPlace, access->rowStride, pitchOf(buffer))};
  ifThen(b, b.CreateNot(inPlace), copy);
}

} // namespace xt
