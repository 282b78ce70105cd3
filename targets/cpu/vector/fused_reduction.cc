// Reductions, and values that a fused loop computes from the position (iota, masks, broadcasts).
#include "ir/combine.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "targets/cpu/vector/furthest_of_floats.h"
#include "targets/cpu/vector/fused_loop.h"
#include "targets/cpu/vector/register_transpose.h"

#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/PatternMatch.h>

namespace xt {

using llvm::PatternMatch::match, llvm::PatternMatch::m_Add, llvm::PatternMatch::m_ConstantInt, llvm::PatternMatch::m_Value;

LlvmValue *FusedLoop::laneNumbers(LlvmValue *column) {
  llvm::SmallVector<llvm::Constant *, 64> lanes;
  for (int lane = 0; lane < lanes_; ++lane) lanes.push_back(b.getInt64(static_cast<uint64_t>(lane)));
  return b.CreateAdd(e_.context.ops.splat(column, lanes_), llvm::ConstantVector::get(lanes));
}

LlvmValue *FusedLoop::withinRow(LlvmValue *limit, Type vector) {
  LlvmValue *positive = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, limit, e_.context.number(0));
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, positive, e_.context.argument(vector.extent(vector.rank() - 1)));
}

// 32 bits are enough, because the size limit of buffers (kMaxScratchBytes) bounds the columns. A constant offset of `column` is
// added to the lane numbers, so that all chunks of an iteration compare with the same register.
LlvmValue *FusedLoop::lanesBelow(LlvmValue *limit, LlvmValue *column) {
  LlvmValue *turn = column;
  llvm::ConstantInt *ahead = nullptr;
  if (!match(column, m_Add(m_Value(turn), m_ConstantInt(ahead)))) turn = column;
  LlvmValue *distance = b.CreateTrunc(b.CreateSub(limit, turn), b.getInt32Ty()), *lanes = e_.context.ops.laneNumbers(lanes_);
  if (ahead) lanes = b.CreateAdd(lanes, e_.context.ops.splat(b.getInt32(static_cast<uint32_t>(ahead->getZExtValue())), lanes_));
  return b.CreateICmpSLT(lanes, e_.context.ops.splat(distance, lanes_));
}

void FusedLoop::enterGenerated(Node &node, LlvmValue *row) {
  const Op &op = *node.value->definingOp();
  if (op.kind() == OpKind::Broadcast) return enterBroadcast(node, row);
  Type type = node.value->type();
  // The coordinate of the row in dimension d: rows count all dimensions except the last.
  auto coordinate = [&](int d) {
    int64_t inner = 1;
    for (int k = d + 1; k + 1 < type.rank(); ++k) inner *= type.extent(k);
    LlvmValue *at = inner == 1 ? row : b.CreateUDiv(row, e_.context.number(inner));
    return d == 0 ? at : b.CreateURem(at, e_.context.number(type.extent(d)));
  };
  if (op.kind() == OpKind::Iota) {
    auto d = static_cast<int>(dimensionOf(op));
    if (d + 1 < type.rank()) node.rowValue = e_.context.ops.splat(e_.context.ops.indexTo(coordinate(d), type.elem()), lanes_);
  }
  if (op.kind() == OpKind::CreateMask && type.rank() > 1) {
    LlvmValue *inside = b.getTrue();
    for (int d = 0; d + 1 < type.rank(); ++d)
      inside = b.CreateAnd(inside, b.CreateICmpSLT(coordinate(d), e_.context.scalar(op.operand(static_cast<size_t>(d)))));
    node.rowValue = e_.context.ops.splat(inside, lanes_);
  }
}

void FusedLoop::enterBroadcast(Node &node, LlvmValue *row) {
  const Op &op = *node.value->definingOp();
  Type narrow = op.operand(0)->type(), wide = node.value->type();
  int64_t down = wide.extent(0) / narrow.extent(0);
  if (narrow.extent(0) == 1)
    row = e_.context.number(0);
  else if (down > 1)
    row = b.CreateUDiv(row, e_.context.number(down));
  node.rowPointer = rowOf(op.operand(0), row);
  if (narrow.extent(1) != 1 || wide.extent(1) == 1) return;
  Elem elem = wide.elem();
  LlvmValue *first = b.CreateAlignedLoad(e_.context.ops.storageType(elem, 0), node.rowPointer, llvm::Align(1));
  node.rowValue = e_.context.ops.splat(e_.context.ops.fromStorage(elem, first), lanes_);
}

LlvmValue *FusedLoop::evaluateBroadcast(const Node &node, LlvmValue *column) {
  if (node.rowValue) return node.rowValue;
  Elem elem = node.value->type().elem();
  int64_t bytes = elemInfo(elem).storageBytes;
  int64_t across = node.value->type().extent(1) / node.value->definingOp()->operand(0)->type().extent(1);
  if (across == 1) {
    LlvmValue *address = byteOffset(b, node.rowPointer, b.CreateMul(column, e_.context.number(bytes)));
    return e_.context.ops.fromStorage(elem, b.CreateAlignedLoad(e_.context.ops.storageType(elem, lanes_), address,
                                                                alignOf(node.value->definingOp()->operand(0))));
  }
  int64_t last = node.value->definingOp()->operand(0)->type().extent(1) - 1;
  // Each element is repeated `across` times, so each lane loads its own. Lanes behind the last column load the last element.
  LlvmValue *chunk = e_.context.ops.stackSlot(0);
  llvm::Type *storage = e_.context.ops.storageType(elem, 0);
  forLoop(b, e_.context.number(0), e_.context.number(lanes_), e_.context.number(1), [&](LlvmValue *lane) {
    LlvmValue *at = b.CreateUDiv(b.CreateAdd(column, lane), e_.context.number(across));
    at = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, at, e_.context.number(last));
    LlvmValue *address = byteOffset(b, node.rowPointer, b.CreateMul(at, e_.context.number(bytes)));
    b.CreateAlignedStore(b.CreateAlignedLoad(storage, address, llvm::Align(1)),
                         byteOffset(b, chunk, b.CreateMul(lane, e_.context.number(bytes))), llvm::Align(1));
  });
  return e_.context.ops.fromStorage(elem,
                                    b.CreateAlignedLoad(e_.context.ops.storageType(elem, lanes_), chunk, llvm::Align(64)));
}

void FusedLoop::fillWithIdentity(const Sink &sink) {
  Elem elem = sink.buffer->shape.elem;
  LlvmValue *identity =
      e_.context.ops.toStorage(elem, e_.context.ops.constant(elem, combiningIdentity(*sink.reduces, elem), lanes_));
  forLoop(b, e_.context.number(0), e_.context.argument(sink.buffer->shape.rows), e_.context.number(1), [&](LlvmValue *row) {
    LlvmValue *start = rowOf(*sink.buffer, row);
    forLoop(b, e_.context.number(0), e_.context.argument(sink.buffer->shape.columns), e_.context.number(lanes_),
            [&](LlvmValue *column) {
              LlvmValue *address = byteOffset(b, start, b.CreateMul(column, e_.context.number(elemInfo(elem).storageBytes)));
              b.CreateAlignedStore(identity, address, alignOf(elem));
            });
  });
}

namespace {

// The number of chunks per iteration. Their dependency chains are independent.
int chunksAtOnce(int64_t columns, int lanes) {
  constexpr int kMost = 4;
  int count = kMost;
  while (columns % (count * lanes) != 0 && count > 1) count /= 2;
  return count;
}

// One element from all lanes of a register.
LlvmValue *acrossLanes(KernelContext &context, OpKind kind, Elem elem, LlvmValue *chunk) {
  const auto lanes = static_cast<int>(llvm::cast<llvm::FixedVectorType>(chunk->getType())->getNumElements());
  for (int half = lanes / 2; half > 0; half /= 2) {
    llvm::SmallVector<int, 64> order(static_cast<size_t>(lanes));
    for (int lane = 0; lane < lanes; ++lane) order[static_cast<size_t>(lane)] = (lane + half) % lanes;
    chunk = context.ops.combine(kind, elem, chunk, context.b.CreateShuffleVector(chunk, order));
  }
  return context.b.CreateExtractElement(chunk, uint64_t{0});
}

} // namespace

// Reduces each row to one register of partial results, and that register to one element.
void FusedLoop::emitRowReduction(const Sink &sink, int64_t rows, int64_t columns) {
  if (sink.buffer->shape.isDenseColumn() && lanes_ > 1 && lanes_ <= Transposer::kSquareLines)
    return emitRowsReduction(sink, rows, columns);
  Elem elem = sink.buffer->shape.elem;
  OpKind kind = *acrossColumns_;
  forLoop(b, e_.context.number(0), e_.context.argument(rows), e_.context.number(1), [&](LlvmValue *row) {
    LlvmValue *sums = combinedRow(sink, row, columns);
    LlvmValue *sum =
        isOrdered(sink) ? FurthestOfFloats(e_.context, kind, lanes_).ofLanes(sums) : acrossLanes(e_.context, kind, elem, sums);
    b.CreateAlignedStore(e_.context.ops.toStorage(elem, sum), sinks_[0].rowPointer, llvm::Align(1));
  });
}

// Reduces as many rows at once as a register has lanes, and transposes their partial results into one register. Lanes behind
// the last row hold arbitrary values.
void FusedLoop::emitRowsReduction(const Sink &sink, int64_t rows, int64_t columns) {
  Elem elem = sink.buffer->shape.elem, partial = isOrdered(sink) ? Elem::I32 : elem;
  OpKind kind = *acrossColumns_;
  FurthestOfFloats furthest(e_.context, kind, lanes_);
  LlvmValue *end = e_.context.argument(rows);
  forLoop(b, e_.context.number(0), end, e_.context.number(lanes_), [&](LlvmValue *first) {
    LlvmValue *count = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateSub(end, first), e_.context.number(lanes_));
    LlvmValues lines = e_.transposer.squareOf(e_.context.ops.storageType(partial, lanes_), count, [&](LlvmValue *i) {
      return e_.context.ops.toStorage(partial, combinedRow(sink, b.CreateAdd(first, i), columns));
    });
    for (LlvmValue *&line : lines) line = e_.context.ops.fromStorage(partial, line);
    LlvmValue *sums = combineRows(b, lines, [&](LlvmValue *x, LlvmValue *y) {
      return isOrdered(sink) ? furthest.further(x, y) : e_.context.ops.combine(kind, elem, x, y);
    });
    if (isOrdered(sink)) sums = b.CreateBitCast(furthest.sortableBits(sums), e_.context.ops.type(elem, lanes_));
    b.CreateAlignedStore(e_.context.ops.toStorage(elem, sums), rowOf(*sink.buffer, first), alignOf(elem));
  });
}

// One register of partial results of a row. Lanes behind the last column are replaced by the identity.
LlvmValue *FusedLoop::combinedRow(const Sink &sink, LlvmValue *row, int64_t columns) {
  Elem elem = sink.buffer->shape.elem;
  OpKind kind = *acrossColumns_;
  FurthestOfFloats furthest(e_.context, kind, lanes_);
  const bool ranges = isOrdered(sink) && furthest.usesRangeInstruction();
  LlvmValue *identity = e_.context.ops.constant(elem, combiningIdentity(kind, elem), lanes_);
  enterRow(row);
  LlvmValue *end = e_.context.argument(columns);
  auto combine = [&](LlvmValue *x, LlvmValue *y) -> LlvmValue * {
    if (ranges) return furthest.byRange(x, y);
    if (isOrdered(sink)) return furthest.further(x, y);
    return e_.context.ops.combine(kind, elem, x, y);
  };
  const int count = chunksAtOnce(columns, lanes_);
  auto step = [&](LlvmValue *column, llvm::ArrayRef<LlvmValue *> carried) {
    LlvmValues next, chunks;
    for (int i = 0; i < count; ++i) {
      LlvmValue *at = b.CreateAdd(column, e_.context.number(i * lanes_));
      chunk_.clear();
      for (const Node &node : nodes_) chunk_[node.value] = evaluate(node, at);
      for (size_t s = 1; s < sinks_.size(); ++s) put(sinks_[s], chunk_.at(sinks_[s].value), at);
      LlvmValue *chunk = chunk_.at(sink.value);
      if (columns % lanes_ != 0) chunk = b.CreateSelect(lanesBelow(end, at), chunk, identity);
      chunks.push_back(chunk);
      next.push_back(
          combine(carried[static_cast<size_t>(i)], !ranges && isOrdered(sink) ? furthest.orderedBits(chunk) : chunk));
    }
    if (ranges) next.push_back(b.CreateAnd(carried.back(), furthest.areNumbers(chunks)));
    return next;
  };
  LlvmValues start(static_cast<size_t>(count), isOrdered(sink) && !ranges ? furthest.orderedBits(identity) : identity);
  if (ranges) start.push_back(llvm::Constant::getAllOnesValue(e_.context.ops.type(Elem::I1, lanes_)));
  LlvmValues combined = forLoop(b, e_.context.number(0), end, e_.context.number(count * lanes_), start, step);
  for (size_t half = static_cast<size_t>(count) / 2; half > 0; half /= 2)
    for (size_t i = 0; i < half; ++i) combined[i] = combine(combined[i], combined[i + half]);
  if (!ranges) return combined[0];
  LlvmValue *nan = llvm::ConstantFP::getNaN(identity->getType());
  return furthest.orderedBits(b.CreateSelect(combined.back(), combined[0], nan));
}

bool FusedLoop::isOrdered(const Sink &sink) const {
  return FurthestOfFloats::isOf(*acrossColumns_) && sink.buffer->shape.elem == Elem::F32;
}

} // namespace xt
