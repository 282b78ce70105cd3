#include "ir/cost.h"

#include <algorithm>

namespace xt {
namespace {

std::optional<int64_t> constantOf(const Value *value) {
  const Op *op = value->definingOp();
  const Attr *attr = op && op->kind() == OpKind::Constant ? op->attr("value") : nullptr;
  const auto *integer = attr ? std::get_if<int64_t>(&attr->value) : nullptr;
  return integer ? std::optional(*integer) : std::nullopt;
}

class Counter {
public:
  KernelCost cost;

  void count(const Block &block, double times) {
    for (const Op &op : block) {
      if (op.regionCount() == 0) {
        countOp(op, times);
        continue;
      }
      // Of a branch the dearer side is not known: both count half.
      double inner = times * (op.kind() == OpKind::If ? 0.5 : steps(op));
      for (size_t r = 0; r < op.regionCount(); ++r) count(*op.region(r), inner);
    }
  }

private:
  double steps(const Op &loop) {
    if (loop.kind() == OpKind::For) {
      auto lower = constantOf(loop.operand(0)), upper = constantOf(loop.operand(1)), step = constantOf(loop.operand(2));
      if (lower && upper && step && *step > 0)
        return std::max(0.0, (static_cast<double>(*upper) - static_cast<double>(*lower) + static_cast<double>(*step) - 1) / static_cast<double>(*step));
    }
    cost.perStep = true;
    return 1;
  }

  void countOp(const Op &op, double times) {
    if (op.kind() == OpKind::AllocSlm) cost.slmBytes += op.result()->type().byteCount();
    Type vector;
    for (const Value *operand : op.operands())
      if (!vector && operand->type().isVector()) vector = operand->type();
    bool result = op.resultCount() == 1 && op.result()->type().isVector();
    if (op.kind() == OpKind::TileMma)
      cost.operations += times * 2 * static_cast<double>(op.result()->type().elementCount()) * static_cast<double>(op.operand(0)->type().extent(1));
    else if (op.info().elementwise && result) cost.operations += times * static_cast<double>(op.result()->type().elementCount());
    else if (op.kind() == OpKind::Reduction || op.kind() == OpKind::AtomicRmw) cost.operations += times * static_cast<double>(vector.elementCount());
    for (const Value *operand : op.operands()) {
      if (!operand->type().isTile() || operand->type().data().space != MemorySpace::Global || op.kind() == OpKind::PrefetchTile) continue;
      double bytes = times * static_cast<double>(operand->type().byteCount());
      if (has(op.info().effects, Effect::Reads)) cost.bytesRead += bytes;
      if (has(op.info().effects, Effect::Writes)) cost.bytesWritten += bytes;
    }
  }
};

} // namespace

KernelCost kernelCost(const Kernel &kernel) {
  Counter counter;
  counter.count(kernel.body, kernel.scope == Scope::Workgroup ? 1.0 : static_cast<double>(kernel.subgroups));
  return counter.cost;
}

} // namespace xt
