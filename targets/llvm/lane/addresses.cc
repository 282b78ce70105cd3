#include "targets/llvm/lane/addresses.h"

#include "ir/base/check.h"
#include "ir/gpu/swizzled_buffer.h"
#include "ir/op_kinds.h"

#include <bit>

namespace xt {
namespace {

const Op *rootOf(const Value *window) {
  const Op *op = window->definingOp();
  return op && (op->kind() == OpKind::InitTile || op->kind() == OpKind::CreateNdTdesc) ? op : nullptr;
}

int64_t remainder(int64_t number, int64_t of) { return (number % of + of) % of; }

} // namespace

LanePlace placeOf(LlvmValue *number) {
  LanePlace place{number, 0};
  while (place.root) {
    if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(place.root))
      return {nullptr, place.offset + constant->getSExtValue()};
    auto *sum = llvm::dyn_cast<llvm::BinaryOperator>(place.root);
    bool adds = sum && sum->getOpcode() == llvm::Instruction::Add;
    auto *right = adds ? llvm::dyn_cast<llvm::ConstantInt>(sum->getOperand(1)) : nullptr;
    if (!right) return place;
    place.offset += right->getSExtValue();
    place.root = sum->getOperand(0);
  }
  return place;
}

Swizzle LaneAddresses::swizzle(const Value *window) {
  const Op *op = rootOf(window);
  bool stored = c.device.swizzles() && op && window->type().data().space == MemorySpace::Slm;
  return stored ? storedSwizzle(op->operand(0)) : Swizzle{};
}

int64_t LaneAddresses::divisor(const Value *window, size_t dim) {
  const Op *op = rootOf(window);
  return op ? c.ranges.roots().divisor(op->operand(rowOffsetAt(*op) + dim)) : 1;
}

LlvmValue *LaneAddresses::times(LlvmValue *number, int64_t factor) {
  return number && factor ? b.CreateMul(narrow(number), v.number32(factor)) : nullptr;
}

LlvmValue *LaneAddresses::sum(std::initializer_list<LlvmValue *> numbers) {
  LlvmValue *all = nullptr;
  for (LlvmValue *each : numbers)
    if (each) all = all ? b.CreateAdd(all, each) : each;
  return all ? all : v.number32(0);
}

LlvmValue *LaneAddresses::digitsOf(const WindowElement &element, int64_t LaneDigit::*weight) {
  LlvmValue *all = nullptr;
  for (const LaneDigit &digit : element.digits) {
    if (digit.*weight == 0) continue;
    LlvmValue *number = b.CreateAnd(b.CreateLShr(c.lane, static_cast<uint64_t>(digit.bit)), v.number32(digit.extent - 1));
    number = b.CreateMul(number, v.number32(digit.*weight));
    all = all ? b.CreateAdd(all, number) : number;
  }
  return all;
}

// The last of these numbers and of the lane's number to be computed; null if they are in several blocks.
llvm::Instruction *LaneAddresses::latest(std::initializer_list<LlvmValue *> numbers) {
  auto *last = llvm::cast<llvm::Instruction>(c.lane);
  const llvm::Instruction *lane = last;
  for (LlvmValue *each : numbers) {
    auto *made = llvm::dyn_cast_or_null<llvm::Instruction>(each);
    if (!made) continue;
    if (made->getParent() == last->getParent())
      last = made->comesBefore(last) ? last : made;
    else if (last->getParent() == lane->getParent())
      last = made;
    else if (made->getParent() != lane->getParent())
      return nullptr;
  }
  return last;
}

LlvmValue *LaneAddresses::slmAddress(const Value *window, const WindowElement &element) {
  const LaneParts &parts = v.partsOf(window);
  int64_t bytes = elemInfo(window->type().elem()).storageBytes;
  auto *stride = llvm::dyn_cast<llvm::ConstantInt>(parts[kRowStride]);
  XT_CHECK(stride, "buffers in shared local memory have constant strides");
  int64_t pitch = stride->getSExtValue() * bytes;
  LanePlace y = placeOf(parts[kY]), x = placeOf(parts[kX]);
  Swizzle stored = swizzle(window);
  Offset offset;
  {
    llvm::IRBuilderBase::InsertPointGuard guard(b);
    if (llvm::Instruction *made = latest({y.root, x.root})) {
      auto behind = llvm::isa<llvm::PHINode>(made) ? made->getParent()->getFirstInsertionPt() : std::next(made->getIterator());
      b.SetInsertPoint(made->getParent(), behind);
    }
    offset = stored ? swizzledOffset(window, y, x, pitch, bytes, element, stored) : plainOffset(y, x, pitch, bytes, element);
  }
  return byteOffset(b, byteOffset(b, parts[kBase], offset.root), v.number32(offset.constant));
}

LaneAddresses::Offset LaneAddresses::plainOffset(const LanePlace &y, const LanePlace &x, int64_t pitch, int64_t bytes,
                                                 const WindowElement &element) {
  LlvmValue *rows = digitsOf(element, &LaneDigit::rows), *columns = digitsOf(element, &LaneDigit::columns);
  LlvmValue *root = sum({times(y.root, pitch), times(rows, pitch), times(x.root, bytes), times(columns, bytes)});
  return {root, (y.offset + element.row) * pitch + (x.offset + element.column) * bytes};
}

// The swizzle exclusive-ors bits of the row's number into bits of the byte in the row. As far as the row and the first byte are
// known without the run, they are multiples of what the swizzle moves, or the same for many addresses.
LaneAddresses::Offset LaneAddresses::swizzledOffset(const Value *window, const LanePlace &y, const LanePlace &x, int64_t pitch,
                                                    int64_t bytes, const WindowElement &element, const Swizzle &swizzle) {
  const int64_t mask = (int64_t{1} << swizzle.bits) - 1, span = swizzle.blockBytes();
  const int shift = swizzle.base + swizzle.shift - std::countr_zero(static_cast<uint64_t>(pitch)); // of the row's number
  const bool byRow = std::has_single_bit(static_cast<uint64_t>(pitch)) && shift >= 0 && span <= pitch;
  if (!byRow) {
    Offset plain = plainOffset(y, x, pitch, bytes, element);
    LlvmValue *offset = b.CreateAdd(plain.root, v.number32(plain.constant));
    LlvmValue *bits = b.CreateAnd(b.CreateLShr(offset, static_cast<uint64_t>(swizzle.base + swizzle.shift)), v.number32(mask));
    return {b.CreateXor(offset, b.CreateShl(bits, static_cast<uint64_t>(swizzle.base))), 0};
  }
  int64_t row = y.offset + element.row, column = (x.offset + element.column) * bytes, period = (mask + 1) << shift;
  bool rowsApart = divisor(window, 0) % period == 0, columnsApart = divisor(window, 1) * bytes % span == 0;
  LlvmValue *laneRows = digitsOf(element, &LaneDigit::rows), *laneColumns = digitsOf(element, &LaneDigit::columns);
  int64_t rowInPeriod = remainder(rowsApart ? element.row : row, period);
  LlvmValue *number = sum({rowsApart ? nullptr : y.root ? narrow(y.root) : nullptr, laneRows, v.number32(rowInPeriod)});
  LlvmValue *bits = b.CreateShl(b.CreateAnd(b.CreateLShr(number, static_cast<uint64_t>(shift)), v.number32(mask)),
                                static_cast<uint64_t>(swizzle.base));
  int64_t inSpan = remainder(columnsApart ? element.column * bytes : column, span);
  LlvmValue *own = sum({times(laneColumns, bytes), columnsApart ? nullptr : times(x.root, bytes), v.number32(inSpan)});
  own = sum(
      {b.CreateXor(own, bits), times(laneRows, pitch), times(y.root, pitch), columnsApart ? times(x.root, bytes) : nullptr});
  return {own, row * pitch + column - inSpan};
}

} // namespace xt
