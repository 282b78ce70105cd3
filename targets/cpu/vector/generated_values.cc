#include "targets/cpu/vector/generated_values.h"

#include "ir/op_kinds.h"
#include "targets/cpu/analysis/vector_values.h"

#include <llvm/IR/PatternMatch.h>

namespace xt {

using llvm::PatternMatch::match, llvm::PatternMatch::m_Add, llvm::PatternMatch::m_ConstantInt, llvm::PatternMatch::m_Value;

void GeneratedValues::setLimit(LoopNode &node) {
  const Op &op = *node.value->definingOp();
  Type type = node.value->type();
  LlvmValue *limit = e_.context.scalar(op.operand(op.operandCount() - 1));
  LlvmValue *positive = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, limit, e_.context.number(0));
  node.limit = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, positive, e_.context.argument(type.extent(type.rank() - 1)));
}

LlvmValue *GeneratedValues::laneNumbers(LlvmValue *column) {
  llvm::SmallVector<llvm::Constant *, 64> numbers;
  for (int lane = 0; lane < lanes(); ++lane) numbers.push_back(b.getInt64(static_cast<uint64_t>(lane)));
  return b.CreateAdd(e_.context.ops.splat(column, lanes()), llvm::ConstantVector::get(numbers));
}

// 32 bits are enough, because the size limit of buffers (kMaxScratchBytes) bounds the columns. A constant offset of `column` is
// added to the lane numbers, so that all chunks of an iteration compare with the same register.
LlvmValue *GeneratedValues::lanesBelow(LlvmValue *limit, LlvmValue *column) {
  LlvmValue *first = column;
  llvm::ConstantInt *ahead = nullptr;
  if (!match(column, m_Add(m_Value(first), m_ConstantInt(ahead)))) first = column;
  LlvmValue *distance = b.CreateTrunc(b.CreateSub(limit, first), b.getInt32Ty()),
            *numbers = e_.context.ops.laneNumbers(lanes());
  if (ahead)
    numbers = b.CreateAdd(numbers, e_.context.ops.splat(b.getInt32(static_cast<uint32_t>(ahead->getZExtValue())), lanes()));
  return b.CreateICmpSLT(numbers, e_.context.ops.splat(distance, lanes()));
}

// The coordinate of a row in a dimension: row numbers combine all dimensions except the last.
LlvmValue *GeneratedValues::coordinate(Type type, int dimension, LlvmValue *row) {
  int64_t inner = 1;
  for (int k = dimension + 1; k + 1 < type.rank(); ++k) inner *= type.extent(k);
  LlvmValue *at = inner == 1 ? row : b.CreateUDiv(row, e_.context.number(inner));
  return dimension == 0 ? at : b.CreateURem(at, e_.context.number(type.extent(dimension)));
}

void GeneratedValues::enterRow(LoopNode &node, LlvmValue *row) {
  const Op &op = *node.value->definingOp();
  if (op.kind() == OpKind::Broadcast) return enterBroadcast(node, row);
  Type type = node.value->type();
  if (op.kind() == OpKind::Iota) {
    auto d = static_cast<int>(dimensionOf(op));
    if (d + 1 < type.rank())
      node.rowValue = e_.context.ops.splat(e_.context.ops.indexTo(coordinate(type, d, row), type.elem()), lanes());
  }
  if (op.kind() == OpKind::CreateMask && type.rank() > 1) {
    LlvmValue *inside = b.getTrue();
    for (int d = 0; d + 1 < type.rank(); ++d)
      inside =
          b.CreateAnd(inside, b.CreateICmpSLT(coordinate(type, d, row), e_.context.scalar(op.operand(static_cast<size_t>(d)))));
    node.rowValue = e_.context.ops.splat(inside, lanes());
  }
}

void GeneratedValues::enterBroadcast(LoopNode &node, LlvmValue *row) {
  const Op &op = *node.value->definingOp();
  Type narrow = op.operand(0)->type(), wide = node.value->type();
  int64_t down = wide.extent(0) / narrow.extent(0);
  if (narrow.extent(0) == 1)
    row = e_.context.number(0);
  else if (down > 1)
    row = b.CreateUDiv(row, e_.context.number(down));
  node.rowPointer = registers_.rowOf(op.operand(0), row);
  if (narrow.extent(1) != 1 || wide.extent(1) == 1) return;
  Elem elem = wide.elem();
  LlvmValue *first = b.CreateAlignedLoad(e_.context.ops.storageType(elem, 0), node.rowPointer, llvm::Align(1));
  node.rowValue = e_.context.ops.splat(e_.context.ops.fromStorage(elem, first), lanes());
}

LlvmValue *GeneratedValues::iota(const LoopNode &node, LlvmValue *column) {
  return node.rowValue ? node.rowValue : e_.context.ops.indexTo(laneNumbers(column), bufferElem(node.value->type()));
}

LlvmValue *GeneratedValues::mask(const LoopNode &node, LlvmValue *column) {
  LlvmValue *below = lanesBelow(node.limit, column);
  return node.rowValue ? b.CreateAnd(below, node.rowValue) : below;
}

LlvmValue *GeneratedValues::broadcast(const LoopNode &node, LlvmValue *column) {
  if (node.rowValue) return node.rowValue;
  const Value *narrow = node.value->definingOp()->operand(0);
  const int64_t across = node.value->type().extent(1) / narrow->type().extent(1);
  if (across > 1) return repeatedColumns(node, column, across);
  const Elem elem = node.value->type().elem();
  LlvmValue *bytes = e_.context.number(elemInfo(elem).storageBytes);
  LlvmValue *address = byteOffset(b, node.rowPointer, b.CreateMul(column, bytes));
  return e_.context.ops.fromStorage(
      elem, b.CreateAlignedLoad(e_.context.ops.storageType(elem, lanes()), address, registers_.alignOf(narrow)));
}

// Each element is repeated `across` times, so each lane loads its own element. Lanes past the last column load the last
// element.
LlvmValue *GeneratedValues::repeatedColumns(const LoopNode &node, LlvmValue *column, int64_t across) {
  const Elem elem = node.value->type().elem();
  const int64_t bytes = elemInfo(elem).storageBytes, last = node.value->definingOp()->operand(0)->type().extent(1) - 1;
  LlvmValue *chunk = e_.context.ops.stackSlot(0);
  llvm::Type *storage = e_.context.ops.storageType(elem, 0);
  forLoop(b, e_.context.number(0), e_.context.number(lanes()), e_.context.number(1), [&](LlvmValue *lane) {
    LlvmValue *at = b.CreateUDiv(b.CreateAdd(column, lane), e_.context.number(across));
    at = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, at, e_.context.number(last));
    LlvmValue *address = byteOffset(b, node.rowPointer, b.CreateMul(at, e_.context.number(bytes)));
    b.CreateAlignedStore(b.CreateAlignedLoad(storage, address, llvm::Align(1)),
                         byteOffset(b, chunk, b.CreateMul(lane, e_.context.number(bytes))), llvm::Align(1));
  });
  return e_.context.ops.fromStorage(elem,
                                    b.CreateAlignedLoad(e_.context.ops.storageType(elem, lanes()), chunk, llvm::Align(64)));
}

} // namespace xt
