// Loads that have a buffer, and are read where they lie if that is the same.
#include "targets/cpu/byte_range.h"
#include "targets/cpu/fused_loop.h"

namespace xt {

// Of the whole matrix that a tile lies in.
ByteRange KernelEmitter::matrixBytes(const Value *tile) {
  const Parts &parts = parts_.at(tile);
  return byteRange(b, parts[kBase], {StridedDim{parts[kRows], parts[kRowStride]}, {parts[kColumns], parts[kColumnStride]}},
                   elemInfo(tile->type().elem()).storageBytes * tile->type().packFactor());
}

ByteRange KernelEmitter::memrefBytes(const Value *memref) {
  const Parts &parts = parts_.at(memref);
  auto rank = static_cast<size_t>(memref->type().rank());
  llvm::SmallVector<StridedDim, 4> dims;
  for (size_t d = 0; d < rank; ++d) dims.push_back({parts[1 + d], parts[1 + rank + d]});
  return byteRange(b, parts[0], dims, elemInfo(memref->type().elem()).storageBytes);
}

// Of a tile that may be made only behind this place; nullopt: what it lies in is not known here.
std::optional<ByteRange> KernelEmitter::bytesAround(const Value *tile) {
  const Op *op = tile->definingOp();
  while (!parts_.contains(tile) && op && op->kind() == OpKind::UpdateTileOffset) {
    tile = op->operand(0);
    op = tile->definingOp();
  }
  if (parts_.contains(tile)) return matrixBytes(tile);
  if (!op || op->kind() != OpKind::InitTile) return std::nullopt;
  const Value *base = op->operand(0);
  bool whole = base->type().isMemRef() && op->operandCount() == static_cast<size_t>(base->type().rank()) + 1;
  return whole && parts_.contains(base) ? std::optional(memrefBytes(base)) : std::nullopt;
}

// Of all elements: no register that is read holds others.
LlvmValue *KernelEmitter::isInside(const TileAccess &access, int64_t rows, int64_t columns) {
  LlvmValue *first = b.CreateOr(access.rowLow, access.columnLow);
  LlvmValue *down = b.CreateICmpEQ(access.rowHigh, number(rows)), *across = b.CreateICmpEQ(access.columnHigh, number(columns));
  return b.CreateAnd(b.CreateICmpEQ(first, number(0)), b.CreateAnd(down, across));
}

void KernelEmitter::emitLoad(const Op &op) {
  Value *load = op.result();
  const Value *tile = op.operand(0);
  const Buffer &buffer = *buffers_.bufferOf(load);
  auto copy = [&]() -> LlvmValues {
    FusedLoop loop(*this);
    loop.computeToBuffer(op, buffer);
    loop.emit();
    return {};
  };
  const Op *reader = fusion_.readerOf(load);
  int64_t rows = tile->type().extent(0), columns = tile->type().extent(1);
  bool stores = reader && reader->kind() == OpKind::StoreTile;
  std::optional<ByteRange> stored = stores ? bytesAround(reader->operand(1)) : std::nullopt;
  std::optional<TileAccess> access;
  if (reader && stored.has_value() == stores && fillsRegisters(cpu_, tile->type())) access = accessTile(tile, nullptr);
  if (!access || !access->unitStride) {
    copy();
    return;
  }
  LlvmValue *inPlace = isInside(*access, rows, columns);
  if (stored) inPlace = b.CreateAnd(inPlace, areApart(b, matrixBytes(tile), *stored));
  if ((access->ahead = bytesAhead(tile, *access))) ahead_[load] = *access;
  inPlace_[load] = {b.CreateSelect(inPlace, access->origin, bufferAddress(buffer)),
                    b.CreateSelect(inPlace, access->rowStride, number(buffer.shape.pitch))};
  ifElse(b, inPlace, [] { return LlvmValues(); }, copy);
}

} // namespace xt
