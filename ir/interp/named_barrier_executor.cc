#include "ir/interp/named_barrier_executor.h"

#include "ir/base/text.h"
#include "ir/views/xegpu.h"

namespace xt {

Result<void> NamedBarrierExecutor::alloc(const Step &step) {
  int64_t count = values_.number(step, 0).i;
  if (count < 0 || count > NamedBarriers::kMost)
    return Error::kernel(str("a workgroup can have 0 to ", NamedBarriers::kMost, " named barriers, not ", count),
                         step.op->range());
  worker_.environment().barriers->allocated = count;
  return {};
}

Result<void> NamedBarrierExecutor::create(const Step &step) {
  int64_t id = values_.number(step, 0).i, role = values_.number(step, 1).i;
  if (id < 0 || id >= worker_.environment().barriers->allocated)
    return Error::kernel(str("named barrier ", id, " does not exist: `alloc_nbarrier` allocated ",
                             worker_.environment().barriers->allocated, " (", worker_.whereabouts(), ")"),
                         step.op->range());
  if (role < 0 || role > 2)
    return Error::kernel(
        str("the role at a named barrier must be 0 (producer and consumer), 1 (producer) or 2 (consumer), not ", role),
        step.op->range());
  CreateNbarrierOp part(*step.op);
  values_.setResult(step, NamedBarrierPart{static_cast<size_t>(id), role, part.numProducers(), part.numConsumers()});
  return {};
}

void NamedBarrierExecutor::arrive(const Step &step) {
  if (worker_.tracing()) return;
  const auto &part = values_.get<NamedBarrierPart>(step, 0);
  worker_.environment().barriers->arrive(part, worker_.id());
  if (!worker_.environment().monitor) return;
  uint64_t round = worker_.environment().barriers->roundOf(part, worker_.id());
  worker_.environment().monitor->takesPart(*step.op, worker_.id(), part, round);
  worker_.environment().monitor->arrived(worker_.id(), part.id, round);
}

bool NamedBarrierExecutor::passes(const Step &wait) const {
  const auto &part = values_.get<NamedBarrierPart>(wait, 0);
  if (!worker_.environment().barriers->complete(part, worker_.subgroup())) return false;
  if (!worker_.environment().monitor) return true;
  uint64_t round = worker_.environment().barriers->roundOf(part, worker_.subgroup());
  worker_.environment().monitor->passed(worker_.id(), part.id, round);
  if (worker_.environment().lanes())
    worker_.environment().monitor->passed(subgroupWorker(worker_.environment().kernel, worker_.subgroup()), part.id, round);
  return true;
}

} // namespace xt
