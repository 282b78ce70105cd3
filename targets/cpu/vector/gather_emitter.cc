// Scatter tiles, atomics, and access to single elements of memory.
#include "ir/base/check.h"
#include "ir/combine.h"
#include "targets/cpu/vector/fused_loop.h"

namespace xt {

namespace {
constexpr int64_t kMiddle = int64_t{1} << 40;
}

KernelEmitter::Parts KernelEmitter::initScatterTile(const Op &op) {
  const Buffer &offsets = pickable(op, 1), &own = *buffers_.bufferOf(op.result());
  bool address = !op.operand(0)->type().isMemRef();
  forEachElement(own.shape, [&](LlvmValue *row, LlvmValue *column) {
    LlvmValue *offset = loadFrom(offsets, row, column);
    storeTo(own, row, column, address ? b.CreateAdd(offset, number(kMiddle)) : offset);
  });
  const Parts &base = parts_.at(op.operand(0)); // of a one-dimensional memref: data, size, stride
  if (!address) return {base[0], base[1], base[2]};
  // An address has no bounds: offsets are counted from kMiddle elements below it, so that all of them are in bounds.
  LlvmValue *data = b.CreateIntToPtr(base[0], b.getPtrTy());
  int64_t bytes = elemInfo(op.result()->type().elem()).storageBytes;
  return {byteOffset(b, data, number(-kMiddle * bytes)), number(2 * kMiddle), number(1)};
}

KernelEmitter::Parts KernelEmitter::moveScatterTile(const Op &op) {
  const Buffer &from = *buffers_.bufferOf(op.operand(0)), &to = *buffers_.bufferOf(op.result());
  bool each = op.operand(1)->type().isVector();
  const Buffer *deltas = each ? &pickable(op, 1) : nullptr;
  forEachElement(to.shape, [&](LlvmValue *row, LlvmValue *column) {
    LlvmValue *delta = each ? loadFrom(*deltas, row, column) : scalar(op.operand(1));
    storeTo(to, row, column, b.CreateAdd(loadFrom(from, row, column), delta));
  });
  return parts_.at(op.operand(0));
}

KernelEmitter::ScatterAccess KernelEmitter::scatterAccess(const Value *tile, const Buffer &offsets, LlvmValue *row,
                                                          LlvmValue *column) {
  const Parts &parts = parts_.at(tile);
  LlvmValue *offset = loadFrom(offsets, row, column);
  LlvmValue *bytes = b.CreateMul(parts[kScatterStride], number(elemInfo(tile->type().elem()).storageBytes));
  return {b.CreateICmpULT(offset, parts[kScatterSize]), // a negative offset is a large unsigned number
          byteOffset(b, parts[kScatterBase], b.CreateMul(offset, bytes))};
}

// Elements that are masked off or out of bounds read the padding from the stack, so their addresses are never accessed.
void KernelEmitter::emitGather(const Op &op) {
  const Value *tile = op.operand(0);
  Elem elem = tile->type().elem();
  const Buffer &mask = pickable(op, 1), &to = *buffers_.bufferOf(op.result()), &offsets = *buffers_.bufferOf(tile);
  const Attr *attr = op.attr("padding");
  LlvmValue *outside = ops_.stackSlot(0);
  b.CreateStore(ops_.toStorage(elem, attr ? ops_.constant(elem, attr->value, 0) : ops_.zero(elem, 0)), outside);
  forEachElement(to.shape, [&](LlvmValue *row, LlvmValue *column) {
    ScatterAccess access = scatterAccess(tile, offsets, row, column);
    LlvmValue *reads = b.CreateAnd(access.inside, loadFrom(mask, row, column));
    LlvmValue *element =
        b.CreateAlignedLoad(ops_.storageType(elem, 0), b.CreateSelect(reads, access.address, outside), memoryAlign());
    storeTo(to, row, column, ops_.fromStorage(elem, element));
  });
}

void KernelEmitter::emitScatter(const Op &op) {
  const Value *tile = op.operand(2);
  Elem elem = tile->type().elem();
  const Buffer &value = pickable(op, 0), &mask = pickable(op, 1), &offsets = *buffers_.bufferOf(tile);
  LlvmValue *outside = ops_.stackSlot(0);
  forEachElement(offsets.shape, [&](LlvmValue *row, LlvmValue *column) {
    ScatterAccess access = scatterAccess(tile, offsets, row, column);
    LlvmValue *writes = b.CreateAnd(access.inside, loadFrom(mask, row, column));
    b.CreateAlignedStore(ops_.toStorage(elem, loadFrom(value, row, column)), b.CreateSelect(writes, access.address, outside),
                         memoryAlign());
  });
}

// A compare-and-swap loop on the bytes of the element, for every kind of update and every type.
LlvmValue *KernelEmitter::updateAtomically(std::string_view kind, Elem elem, LlvmValue *address, LlvmValue *value) {
  auto bits = static_cast<unsigned>(elemInfo(elem).storageBytes) * 8;
  llvm::Type *storage = ops_.storageType(elem, 0), *image = b.getIntNTy(bits);
  llvm::Align align(static_cast<uint64_t>(elemInfo(elem).storageBytes));
  llvm::LoadInst *first = b.CreateAlignedLoad(image, address, align);
  first->setAtomic(llvm::AtomicOrdering::Monotonic);
  llvm::Function *function = b.GetInsertBlock()->getParent();
  llvm::BasicBlock *before = b.GetInsertBlock();
  auto *again = llvm::BasicBlock::Create(b.getContext(), "atomic", function);
  auto *done = llvm::BasicBlock::Create(b.getContext(), "atomic.end", function);
  b.CreateBr(again);
  b.SetInsertPoint(again);
  llvm::PHINode *old = b.CreatePHI(image, 2);
  old->addIncoming(first, before);
  LlvmValue *current = ops_.fromStorage(elem, b.CreateBitCast(old, storage));
  LlvmValue *next = kind == "assign" ? value : ops_.combine(*combiningOp(kind, elem), elem, current, value);
  LlvmValue *wanted = b.CreateBitCast(ops_.toStorage(elem, next), image);
  llvm::AtomicCmpXchgInst *swap =
      b.CreateAtomicCmpXchg(address, old, wanted, align, llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Monotonic);
  old->addIncoming(b.CreateExtractValue(swap, 0), b.GetInsertBlock());
  b.CreateCondBr(b.CreateExtractValue(swap, 1), done, again);
  b.SetInsertPoint(done);
  return current;
}

void KernelEmitter::emitAtomic(const Op &op) {
  const Value *tile = op.operand(1);
  Elem elem = tile->type().elem();
  bool scatter = tile->type().data().scatter;
  const Buffer &value = pickable(op, 0), &to = *buffers_.bufferOf(op.result());
  TileAccess block{};
  if (!scatter) block = accessTile(tile, nullptr);
  const Buffer *mask = op.operandCount() > 2 ? &pickable(op, 2) : nullptr;
  forEachElement(to.shape, [&](LlvmValue *row, LlvmValue *column) {
    ScatterAccess access{};
    if (scatter) {
      access = scatterAccess(tile, *buffers_.bufferOf(tile), row, column);
      if (mask) access.inside = b.CreateAnd(access.inside, loadFrom(*mask, row, column));
    } else {
      RowAccess line = accessRow(block, row);
      access.inside = b.CreateAnd(b.CreateICmpSGE(column, block.columnLow), b.CreateICmpSLT(column, line.high));
      access.address = byteOffset(b, line.pointer, b.CreateMul(column, block.columnStride));
    }
    LlvmValues old = ifElse(
        b, access.inside,
        [&]() -> LlvmValues {
          return {updateAtomically(op.textAttr("kind"), elem, access.address, loadFrom(value, row, column))};
        },
        [&]() -> LlvmValues { return {ops_.zero(elem, 0)}; });
    storeTo(to, row, column, old[0]);
  });
}

KernelEmitter::Parts KernelEmitter::castMemRef(const Op &op) {
  const Parts &from = parts_.at(op.operand(0));
  Type source = op.operand(0)->type(), result = op.result()->type();
  auto rank = static_cast<size_t>(result.rank());
  Parts parts(1 + 2 * rank, number(1));
  parts[0] = from[0];
  std::vector<int> dims = *memrefCastDims(source, result);
  for (size_t d = 0; d < rank; ++d) {
    if (dims[d] < 0) continue;
    parts[1 + d] = from[static_cast<size_t>(1 + dims[d])];
    parts[1 + rank + d] = from[static_cast<size_t>(1 + source.rank() + dims[d])];
  }
  return parts;
}

KernelEmitter::Parts KernelEmitter::slmBuffer(const Op &op) {
  Type type = op.result()->type();
  Parts parts = {byteOffset(b, slm_, number(slmLayout_.offsetOf(op)))};
  for (int64_t extent : type.shape()) parts.push_back(number(extent));
  for (int64_t stride : memrefStrides(type)) parts.push_back(number(stride));
  return parts;
}

KernelEmitter::ScatterAccess KernelEmitter::elementOfMemRef(const Op &op, size_t memref) {
  Type type = op.operand(memref)->type();
  const Parts &parts = parts_.at(op.operand(memref));
  auto rank = static_cast<size_t>(type.rank());
  LlvmValue *inside = b.getTrue(), *elements = number(0);
  for (size_t d = 0; d < rank; ++d) {
    LlvmValue *index = scalar(op.operand(memref + 1 + d));
    inside = b.CreateAnd(inside, b.CreateICmpULT(index, parts[1 + d]));
    elements = b.CreateAdd(elements, b.CreateMul(index, parts[1 + rank + d]));
  }
  return {inside, byteOffset(b, parts[0], b.CreateMul(elements, number(elemInfo(type.elem()).storageBytes)))};
}

LlvmValue *KernelEmitter::loadElement(const Op &op) {
  Elem elem = op.result()->type().elem();
  ScatterAccess access = elementOfMemRef(op, 0);
  LlvmValue *outside = ops_.stackSlot(0);
  b.CreateStore(ops_.toStorage(elem, ops_.zero(elem, 0)), outside);
  LlvmValue *address = b.CreateSelect(access.inside, access.address, outside);
  return ops_.fromStorage(elem, b.CreateAlignedLoad(ops_.storageType(elem, 0), address, memoryAlign()));
}

void KernelEmitter::storeElement(const Op &op) {
  Elem elem = op.operand(1)->type().elem();
  ScatterAccess access = elementOfMemRef(op, 1);
  LlvmValue *address = b.CreateSelect(access.inside, access.address, ops_.stackSlot(0));
  b.CreateAlignedStore(ops_.toStorage(elem, scalar(op.operand(0))), address, memoryAlign());
}

} // namespace xt
