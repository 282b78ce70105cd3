#include "targets/cpu/vector/scan_emitter.h"

#include "ir/combine.h"
#include "ir/views/tile.h"
#include "targets/cpu/vector/fused_loop.h"

#include <numeric>

namespace xt {

ScanEmitter::ScanEmitter(KernelEmitter &emitter, KernelContext &context, const Op &op)
    : k_(emitter), c_(context), b(context.b), op_(op), kind_(*combiningOp(op)), elem_(op.result()->type().elem()),
      exclusive_(ScanOp(op).exclusive()), reverse_(ScanOp(op).reverse()),
      lanes_(std::max(1, c_.cpu.vectorBytes / elemInfo(elem_).storageBytes)) {}

LlvmValue *ScanEmitter::load(LlvmValue *row, LlvmValue *column, int lanes) {
  LlvmValue *address = k_.picker.elementAddress(*from_, row, column);
  return c_.ops.fromStorage(elem_, b.CreateAlignedLoad(c_.ops.storageType(elem_, lanes), address, llvm::Align(1)));
}

void ScanEmitter::store(LlvmValue *row, LlvmValue *column, LlvmValue *value) {
  b.CreateAlignedStore(c_.ops.toStorage(elem_, value), k_.picker.elementAddress(*to_, row, column), llvm::Align(1));
}

// Moves each lane `by` lanes on in the order of the scan; the first lanes are those of `filler`.
LlvmValue *ScanEmitter::shifted(LlvmValue *chunk, int by, LlvmValue *filler) {
  llvm::SmallVector<int, 64> order(static_cast<size_t>(lanes_));
  for (int lane = 0; lane < lanes_; ++lane) {
    int source = reverse_ ? lane + by : lane - by;
    order[static_cast<size_t>(lane)] = source >= 0 && source < lanes_ ? source : lanes_ + lane;
  }
  return b.CreateShuffleVector(chunk, filler, order);
}

// Calls `body` with first, first + step, … below `end`, or from the last of these to the first. It maps what is carried to what
// is carried to the next call.
void ScanEmitter::inOrder(int64_t first, int64_t end, int64_t step, LlvmValue *&carried,
                          llvm::function_ref<LlvmValue *(LlvmValue *, LlvmValue *)> body) {
  if (first >= end) return;
  int64_t last = first + (end - first - 1) / step * step;
  carried = forLoop(b, c_.number(first), c_.number(end), c_.number(step), {carried},
                    [&](LlvmValue *at, llvm::ArrayRef<LlvmValue *> values) -> LlvmValues {
                      return {body(reverse_ ? b.CreateSub(c_.number(first + last), at) : at, values[0])};
                    })[0];
}

// Scans a register within a row. `before`: all elements before it, combined.
LlvmValue *ScanEmitter::scanChunk(LlvmValue *row, LlvmValue *column, LlvmValue *before) {
  LlvmValue *identity = c_.ops.constant(elem_, combiningIdentity(kind_, elem_), lanes_);
  LlvmValue *own = load(row, column, lanes_);
  for (int by = 1; by < lanes_; by *= 2) own = combine(own, shifted(own, by, identity));
  LlvmValue *all = combine(own, b.CreateVectorSplat(static_cast<unsigned>(lanes_), before));
  store(row, column, exclusive_ ? shifted(all, 1, b.CreateVectorSplat(static_cast<unsigned>(lanes_), before)) : all);
  return b.CreateExtractElement(all, static_cast<uint64_t>(reverse_ ? 0 : lanes_ - 1));
}

// Scans one element, or one register of adjacent columns.
LlvmValue *ScanEmitter::scanElement(LlvmValue *row, LlvmValue *column, LlvmValue *before, int lanes) {
  LlvmValue *own = combine(before, load(row, column, lanes));
  store(row, column, exclusive_ ? before : own);
  return own;
}

void ScanEmitter::scanRow(LlvmValue *row) {
  int64_t columns = to_->shape.columns, full = lanes_ > 1 ? columns / lanes_ * lanes_ : 0;
  LlvmValue *carried = c_.ops.constant(elem_, combiningIdentity(kind_, elem_), 0);
  auto rest = [&] {
    inOrder(full, columns, 1, carried,
            [&](LlvmValue *column, LlvmValue *before) { return scanElement(row, column, before, 0); });
  };
  if (reverse_) rest();
  inOrder(0, full, lanes_, carried, [&](LlvmValue *column, LlvmValue *before) { return scanChunk(row, column, before); });
  if (!reverse_) rest();
}

// Scans adjacent columns, as many as a register has lanes (0: one column), from row to row.
void ScanEmitter::scanColumns(LlvmValue *column, int lanes) {
  LlvmValue *carried = c_.ops.constant(elem_, combiningIdentity(kind_, elem_), lanes);
  inOrder(0, to_->shape.rows, 1, carried,
          [&](LlvmValue *row, LlvmValue *before) { return scanElement(row, column, before, lanes); });
}

void ScanEmitter::emit() {
  from_ = &k_.picker.pickable(op_, 0);
  to_ = c_.buffers.bufferOf(op_.result());
  if (dimensionOf(op_) == 1) {
    forLoop(b, c_.number(0), c_.number(to_->shape.rows), c_.number(1), [&](LlvmValue *row) { scanRow(row); });
    return;
  }
  int64_t columns = to_->shape.columns, full = lanes_ > 1 ? columns / lanes_ * lanes_ : 0;
  if (full > 0)
    forLoop(b, c_.number(0), c_.number(full), c_.number(lanes_), [&](LlvmValue *column) { scanColumns(column, lanes_); });
  if (full < columns)
    forLoop(b, c_.number(full), c_.number(columns), c_.number(1), [&](LlvmValue *column) { scanColumns(column, 0); });
}

} // namespace xt
