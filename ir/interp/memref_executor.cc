#include "ir/interp/memref_executor.h"

#include "ir/base/text.h"
#include "ir/op_kinds.h"

#include <algorithm>

namespace xt {

void MemRefExecutor::allocSlm(const Step &step) { values_.setResult(step, worker_.environment().slm->at(*step.op)); }

void MemRefExecutor::cast(const Step &step) {
  const Op &op = *step.op;
  values_.setResult(step, castMemRef(values_.get<MemRefValue>(step, 0), op.operand(0)->type(), op.result()->type()));
}

Result<void> MemRefExecutor::view(const Step &step) {
  MemRefValue memref = values_.get<MemRefValue>(step, 0);
  std::vector<int64_t> numbers = values_.indices(step, 1); // offset, sizes, strides
  memref.rank = (numbers.size() - 1) / 2;
  // The addresses of the first and the last element, in bytes from the source's first element.
  __int128 bytes = elemInfo(memref.elem).storageBytes, low = numbers[0] * bytes, high = low;
  bool empty = false;
  for (size_t d = 0; d < memref.rank; ++d) {
    memref.sizes[d] = std::max<int64_t>(numbers[1 + d], 0);
    memref.strides[d] = numbers[1 + memref.rank + d];
    empty |= memref.sizes[d] == 0;
    __int128 reach = static_cast<__int128>(memref.sizes[d] - 1) * memref.strides[d] * bytes;
    (reach < 0 ? low : high) += reach;
  }
  __int128 begin = memref.memory.low - memref.data, end = memref.memory.high - memref.data;
  if (!empty && (low < begin || high + bytes > end))
    return Error::kernel(str("this view reaches out of the memref's memory (", worker_.whereabouts(), ")"), step.op->range());
  if (!empty) memref.data += numbers[0] * elemInfo(memref.elem).storageBytes;
  values_.setResult(step, memref);
  return {};
}

Result<void> MemRefExecutor::dim(const Step &step) {
  const auto &memref = values_.get<MemRefValue>(step, 0);
  int64_t dimension = values_.index(step, 1);
  if (dimension < 0 || static_cast<size_t>(dimension) >= memref.rank)
    return Error::kernel(
        str("`", step.op->info().name, "` of dimension ", dimension, ", but the memref has ", memref.rank, " dimensions"),
        step.op->range());
  const auto &numbers = step.op->kind() == OpKind::Stride ? memref.strides : memref.sizes;
  values_.setResult(step, integerNumber(numbers[static_cast<size_t>(dimension)]));
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
