// What is read down its columns: squares of as many rows as a register has lanes, turned in registers.
#include "ir/base/check.h"
#include "targets/cpu/kernel_emitter.h"
#include "targets/cpu/register_transpose.h"

namespace xt {

// `chunk` gives `lanes` neighbours of a row of what is turned, in their storage form; what it gives for places behind the
// last row and column is not looked at.
void KernelEmitter::turnInto(const Buffer &to, llvm::function_ref<LlvmValue *(LlvmValue *row, LlvmValue *column, int lanes)> chunk) {
  int64_t bytes = elemInfo(to.shape.elem).storageBytes, rows = to.shape.rows;
  int lanes = cpu_.lanes(static_cast<int>(std::max<int64_t>(bytes, 4))); // more would not fit the registers
  llvm::Type *type = ops_.storageType(to.shape.elem, lanes);
  llvm::Align align(static_cast<uint64_t>(lanes * bytes));
  LlvmValue *square = squareSlot();
  auto line = [&](LlvmValue *i) { return byteOffset(b, square, b.CreateMul(i, number(lanes * bytes))); };
  forLoop(b, number(0), number(rows), number(lanes), [&](LlvmValue *row) {
    forLoop(b, number(0), number(to.shape.columns), number(lanes), [&](LlvmValue *column) {
      forLoop(b, number(0), number(lanes), number(1), [&](LlvmValue *i) {
        b.CreateAlignedStore(chunk(b.CreateAdd(column, i), row, lanes), line(i), align);
      });
      LlvmValues lines;
      for (int i = 0; i < lanes; ++i) lines.push_back(b.CreateAlignedLoad(type, line(number(i)), align));
      transposeRegisters(b, lines);
      for (int i = 0; i < lanes; ++i) b.CreateAlignedStore(lines[static_cast<size_t>(i)], line(number(i)), align);
      LlvmValue *last = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateSub(number(rows), row), number(lanes));
      forLoop(b, number(0), last, number(1), [&](LlvmValue *i) { // the buffer's rows end with whole registers
        b.CreateAlignedStore(b.CreateAlignedLoad(type, line(i), align), elementAddress(to, b.CreateAdd(row, i), column), align);
      });
    });
  });
}

// A row of the result is a column of the tile.
void KernelEmitter::emitTransposedLoad(const Op &op) {
  const Attr *padding = op.attr("padding");
  TileAccess access = accessTile(op.operand(0), padding ? &padding->value : nullptr);
  const Buffer &to = *buffers_.bufferOf(op.result());
  auto chunk = [&](LlvmValue *row, LlvmValue *column, int lanes) {
    LlvmValue *stored = loadChunk(access, accessRow(access, row), column, lanes);
    return ops_.toStorage(access.elem, ops_.fromStorage(access.elem, stored));
  };
  if (op.operand(0)->type().data().order != Order::ColumnMajor || access.pack > 1) return turnInto(to, chunk);
  access = turned(access); // its columns lie in memory as rows do
  int lanes = cpu_.lanes(elemInfo(access.elem).storageBytes);
  forLoop(b, number(0), number(to.shape.rows), number(1), [&](LlvmValue *row) {
    forLoop(b, number(0), number(to.shape.columns), number(lanes), [&](LlvmValue *column) {
      b.CreateAlignedStore(chunk(row, column, lanes), elementAddress(to, row, column), llvm::Align(static_cast<uint64_t>(cpu_.vectorBytes)));
    });
  });
}

// The same memory with rows and columns exchanged.
KernelEmitter::TileAccess KernelEmitter::turned(TileAccess access) {
  XT_CHECK(access.pack == 1, "rows of a packed tile are no columns of another one");
  std::swap(access.rowLow, access.columnLow);
  std::swap(access.rowHigh, access.columnHigh);
  std::swap(access.rowStride, access.columnStride);
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(access.columnStride);
  access.unitStride = known && known->getSExtValue() == elemInfo(access.elem).storageBytes;
  access.maybeUnitStride = access.unitStride || !known;
  return access;
}

void KernelEmitter::emitTranspose(const Op &op) {
  std::vector<int64_t> permutation = permutationOf(op);
  const Buffer &from = pickable(op, 0), &to = *buffers_.bufferOf(op.result());
  if (permutation.size() > 2 || permutation[0] == 0) return emitPermutation(op, permutation, from, to);
  turnInto(to, [&](LlvmValue *row, LlvmValue *column, int lanes) {
    LlvmValue *inside = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, row, number(from.shape.rows - 1));
    llvm::Align align(static_cast<uint64_t>(lanes * elemInfo(from.shape.elem).storageBytes));
    return b.CreateAlignedLoad(ops_.storageType(from.shape.elem, lanes), elementAddress(from, inside, column), align);
  });
}

// Element by element.
void KernelEmitter::emitPermutation(const Op &op, const std::vector<int64_t> &permutation, const Buffer &from, const Buffer &to) {
  Type source = op.operand(0)->type(), target = op.result()->type();
  size_t last = permutation.size() - 1;
  forEachElement(to.shape, [&](LlvmValue *row, LlvmValue *column) {
    LlvmValues at(permutation.size()); // in the operand
    at[static_cast<size_t>(permutation[last])] = column;
    LlvmValue *rest = row;
    for (size_t d = last; d-- > 0;) {
      LlvmValue *extent = number(target.extent(static_cast<int>(d)));
      at[static_cast<size_t>(permutation[d])] = d == 0 ? rest : b.CreateURem(rest, extent);
      if (d > 0) rest = b.CreateUDiv(rest, extent);
    }
    LlvmValue *sourceRow = at[0];
    for (size_t d = 1; d < last; ++d)
      sourceRow = b.CreateAdd(b.CreateMul(sourceRow, number(source.extent(static_cast<int>(d)))), at[d]);
    storeTo(to, row, column, loadFrom(from, sourceRow, at[last]));
  });
}

LlvmValue *KernelEmitter::squareSlot() {
  if (!square_) {
    llvm::BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
    llvm::IRBuilder<> top(&entry, entry.begin());
    llvm::AllocaInst *slot = top.CreateAlloca(llvm::ArrayType::get(b.getInt8Ty(), 16 * 64)); // 16 registers of 64 bytes
    slot->setAlignment(llvm::Align(64));
    square_ = slot;
  }
  return square_;
}

} // namespace xt
