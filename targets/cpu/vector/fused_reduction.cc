// Reductions, and values that a fused loop computes from the position (iota, masks, broadcasts).
#include "ir/combine.h"
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
    auto d = static_cast<int>(std::get<std::vector<int64_t>>(op.attr("dims")->value)[0]);
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

// Reduces each row to one register of partial results, and that register to one element.
void FusedLoop::emitRowReduction(const Sink &sink, int64_t rows, int64_t columns) {
  if (sink.buffer->shape.isDenseColumn() && lanes_ > 1 && lanes_ <= Transposer::kSquareLines)
    return emitRowsReduction(sink, rows, columns);
  Elem elem = sink.buffer->shape.elem;
  OpKind kind = *acrossColumns_;
  forLoop(b, e_.context.number(0), e_.context.argument(rows), e_.context.number(1), [&](LlvmValue *row) {
    LlvmValue *sums = combinedRow(sink, row, columns);
    LlvmValue *sum = isOrdered(sink) ? furthestOfLanes(kind, sums) : acrossLanes(kind, elem, sums);
    b.CreateAlignedStore(e_.context.ops.toStorage(elem, sum), sinks_[0].rowPointer, llvm::Align(1));
  });
}

// Reduces as many rows at once as a register has lanes, and transposes their partial results into one register. Lanes behind
// the last row hold arbitrary values.
void FusedLoop::emitRowsReduction(const Sink &sink, int64_t rows, int64_t columns) {
  Elem elem = sink.buffer->shape.elem, partial = isOrdered(sink) ? Elem::I32 : elem;
  OpKind kind = *acrossColumns_;
  LlvmValue *end = e_.context.argument(rows);
  forLoop(b, e_.context.number(0), end, e_.context.number(lanes_), [&](LlvmValue *first) {
    LlvmValue *count = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateSub(end, first), e_.context.number(lanes_));
    LlvmValues lines = e_.transposer.squareOf(e_.context.ops.storageType(partial, lanes_), count, [&](LlvmValue *i) {
      return e_.context.ops.toStorage(partial, combinedRow(sink, b.CreateAdd(first, i), columns));
    });
    for (LlvmValue *&line : lines) line = e_.context.ops.fromStorage(partial, line);
    LlvmValue *sums = combineRows(b, lines, [&](LlvmValue *x, LlvmValue *y) {
      return isOrdered(sink) ? b.CreateBinaryIntrinsic(furtherOf(kind), x, y) : e_.context.ops.combine(kind, elem, x, y);
    });
    if (isOrdered(sink)) sums = b.CreateBitCast(turnedBits(sums), e_.context.ops.type(elem, lanes_));
    b.CreateAlignedStore(e_.context.ops.toStorage(elem, sums), rowOf(*sink.buffer, first), alignOf(elem));
  });
}

// The number of chunks per iteration. Their dependency chains are independent: the maximum of a row of scores takes 0.6 of the
// time (Zen 5).
int FusedLoop::chunksAtOnce(int64_t columns) const {
  constexpr int kMost = 4;
  int count = kMost;
  while (columns % (count * lanes_) != 0 && count > 1) count /= 2;
  return count;
}

// One register of partial results of a row. Lanes behind the last column are replaced by the identity.
LlvmValue *FusedLoop::combinedRow(const Sink &sink, LlvmValue *row, int64_t columns) {
  Elem elem = sink.buffer->shape.elem;
  OpKind kind = *acrossColumns_;
  const bool ranges = usesRangeInstruction(sink);
  LlvmValue *identity = e_.context.ops.constant(elem, combiningIdentity(kind, elem), lanes_);
  enterRow(row);
  LlvmValue *end = e_.context.argument(columns);
  auto combine = [&](LlvmValue *x, LlvmValue *y) -> LlvmValue * {
    if (ranges) return furthestByRange(kind, x, y);
    if (isOrdered(sink)) return b.CreateBinaryIntrinsic(furtherOf(kind), x, y);
    return e_.context.ops.combine(kind, elem, x, y);
  };
  const int count = chunksAtOnce(columns);
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
      next.push_back(combine(carried[static_cast<size_t>(i)], !ranges && isOrdered(sink) ? orderedBits(kind, chunk) : chunk));
    }
    if (ranges) next.push_back(b.CreateAnd(carried.back(), areNumbers(chunks)));
    return next;
  };
  LlvmValues start(static_cast<size_t>(count), isOrdered(sink) && !ranges ? orderedBits(kind, identity) : identity);
  if (ranges) start.push_back(llvm::Constant::getAllOnesValue(e_.context.ops.type(Elem::I1, lanes_)));
  LlvmValues combined = forLoop(b, e_.context.number(0), end, e_.context.number(count * lanes_), start, step);
  for (size_t half = static_cast<size_t>(count) / 2; half > 0; half /= 2)
    for (size_t i = 0; i < half; ++i) combined[i] = combine(combined[i], combined[i + half]);
  if (!ranges) return combined[0];
  LlvmValue *nan = llvm::ConstantFP::getNaN(identity->getType());
  return orderedBits(kind, b.CreateSelect(combined.back(), combined[0], nan));
}

// One comparison checks two registers.
LlvmValue *FusedLoop::areNumbers(llvm::ArrayRef<LlvmValue *> chunks) {
  LlvmValue *all = nullptr;
  for (size_t i = 0; i < chunks.size(); i += 2) {
    LlvmValue *both = b.CreateFCmpORD(chunks[i], chunks[std::min(i + 1, chunks.size() - 1)]);
    all = all ? b.CreateAnd(all, both) : both;
  }
  return all;
}

// AVX-512 has an instruction (vrangeps) that orders -0 before +0, but prefers a number to a NaN, so NaNs are tracked in a mask.
// This takes two ops in the loop instead of five.
bool FusedLoop::usesRangeInstruction(const Sink &sink) const {
  return isOrdered(sink) && e_.context.cpu.vectorBytes == 64 && (lanes_ == 16 || lanes_ == 8);
}

LlvmValue *FusedLoop::furthestByRange(OpKind kind, LlvmValue *x, LlvmValue *y) {
  constexpr uint32_t kLeast = 4, kMost = 5, kRounding = 4; // vrangeps: sign of the selected operand; current rounding mode
  llvm::SmallVector<LlvmValue *, 6> args{x, y, b.getInt32(kind == OpKind::MaximumF ? kMost : kLeast),
                                         llvm::PoisonValue::get(x->getType()),
                                         lanes_ == 16 ? b.getInt16(0xffff) : b.getInt8(0xff)};
  if (lanes_ == 16) args.push_back(b.getInt32(kRounding));
  return b.CreateIntrinsic(
      lanes_ == 16 ? llvm::Intrinsic::x86_avx512_mask_range_ps_512 : llvm::Intrinsic::x86_avx512_mask_range_ps_256, args);
}

// The maximum or minimum of f32 can be computed as that of integers in the same order: -0 before +0, and NaN beyond all
// numbers. The dependency chain is then one integer op instead of the five that handle zeros and NaN. AVX-512 has a better way
// (usesRangeInstruction).
bool FusedLoop::isOrdered(const Sink &sink) const {
  return isFurthest(*acrossColumns_) && sink.buffer->shape.elem == Elem::F32;
}
bool FusedLoop::isFurthest(OpKind kind) { return kind == OpKind::MaximumF || kind == OpKind::MinimumF; }
llvm::Intrinsic::ID FusedLoop::furtherOf(OpKind kind) {
  return kind == OpKind::MaximumF ? llvm::Intrinsic::smax : llvm::Intrinsic::smin;
}

namespace {
constexpr uint32_t kMagnitude = 0x7FFFFFFF; // all bits of an f32 except its sign
} // namespace

// Maps the bits of a float to an integer in the same order. The function is its own inverse.
LlvmValue *FusedLoop::turnedBits(LlvmValue *bits) { return b.CreateXor(bits, b.CreateAnd(b.CreateAShr(bits, 31), kMagnitude)); }

LlvmValue *FusedLoop::orderedBits(OpKind kind, LlvmValue *chunk) {
  llvm::Type *bits = e_.context.ops.type(Elem::I32, lanes_);
  LlvmValue *nan = llvm::ConstantInt::get(bits, kind == OpKind::MaximumF ? kMagnitude : ~kMagnitude);
  return b.CreateSelect(b.CreateFCmpUNO(chunk, chunk), nan, turnedBits(b.CreateBitCast(chunk, bits)));
}

LlvmValue *FusedLoop::furthestOfLanes(OpKind kind, LlvmValue *ordered) {
  if (lanes_ > 1)
    ordered = kind == OpKind::MaximumF ? b.CreateIntMaxReduce(ordered, true) : b.CreateIntMinReduce(ordered, true);
  return b.CreateBitCast(turnedBits(ordered), b.getFloatTy());
}

LlvmValue *FusedLoop::acrossLanes(OpKind kind, Elem elem, LlvmValue *chunk) {
  for (int half = lanes_ / 2; half > 0; half /= 2) {
    llvm::SmallVector<int, 64> order(static_cast<size_t>(lanes_));
    for (int lane = 0; lane < lanes_; ++lane) order[static_cast<size_t>(lane)] = (lane + half) % lanes_;
    chunk = e_.context.ops.combine(kind, elem, chunk, b.CreateShuffleVector(chunk, order));
  }
  return b.CreateExtractElement(chunk, uint64_t{0});
}

} // namespace xt
