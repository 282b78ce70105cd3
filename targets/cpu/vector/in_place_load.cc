// Loads that have a buffer, but are read in place if the tile turns out to be in bounds and is not overwritten.
#include "ir/op_kinds.h"
#include "targets/cpu/vector/fused_loop.h"

namespace xt {

void Loads::emitLoad(const Op &op) {
  Value *load = op.result();
  const Value *tile = op.operand(0);
  const Buffer &buffer = *c_.buffers.bufferOf(load);
  auto copy = [&] {
    FusedLoop loop(k_);
    loop.computeToBuffer(op, buffer);
    loop.emit();
  };
  const Op *reader = c_.fusion.readerOf(load);
  int64_t rows = tile->type().extent(0), columns = tile->type().extent(1);
  LlvmValue *apart =
      reader && reader->kind() == OpKind::StoreTile ? k_.overlaps.areTilesApart(tile, reader->operand(1)) : b.getTrue();
  std::optional<TileAccess> access;
  if (reader && apart && fillsRegisters(c_.cpu, tile->type())) access = k_.tiles.accessTile(tile, nullptr);
  if (!access || !access->unitStride) {
    copy();
    return;
  }
  LlvmValue *inPlace = b.CreateAnd(k_.tiles.isInside(*access, c_.argument(rows), columns), apart);
  if ((access->ahead = bytesAhead(tile, *access))) ahead_[load] = *access;
  inPlace_[load] = {b.CreateSelect(inPlace, access->origin, c_.bufferAddress(buffer)),
                    b.CreateSelect(inPlace, access->rowStride, c_.pitchOf(buffer))};
  ifThen(b, b.CreateNot(inPlace), copy);
}

} // namespace xt
