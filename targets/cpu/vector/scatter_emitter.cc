// Emits scatter tiles, atomics, and access to single elements of memory.
#include "ir/atomic_update.h"
#include "ir/base/check.h"
#include "ir/combine.h"
#include "ir/views/shared.h"
#include "ir/views/tile.h"
#include "targets/cpu/vector/fused_loop.h"

namespace xt {

using enum KernelContext::TilePart;
using enum KernelContext::ScatterPart;

namespace {
constexpr int64_t kMiddle = int64_t{1} << 40;
}

Parts ScatterEmitter::initScatterTile(const Op &op) {
  const Buffer &offsets = k_.picker.pickable(op, 1), &own = *c_.buffers.bufferOf(op.result());
  bool address = !op.operand(0)->type().isMemRef();
  k_.picker.forEachElement(own.shape, [&](LlvmValue *row, LlvmValue *column) {
    LlvmValue *offset = k_.picker.loadFrom(offsets, row, column);
    k_.picker.storeTo(own, row, column, address ? b.CreateAdd(offset, c_.number(kMiddle)) : offset);
  });
  const Parts &base = c_.parts.at(op.operand(0)); // of a one-dimensional memref: data, size, stride
  if (!address) return {base[0], base[1], base[2]};
  // An address has no bounds: offsets are counted from kMiddle elements below it, so that all of them are in bounds.
  LlvmValue *data = b.CreateIntToPtr(base[0], b.getPtrTy());
  int64_t bytes = elemInfo(op.result()->type().elem()).storageBytes;
  return {byteOffset(b, data, c_.number(-kMiddle * bytes)), c_.number(2 * kMiddle), c_.number(1)};
}

Parts ScatterEmitter::moveScatterTile(const Op &op) {
  const Buffer &from = *c_.buffers.bufferOf(op.operand(0)), &to = *c_.buffers.bufferOf(op.result());
  bool each = op.operand(1)->type().isVector();
  const Buffer *deltas = each ? &k_.picker.pickable(op, 1) : nullptr;
  k_.picker.forEachElement(to.shape, [&](LlvmValue *row, LlvmValue *column) {
    LlvmValue *delta = each ? k_.picker.loadFrom(*deltas, row, column) : c_.scalar(op.operand(1));
    k_.picker.storeTo(to, row, column, b.CreateAdd(k_.picker.loadFrom(from, row, column), delta));
  });
  return c_.parts.at(op.operand(0));
}

ScatterEmitter::ScatterAccess ScatterEmitter::scatterAccess(const Value *tile, const Buffer &offsets, LlvmValue *row,
                                                            LlvmValue *column) {
  const Parts &parts = c_.parts.at(tile);
  LlvmValue *offset = k_.picker.loadFrom(offsets, row, column);
  LlvmValue *bytes = b.CreateMul(parts[kScatterStride], c_.number(elemInfo(tile->type().elem()).storageBytes));
  return {b.CreateICmpULT(offset, parts[kScatterSize]), // a negative offset is a large unsigned number
          byteOffset(b, parts[kScatterBase], b.CreateMul(offset, bytes))};
}

// Whether the elements at `run` are a run; sets its address. Whole registers may be read from buffers (BufferShape).
LlvmValue *ScatterEmitter::isRun(const Value *tile, const Buffer &offsets, const Buffer &mask, Run &run) {
  const Parts &parts = c_.parts.at(tile);
  auto registerOf = [&](const Buffer &buffer) {
    Elem elem = buffer.shape.elem;
    LlvmValue *address = k_.picker.elementAddress(buffer, run.row, run.column);
    return ops_.fromStorage(elem, b.CreateAlignedLoad(ops_.storageType(elem, lanes()), address, llvm::Align(1)));
  };
  LlvmValue *all = registerOf(offsets), *first = b.CreateExtractElement(all, uint64_t{0});
  llvm::SmallVector<uint64_t, 8> numbers;
  for (int i = 0; i < lanes(); ++i) numbers.push_back(static_cast<uint64_t>(i));
  LlvmValue *following = b.CreateAdd(b.CreateVectorSplat(static_cast<unsigned>(lanes()), first),
                                     llvm::ConstantDataVector::get(b.getContext(), numbers));
  LlvmValue *adjacent = b.CreateAndReduce(b.CreateAnd(b.CreateICmpEQ(all, following), registerOf(mask)));
  // The first and the last one are in bounds: a negative offset is a large unsigned number.
  LlvmValue *inside = b.CreateAnd(b.CreateICmpULT(first, parts[kScatterSize]),
                                  b.CreateICmpULT(b.CreateAdd(first, c_.number(lanes() - 1)), parts[kScatterSize]));
  LlvmValue *dense = b.CreateICmpEQ(parts[kScatterStride], c_.number(1));
  run.address = byteOffset(b, parts[kScatterBase], b.CreateMul(first, c_.number(elemInfo(tile->type().elem()).storageBytes)));
  return b.CreateAnd(b.CreateAnd(adjacent, dense), inside);
}

// Calls `run` for registers of elements that are a run, and `element` for each of the others.
void ScatterEmitter::forEachRun(const Value *tile, const Buffer &offsets, const Buffer &mask, RunBody run,
                                ElementBody element) {
  const BufferShape &shape = offsets.shape;
  auto elements = [&](LlvmValue *row, LlvmValue *from, LlvmValue *end) {
    forLoop(b, from, end, c_.number(1), [&](LlvmValue *column) { element(row, column); });
  };
  if (shape.columns < lanes()) {
    k_.picker.forEachElement(shape, element);
    return;
  }
  k_.picker.forEachRow(shape, [&](LlvmValue *row) {
    LlvmValue *columns = c_.argument(shape.columns), *whole = b.CreateAnd(columns, c_.number(-lanes()));
    forLoop(b, c_.number(0), whole, c_.number(lanes()), [&](LlvmValue *column) {
      Run here{row, column, nullptr};
      LlvmValue *found = isRun(tile, offsets, mask, here);
      ifElse(
          b, found,
          [&]() -> LlvmValues {
            run(here);
            return {};
          },
          [&]() -> LlvmValues {
            elements(row, column, b.CreateAdd(column, c_.number(lanes())));
            return {};
          });
    });
    elements(row, whole, columns);
  });
}

// Elements that are masked off or out of bounds read the padding from the stack, so their addresses are never accessed.
void ScatterEmitter::emitGather(const Op &op) {
  const Value *tile = op.operand(0);
  Elem elem = tile->type().elem();
  const Buffer &mask = k_.picker.pickable(op, 1), &to = *c_.buffers.bufferOf(op.result()),
               &offsets = *c_.buffers.bufferOf(tile);
  const AttrValue *padding = LoadGatherOp(op).padding();
  LlvmValue *outside = ops_.stackSlot(0);
  b.CreateStore(ops_.toStorage(elem, padding ? ops_.constant(elem, *padding, 0) : ops_.zero(elem, 0)), outside);
  auto move = [&](const Run &run) {
    LlvmValue *elements = b.CreateAlignedLoad(ops_.storageType(elem, lanes()), run.address, k_.tiles.memoryAlign());
    b.CreateAlignedStore(elements, k_.picker.elementAddress(to, run.row, run.column), llvm::Align(1));
  };
  forEachRun(tile, offsets, mask, move, [&](LlvmValue *row, LlvmValue *column) {
    ScatterAccess access = scatterAccess(tile, offsets, row, column);
    LlvmValue *reads = b.CreateAnd(access.inside, k_.picker.loadFrom(mask, row, column));
    LlvmValue *element =
        b.CreateAlignedLoad(ops_.storageType(elem, 0), b.CreateSelect(reads, access.address, outside), k_.tiles.memoryAlign());
    k_.picker.storeTo(to, row, column, ops_.fromStorage(elem, element));
  });
}

void ScatterEmitter::emitScatter(const Op &op) {
  const Value *tile = op.operand(2);
  Elem elem = tile->type().elem();
  const Buffer &value = k_.picker.pickable(op, 0), &mask = k_.picker.pickable(op, 1), &offsets = *c_.buffers.bufferOf(tile);
  LlvmValue *outside = ops_.stackSlot(0);
  auto move = [&](const Run &run) {
    LlvmValue *from = k_.picker.elementAddress(value, run.row, run.column);
    b.CreateAlignedStore(b.CreateAlignedLoad(ops_.storageType(elem, lanes()), from, llvm::Align(1)), run.address,
                         k_.tiles.memoryAlign());
  };
  forEachRun(tile, offsets, mask, move, [&](LlvmValue *row, LlvmValue *column) {
    ScatterAccess access = scatterAccess(tile, offsets, row, column);
    LlvmValue *writes = b.CreateAnd(access.inside, k_.picker.loadFrom(mask, row, column));
    b.CreateAlignedStore(ops_.toStorage(elem, k_.picker.loadFrom(value, row, column)),
                         b.CreateSelect(writes, access.address, outside), k_.tiles.memoryAlign());
  });
}

// Emits a compare-and-swap loop on the bytes of the element, for every kind of update and every type. Returns the old value.
LlvmValue *ScatterEmitter::updateAtomically(std::string_view kind, Elem elem, LlvmValue *address, LlvmValue *value) {
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

// Returns the old value.
LlvmValue *ScatterEmitter::compareAndSwap(Elem elem, LlvmValue *address, LlvmValue *expected, LlvmValue *value) {
  auto bytes = static_cast<uint64_t>(elemInfo(elem).storageBytes);
  llvm::Type *image = b.getIntNTy(static_cast<unsigned>(bytes) * 8);
  auto imageOf = [&](LlvmValue *number) { return b.CreateBitCast(ops_.toStorage(elem, number), image); };
  LlvmValue *found =
      b.CreateExtractValue(b.CreateAtomicCmpXchg(address, imageOf(expected), imageOf(value), llvm::Align(bytes),
                                                 llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Monotonic),
                           0);
  return ops_.fromStorage(elem, b.CreateBitCast(found, ops_.storageType(elem, 0)));
}

void ScatterEmitter::emitAtomic(const Op &op) {
  const AtomicUpdate update(op);
  const Value *tile = update.tile();
  Elem elem = tile->type().elem();
  bool scatter = tile->type().data().scatter;
  const Buffer &value = k_.picker.pickable(op, update.valueIndex()), &to = *c_.buffers.bufferOf(op.result());
  const Buffer *expected = update.compares() ? &k_.picker.pickable(op, AtomicUpdate::kExpectedIndex) : nullptr;
  TileAccess block{};
  if (!scatter) block = k_.tiles.accessTile(tile, nullptr);
  const Buffer *mask = update.mask() ? &k_.picker.pickable(op, update.maskIndex()) : nullptr;
  k_.picker.forEachElement(to.shape, [&](LlvmValue *row, LlvmValue *column) {
    ScatterAccess access{};
    if (scatter) {
      access = scatterAccess(tile, *c_.buffers.bufferOf(tile), row, column);
      if (mask) access.inside = b.CreateAnd(access.inside, k_.picker.loadFrom(*mask, row, column));
    } else {
      RowAccess line = k_.tiles.accessRow(block, row);
      access.inside = b.CreateAnd(b.CreateICmpSGE(column, block.columnLow), b.CreateICmpSLT(column, line.high));
      access.address = byteOffset(b, line.pointer, b.CreateMul(column, block.columnStride));
    }
    LlvmValues old = ifElse(
        b, access.inside,
        [&]() -> LlvmValues {
          LlvmValue *given = k_.picker.loadFrom(value, row, column);
          if (expected) return {compareAndSwap(elem, access.address, k_.picker.loadFrom(*expected, row, column), given)};
          return {updateAtomically(SharedAttrs(op).kind(), elem, access.address, given)};
        },
        [&]() -> LlvmValues { return {ops_.zero(elem, 0)}; });
    k_.picker.storeTo(to, row, column, old[0]);
  });
}

Parts ScatterEmitter::castMemRef(const Op &op) {
  const Parts &from = c_.parts.at(op.operand(0));
  Type source = op.operand(0)->type(), result = op.result()->type();
  auto rank = static_cast<size_t>(result.rank());
  Parts parts(1 + 2 * rank, c_.number(1));
  parts[0] = from[0];
  std::vector<int> dims = *memrefCastDims(source, result);
  for (size_t d = 0; d < rank; ++d) {
    if (dims[d] < 0) continue;
    parts[1 + d] = from[static_cast<size_t>(1 + dims[d])];
    parts[1 + rank + d] = from[static_cast<size_t>(1 + source.rank() + dims[d])];
  }
  return parts;
}

Parts ScatterEmitter::viewMemRef(const Op &op) {
  LlvmValue *bytes = c_.number(elemInfo(op.result()->type().elem()).storageBytes);
  Parts parts{byteOffset(b, c_.parts.at(op.operand(0))[0], b.CreateMul(c_.scalar(op.operand(1)), bytes))};
  for (size_t i = 2; i < op.operandCount(); ++i) parts.push_back(c_.scalar(op.operand(i))); // sizes, then strides
  return parts;
}

Parts ScatterEmitter::slmBuffer(const Op &op) {
  Type type = op.result()->type();
  Parts parts = {byteOffset(b, c_.slm, c_.number(c_.slmLayout.offsetOf(op)))};
  for (int64_t extent : type.shape()) parts.push_back(c_.number(extent));
  for (int64_t stride : memrefStrides(type)) parts.push_back(c_.number(stride));
  return parts;
}

ScatterEmitter::ScatterAccess ScatterEmitter::elementOfMemRef(const Op &op, size_t memref) {
  Type type = op.operand(memref)->type();
  const Parts &parts = c_.parts.at(op.operand(memref));
  auto rank = static_cast<size_t>(type.rank());
  LlvmValue *inside = b.getTrue(), *elements = c_.number(0);
  for (size_t d = 0; d < rank; ++d) {
    LlvmValue *index = c_.scalar(op.operand(memref + 1 + d));
    inside = b.CreateAnd(inside, b.CreateICmpULT(index, parts[1 + d]));
    elements = b.CreateAdd(elements, b.CreateMul(index, parts[1 + rank + d]));
  }
  return {inside, byteOffset(b, parts[0], b.CreateMul(elements, c_.number(elemInfo(type.elem()).storageBytes)))};
}

LlvmValue *ScatterEmitter::loadElement(const Op &op) {
  Elem elem = op.result()->type().elem();
  ScatterAccess access = elementOfMemRef(op, 0);
  LlvmValue *outside = ops_.stackSlot(0);
  b.CreateStore(ops_.toStorage(elem, ops_.zero(elem, 0)), outside);
  LlvmValue *address = b.CreateSelect(access.inside, access.address, outside);
  return ops_.fromStorage(elem, b.CreateAlignedLoad(ops_.storageType(elem, 0), address, k_.tiles.memoryAlign()));
}

void ScatterEmitter::storeElement(const Op &op) {
  Elem elem = op.operand(1)->type().elem();
  ScatterAccess access = elementOfMemRef(op, 1);
  LlvmValue *address = b.CreateSelect(access.inside, access.address, ops_.stackSlot(0));
  b.CreateAlignedStore(ops_.toStorage(elem, c_.scalar(op.operand(0))), address, k_.tiles.memoryAlign());
}

} // namespace xt
