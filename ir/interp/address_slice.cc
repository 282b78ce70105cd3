#include "ir/interp/address_slice.h"

#include "ir/atomic_update.h"
#include "ir/interp/launch_state.h"
#include "ir/op_kinds.h"

namespace xt {

AddressSlice::AddressSlice(const Kernel &kernel, const std::vector<LaunchArg> &args)
    : args_(args), origins_(kernel), effects_(kernelEffects(kernel)) {
  walk(kernel.body, [&](const Op &op) {
    if (xt::has(op.info().effects, Effect::Writes)) addWrite(op);
  });
  // Adds all values that the slice needs, transitively.
  while (!open_.empty()) {
    const Value *value = open_.back();
    open_.pop_back();
    if (const Op *op = value->definingOp()) {
      if (AtomicUpdate::is(*op) || op->kind() == OpKind::AtomicTdesc)
        obstacle_ = "the addresses of its stores depend on the results of atomics";
      add(op);
      if (op->regionCount()) needCarried(*op, value->index());
    } else if (const Op *loop = value->definingBlock()->parentOp()) {
      add(loop);
      CarriedAt at = carriedAt(*loop);
      if (value->index() >= at.param) needCarried(*loop, value->index() - at.param);
    }
  }
}

// Adds an op that writes memory, unless it is shared local memory. The slice needs all operands of the op except the first,
// which is the value that is written.
void AddressSlice::addWrite(const Op &op) {
  for (const Value *operand : op.operands())
    if (operand->type().isWindow() || operand->type().isMemRef())
      if (operand->type().data().space == MemorySpace::Slm) return;
  ops_.insert(&op);
  for (size_t i = 1; i < op.operandCount(); ++i) need(op.operand(i));
  if (const Op *around = op.block()->parentOp()) add(around);
}

void AddressSlice::add(const Op *op) {
  for (; op && !ops_.contains(op); op = op->block()->parentOp()) {
    ops_.insert(op);
    if (op->regionCount() == 0) {
      for (const Value *operand : op->operands()) need(operand);
      checkRead(*op);
      continue;
    }
    CarriedAt at = carriedAt(*op);
    for (size_t i = 0; i < at.operand; ++i) need(op->operand(i));
    if (op->kind() == OpKind::While) need(op->region()->last()->operand(0));
  }
}

void AddressSlice::need(const Value *value) {
  if (values_.insert(value).second) open_.push_back(value);
}

void AddressSlice::needCarried(const Op &op, size_t i) {
  CarriedAt at = carriedAt(op);
  for (size_t r = 0; r < op.regionCount(); ++r) need(op.region(r)->last()->operand(i + at.yield));
  if (at.loops) need(op.operand(i + at.operand));
}

void AddressSlice::checkRead(const Op &op) {
  if (op.kind() == OpKind::TileMma || op.kind() == OpKind::Nest || op.kind() == OpKind::Dpas)
    obstacle_ = "the addresses of its stores depend on a matrix product";
  if (!xt::has(op.info().effects, Effect::Reads) || op.kind() == OpKind::PrefetchTile || op.kind() == OpKind::PrefetchNd ||
      op.kind() == OpKind::PrefetchTdesc)
    return;
  readsMemory_ = true;
  std::vector<bool> from = origins_.of(op.operand(0));
  bool known = false;
  for (size_t i = 0; i < from.size(); ++i) {
    if (!from[i]) continue;
    known = true;
    for (size_t w = 0; w < args_.size(); ++w)
      if (effects_.writes[w] && overlap(args_[i].buffer, args_[w].buffer))
        obstacle_ = "the addresses of its stores depend on memory that it writes";
  }
  if (!known) obstacle_ = "the addresses of its stores depend on shared local memory";
}

} // namespace xt
