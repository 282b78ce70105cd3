#include "targets/cpu/vector/fused_loop.h"

#include "ir/combine.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "ir/views/tile.h"
#include "targets/cpu/vector/row_reduction.h"
#include "targets/cpu/vector/wide_bytes.h"

#include <algorithm>

namespace xt {

void FusedLoop::addNodes(const std::vector<Value *> &values, const Value *root, const Value *filled) {
  for (Value *value : values) {
    bool known = false;
    for (const LoopNode &node : nodes_) known |= node.value == value;
    if (!known) nodes_.push_back({value, value == root || value == filled || e_.context.fusion.isInline(value)});
  }
}

void FusedLoop::addFilled(Value *filled) {
  if (filled) sinks_.push_back({filled, e_.context.buffers.bufferOf(filled), nullptr});
}

void FusedLoop::toBuffer(Value *value, const Buffer &buffer) {
  addNodes(e_.context.fusion.nodes(value), nullptr);
  sinks_.push_back({value, &buffer, nullptr});
}

void FusedLoop::computeToBuffer(const Op &op, const Buffer &buffer) {
  Value *filled = e_.context.fusion.filledBy(op);
  addNodes(e_.context.fusion.nodesOf(op), op.result(), filled);
  sinks_.push_back({op.result(), &buffer, nullptr});
  addFilled(filled);
}

void FusedLoop::nestToBuffer(Value *value, const Buffer &buffer) {
  addNodes({value}, value);
  sinks_.push_back({value, &buffer, nullptr});
}

void FusedLoop::toTile(Value *value, const Value *tile, bool mayStream) {
  addNodes(e_.context.fusion.nodes(value), nullptr);
  sinks_.push_back({.value = value, .buffer = nullptr, .tile = tile, .mayStream = mayStream});
}

void FusedLoop::reduce(const Op &reduction, OpKind kind) {
  Value *value = reduction.operand(0), *filled = e_.context.fusion.filledBy(reduction);
  addNodes(e_.context.fusion.nodes(value, filled), nullptr, filled);
  const Buffer &result = *e_.context.buffers.bufferOf(reduction.result());
  LoopSink sink{.value = value, .buffer = &result, .tile = nullptr};
  if (ReductionOp(reduction).dim() == 0) {
    sink.reduces = kind;
    sink.rowsEach = value->type().extent(0) / reduction.result()->type().extent(0);
  } else
    acrossColumns_ = kind;
  sinks_.push_back(sink);
  addFilled(filled);
}

namespace {

// Whether the op is an iota whose lanes differ: not one that numbers rows, unless the rows of a column are lanes.
bool numbersLanes(const Op &op) {
  if (op.kind() != OpKind::Iota) return false;
  const Type type = op.result()->type();
  const int last = type.rank() - 1;
  return static_cast<int>(dimensionOf(op)) == last || type.extent(last) == 1;
}

} // namespace

// Registers have the lanes of the widest type that the loop computes with.
int FusedLoop::lanesOfAll() const {
  int bytes = 1;
  for (const LoopNode &node : nodes_) {
    const Op *op = node.value->definingOp();
    bool arithmetic = node.computed && op->info().elementwise;
    bool iota = node.computed && numbersLanes(*op), mask = node.computed && op->kind() == OpKind::CreateMask;
    int own = arithmetic ? RegisterOps::laneBytes(*op) : elemInfo(bufferElem(node.value->type())).storageBytes;
    bytes = std::max({bytes, own, iota ? 8 : mask ? 4 : 1}); // the bytes of lane numbers
  }
  for (const LoopSink &sink : sinks_)
    if (sink.reduces || acrossColumns_) bytes = std::max(bytes, RegisterOps::workBytes(sink.buffer->shape.elem));
  for (const LoopSink &sink : sinks_) {
    if (!sink.buffer) continue;
    Elem from = bufferElem(sink.value->type()), to = sink.buffer->shape.elem;
    bytes = std::max(bytes, from == to ? 1 : elemInfo(to).storageBytes); // conversions compute in the wider type
  }
  return e_.context.cpu.lanes(bytes);
}

void FusedLoop::prepare() {
  registers_.setLanes(lanesOfAll());
  for (LoopNode &node : nodes_) prepareNode(node);
  for (LoopSink &sink : sinks_)
    if (sink.tile) {
      sink.access = e_.tiles.accessTile(sink.tile, nullptr);
      if (sink.mayStream) sink.access.streams = e_.tiles.isStreamed(sink.tile, sink.access);
    }
}

void FusedLoop::prepareNode(LoopNode &node) {
  if (!node.computed) {
    node.ahead = e_.loads.takeAhead(node.value);
    return;
  }
  const Op *op = node.value->definingOp();
  if (op->kind() == OpKind::Broadcast && isUniform(op->operand(0))) op = op->operand(0)->definingOp();
  if (op->kind() == OpKind::Constant)
    node.invariant = e_.context.ops.constant(bufferElem(node.value->type()), ConstantOp(*op).value(), registers_.lanes());
  if (op->kind() == OpKind::Splat) node.invariant = e_.context.ops.splat(e_.context.scalar(op->operand(0)), registers_.lanes());
  if (op->kind() == OpKind::CreateMask) generated_.setLimit(node);
  if (op->kind() == OpKind::LoadTile) {
    node.tile = e_.tiles.accessTile(op->operand(0), LoadTileOp(*op).padding());
    node.tile.ahead = e_.loads.aheadNowOrLater(*op, node.tile);
  }
}

void FusedLoop::emit() {
  if (sinks_.empty()) return;
  prepare();
  BufferShape shape = bufferShape(sinks_[0].value->type(), bufferElem(sinks_[0].value->type()));
  if (acrossColumns_) return reduceRows(shape.rows, shape.columns);
  if (sinks_[0].buffer && sinks_[0].buffer->shape.isDenseColumn()) std::swap(shape.rows, shape.columns);
  for (const LoopSink &sink : sinks_)
    if (sink.reduces) fillWithIdentity(sink);
  forLoop(b, e_.context.number(0), rowsToCompute(shape.rows), e_.context.number(1), [&](LlvmValue *row) {
    enterRow(row);
    forLoop(b, e_.context.number(0), e_.context.argument(shape.columns), e_.context.number(registers_.lanes()),
            [&](LlvmValue *column) { emitChunk(column); });
  });
}

LlvmValue *FusedLoop::rowsToCompute(int64_t rows) {
  const LoopSink &sink = sinks_[0];
  const bool each = sinks_.size() == 1 && sink.buffer && !sink.reduces && !sink.buffer->shape.isDenseColumn();
  LlvmValue *needed = each ? e_.tiles.neededRows(sink.value) : nullptr;
  return needed ? needed : e_.context.argument(rows);
}

void FusedLoop::emitPart(const Part &part) {
  sums_ = part.sums, sumsPitch_ = part.pitch;
  forLoop(b, part.rowBegin, part.rowEnd, e_.context.number(1), [&](LlvmValue *row) {
    enterRow(row);
    forLoop(b, part.columnBegin, part.columnEnd, e_.context.number(registers_.lanes()),
            [&](LlvmValue *column) { emitChunk(column); });
  });
}

std::pair<LlvmValue *, LlvmValue *> FusedLoop::extents() {
  const LoopSink &sink = sinks_[0];
  if (sink.tile) return {sink.access.rowHigh, sink.access.columnHigh};
  return {e_.context.argument(sink.buffer->shape.rows), e_.context.argument(sink.buffer->shape.columns)};
}

void FusedLoop::reduceRows(int64_t rows, int64_t columns) {
  auto chunkAt = [&](LlvmValue *column) {
    evaluateAll(column);
    for (size_t s = 1; s < sinks_.size(); ++s) put(sinks_[s], chunk_.at(sinks_[s].value), column);
    return chunk_.at(sinks_[0].value);
  };
  auto enter = [&](LlvmValue *row) { enterRow(row); };
  RowReduction(e_, registers_, generated_, *acrossColumns_, sinks_[0], {enter, chunkAt}).emit(rows, columns);
}

void FusedLoop::fillWithIdentity(const LoopSink &sink) {
  Elem elem = sink.buffer->shape.elem;
  const int lanes = registers_.lanes();
  LlvmValue *identity =
      e_.context.ops.toStorage(elem, e_.context.ops.constant(elem, combiningIdentity(*sink.reduces, elem), lanes));
  forLoop(b, e_.context.number(0), e_.context.argument(sink.buffer->shape.rows), e_.context.number(1), [&](LlvmValue *row) {
    LlvmValue *start = registers_.rowOf(*sink.buffer, row);
    forLoop(b, e_.context.number(0), e_.context.argument(sink.buffer->shape.columns), e_.context.number(lanes),
            [&](LlvmValue *column) {
              LlvmValue *address = byteOffset(b, start, b.CreateMul(column, e_.context.number(elemInfo(elem).storageBytes)));
              b.CreateAlignedStore(identity, address, registers_.alignOf(elem));
            });
  });
}

void FusedLoop::enterRow(LlvmValue *row) {
  for (LoopNode &node : nodes_) {
    if (node.ahead) node.row = e_.tiles.accessRow(*node.ahead, row);
    if (!node.computed)
      node.rowPointer = registers_.rowOf(node.value, row);
    else if (node.value->definingOp()->kind() == OpKind::Nest)
      node.rowPointer = byteOffset(b, sums_, b.CreateMul(row, sumsPitch_));
    else if (node.value->definingOp()->kind() == OpKind::LoadTile)
      node.row = e_.tiles.accessRow(node.tile, row);
    else if (!node.invariant)
      generated_.enterRow(node, row);
  }
  for (LoopSink &sink : sinks_) {
    if (sink.buffer)
      sink.rowPointer =
          registers_.rowOf(*sink.buffer, sink.rowsEach == 1 ? row : b.CreateUDiv(row, e_.context.number(sink.rowsEach)));
    else
      sink.row = e_.tiles.accessRow(sink.access, row);
  }
}

void FusedLoop::emitChunk(LlvmValue *column) {
  evaluateAll(column);
  for (const LoopSink &sink : sinks_) put(sink, chunk_.at(sink.value), column);
}

void FusedLoop::evaluateAll(LlvmValue *column) {
  chunk_.clear();
  for (const LoopNode &node : nodes_) chunk_[node.value] = evaluate(node, column);
}

LlvmValue *FusedLoop::evaluate(const LoopNode &node, LlvmValue *column) {
  Elem elem = bufferElem(node.value->type());
  if (node.invariant) return node.invariant;
  if (node.ahead) e_.loads.prefetchAhead(*node.ahead, node.row, column);
  if (!node.computed || node.value->definingOp()->kind() == OpKind::Nest) {
    LlvmValue *address = byteOffset(b, node.rowPointer, b.CreateMul(column, e_.context.number(elemInfo(elem).storageBytes)));
    return e_.context.ops.fromStorage(elem, b.CreateAlignedLoad(e_.context.ops.storageType(elem, registers_.lanes()), address,
                                                                registers_.alignOf(node.value)));
  }
  const Op &op = *node.value->definingOp();
  if (op.kind() == OpKind::LoadTile)
    return e_.context.ops.fromStorage(elem, e_.tiles.loadChunk(node.tile, node.row, column, registers_.lanes()));
  if (op.kind() == OpKind::ConvertLayout || op.kind() == OpKind::Reshape) return operand(op, 0);
  if (op.kind() == OpKind::Broadcast) return generated_.broadcast(node, column);
  if (op.kind() == OpKind::Iota) return generated_.iota(node, column);
  if (op.kind() == OpKind::CreateMask) return generated_.mask(node, column);
  LlvmValues operands;
  for (size_t i = 0; i < op.operandCount(); ++i) operands.push_back(operand(op, i));
  LlvmValue *wide = computeInWideLanes(b, op, operands, e_.context.cpu.vectorBytes);
  return wide ? wide : e_.context.ops.elementwise(op, operands);
}

LlvmValue *FusedLoop::operand(const Op &op, size_t i) {
  const Value *value = op.operand(i);
  // A scalar condition of a select applies to the whole vector.
  return value->type().isVector() ? chunk_.at(value) : e_.context.scalar(value);
}

void FusedLoop::put(const LoopSink &sink, LlvmValue *value, LlvmValue *column) {
  Elem from = bufferElem(sink.value->type());
  if (!sink.buffer) {
    e_.tiles.storeChunk(sink.access, sink.row, column, e_.context.ops.toStorage(from, value), registers_.lanes());
    return;
  }
  Elem to = sink.buffer->shape.elem;
  if (from != to) value = e_.context.ops.mmaOperand(value, from);
  LlvmValue *address = byteOffset(b, sink.rowPointer, b.CreateMul(column, e_.context.number(elemInfo(to).storageBytes)));
  if (sink.reduces) {
    LlvmValue *sum = b.CreateAlignedLoad(e_.context.ops.storageType(to, registers_.lanes()), address, registers_.alignOf(to));
    value = e_.context.ops.combine(*sink.reduces, to, e_.context.ops.fromStorage(to, sum), value);
  }
  b.CreateAlignedStore(e_.context.ops.toStorage(to, value), address, registers_.alignOf(to));
}

} // namespace xt
