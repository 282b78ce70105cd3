#include "targets/llvm/lane/places.h"

#include "ir/gpu/swizzled_buffer.h"
#include "ir/op_kinds.h"

#include <bit>
#include <numeric>

namespace xt {
namespace {

const Op *rootOf(const Value *window) {
  const Op *op = window->definingOp();
  return op && (op->kind() == OpKind::InitTile || op->kind() == OpKind::CreateNdTdesc) ? op : nullptr;
}

} // namespace

LanePlace placeOf(LlvmValue *number) {
  LanePlace place{number, 0};
  while (place.root) {
    if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(place.root)) return {nullptr, place.offset + constant->getSExtValue()};
    auto *sum = llvm::dyn_cast<llvm::BinaryOperator>(place.root);
    auto *right = sum && sum->getOpcode() == llvm::Instruction::Add ? llvm::dyn_cast<llvm::ConstantInt>(sum->getOperand(1)) : nullptr;
    if (!right) return place;
    place.offset += right->getSExtValue();
    place.root = sum->getOperand(0);
  }
  return place;
}

Swizzle LanePlaces::swizzle(const Value *window) {
  const Op *op = rootOf(window);
  return c.device.swizzles() && op && window->type().data().space == MemorySpace::Slm ? storedSwizzle(op->operand(0)) : Swizzle{};
}

int64_t LanePlaces::divisor(const Value *window, size_t dim) {
  const Op *op = rootOf(window);
  return op ? c.ranges.roots().divisor(op->operand(rowOffsetAt(*op) + dim)) : 1;
}

LlvmValue *LanePlaces::times(LlvmValue *number, int64_t factor) {
  return number ? b.CreateMul(v.wide(number), v.number(factor)) : v.number(0);
}

LlvmValue *LanePlaces::address(const Value *window, const WindowElement &element) {
  Swizzle stored = swizzle(window);
  return stored ? swizzledAddress(window, element, stored) : plainAddress(window, element);
}

LlvmValue *LanePlaces::plainAddress(const Value *window, const WindowElement &element) {
  const LaneParts &parts = v.partsOf(window);
  int64_t bytes = elemInfo(window->type().elem()).storageBytes;
  LanePlace y = placeOf(parts[kY]), x = placeOf(parts[kX]);
  LlvmValue *pitch = parts[kRowStride];
  auto rowBytes = [&](LlvmValue *row) { return b.CreateMul(b.CreateMul(v.wide(row), pitch), v.number(bytes)); };
  LlvmValue *address = parts[kBase];
  if (y.root) address = byteOffset(b, address, rowBytes(y.root));
  if (element.laneRow) address = byteOffset(b, address, rowBytes(element.laneRow));
  if (x.root) address = byteOffset(b, address, times(x.root, bytes));
  if (element.laneColumn) address = byteOffset(b, address, times(element.laneColumn, bytes));
  address = byteOffset(b, address, rowBytes(v.number(y.offset + element.row)));
  return byteOffset(b, address, v.number((x.offset + element.column) * bytes));
}

// The swizzle exclusive-ors bits of the row's number into bits of the byte in the row. What is known of these bits without the
// run is computed apart, from the lane's number alone, so that it is the same for many addresses.
LlvmValue *LanePlaces::swizzledAddress(const Value *window, const WindowElement &element, const Swizzle &swizzle) {
  const LaneParts &parts = v.partsOf(window);
  int64_t bytes = elemInfo(window->type().elem()).storageBytes;
  int64_t pitch = llvm::cast<llvm::ConstantInt>(parts[kRowStride])->getSExtValue() * bytes;
  LanePlace y = placeOf(parts[kY]), x = placeOf(parts[kX]);
  const int64_t mask = (int64_t{1} << swizzle.bits) - 1, span = swizzle.blockBytes();
  const int shift = swizzle.base + swizzle.shift - std::countr_zero(static_cast<uint64_t>(pitch)); // of the row's number
  const bool byRow = std::has_single_bit(static_cast<uint64_t>(pitch)) && shift >= 0 && span <= pitch;
  auto sum = [&](LlvmValue *number, int64_t constant) {
    return b.CreateAdd(number ? v.wide(number) : v.number(0), v.number(constant));
  };
  int64_t row = y.offset + element.row, column = (x.offset + element.column) * bytes, rows = (mask + 1) << shift;
  if (!byRow) {
    LlvmValue *offset = b.CreateAdd(times(y.root, pitch), times(x.root, bytes));
    offset = b.CreateAdd(offset, b.CreateAdd(times(element.laneRow, pitch), times(element.laneColumn, bytes)));
    offset = sum(offset, row * pitch + column);
    LlvmValue *bits = b.CreateAnd(b.CreateLShr(offset, static_cast<uint64_t>(swizzle.base + swizzle.shift)), v.number(mask));
    return byteOffset(b, parts[kBase], b.CreateXor(offset, b.CreateShl(bits, static_cast<uint64_t>(swizzle.base))));
  }
  bool rowsApart = divisor(window, 0) % rows == 0, columnsApart = divisor(window, 1) * bytes % span == 0;
  LlvmValue *number = rowsApart ? v.number(element.row % rows) : sum(y.root, row % rows);
  if (element.laneRow) number = b.CreateAdd(number, v.wide(element.laneRow));
  LlvmValue *bits = b.CreateShl(b.CreateAnd(b.CreateLShr(number, static_cast<uint64_t>(shift)), v.number(mask)),
                                static_cast<uint64_t>(swizzle.base));
  int64_t inSpan = columnsApart ? element.column * bytes % span : ((column % span) + span) % span;
  LlvmValue *own = b.CreateAdd(times(element.laneColumn, bytes), v.number(inSpan));
  if (!columnsApart) own = b.CreateAdd(own, times(x.root, bytes));
  own = b.CreateAdd(b.CreateXor(own, bits), times(element.laneRow, pitch));
  LlvmValue *address = byteOffset(b, parts[kBase], times(y.root, pitch));
  if (columnsApart) address = byteOffset(b, address, times(x.root, bytes));
  address = byteOffset(b, address, own);
  return byteOffset(b, address, v.number(row * pitch + column - inSpan));
}

} // namespace xt
