#include "ir/interp/memref_executor.h"

#include "ir/base/text.h"

namespace xt {

void MemRefExecutor::allocSlm(const Step &step) { values_.setResult(step, worker_.environment().slm->at(*step.op)); }

void MemRefExecutor::cast(const Step &step) {
  const Op &op = *step.op;
  values_.setResult(step, castMemRef(values_.get<MemRefValue>(step, 0), op.operand(0)->type(), op.result()->type()));
}

Result<void> MemRefExecutor::dim(const Step &step) {
  const auto &memref = values_.get<MemRefValue>(step, 0);
  int64_t dimension = values_.index(step, 1);
  if (dimension < 0 || static_cast<size_t>(dimension) >= memref.rank)
    return Error::kernel(str("`dim` of dimension ", dimension, ", but the memref has ", memref.rank, " dimensions"),
                         step.op->range());
  values_.setResult(step, integerNumber(memref.sizes[static_cast<size_t>(dimension)]));
  return {};
}

void MemRefExecutor::load(const Step &step) {
  const auto &memref = values_.get<MemRefValue>(step, 0);
  const unsigned char *p = access(step, memref, values_.indices(step, 1), MemoryMonitor::Kind::Read);
  values_.setResult(step,
                    p ? worker_.arithmetic().load(memref.elem, p) : worker_.arithmetic().constant(memref.elem, int64_t{0}));
}

// At workgroup scope the value is the same in all subgroups, so one of them writes it.
void MemRefExecutor::store(const Step &step) {
  if (worker_.environment().workgroupScope && worker_.id() != 0) return;
  const auto &memref = values_.get<MemRefValue>(step, 1);
  unsigned char *p = access(step, memref, values_.indices(step, 2), MemoryMonitor::Kind::Write);
  if (!p) return;
  if (worker_.tracing())
    worker_.environment().observer->storesElement(p, worker_.subgroup());
  else
    worker_.arithmetic().store(memref.elem, p, values_.number(step, 0));
}

unsigned char *MemRefExecutor::access(const Step &step, const MemRefValue &memref, const std::vector<int64_t> &index,
                                      MemoryMonitor::Kind kind) const {
  unsigned char *p = elementOf(memref, index);
  if (!worker_.environment().monitor) return p;
  auto bytes = static_cast<size_t>(elemInfo(memref.elem).storageBytes);
  if (p)
    worker_.environment().monitor->access(worker_.site(step), kind, p, bytes);
  else
    worker_.environment().monitor->outside(worker_.site(step), kind, memref.memory, index);
  return p;
}

} // namespace xt
