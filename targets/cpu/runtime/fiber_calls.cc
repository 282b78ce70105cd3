// What compiled kernels call where their subgroups or lanes wait for each other.
#include "targets/cpu/runtime/fibers.h"
#include "targets/cpu/runtime/host_runtime.h"

void xt_barrier(void *fibers, int64_t place) { static_cast<xt::FiberGroup *>(fibers)->wait(place); }

void xt_nbarrier_alloc(void *fibers, int64_t count) { static_cast<xt::FiberGroup *>(fibers)->named.allocated = count; }

int64_t xt_nbarrier_count(void *fibers) { return static_cast<xt::FiberGroup *>(fibers)->named.allocated; }

void xt_nbarrier_arrive(void *fibers, int64_t id, int64_t role, int64_t producers, int64_t consumers) {
  auto *group = static_cast<xt::FiberGroup *>(fibers);
  if (group->lane() != 0) return; // a subgroup arrives once
  group->named.arrive({static_cast<size_t>(id), role, producers, consumers}, group->subgroup());
}

void xt_nbarrier_wait(void *fibers, int64_t id, int64_t place) {
  auto *group = static_cast<xt::FiberGroup *>(fibers);
  size_t subgroup = group->subgroup();
  group->waitFor([group, id, subgroup] { return group->named.complete({static_cast<size_t>(id)}, subgroup); }, place);
}

void xt_lane_meet(void *fibers, int64_t place) { static_cast<xt::FiberGroup *>(fibers)->meet(place); }

void xt_lane_exchange(void *fibers, int64_t place, const void *own, int64_t bytes) {
  static_cast<xt::FiberGroup *>(fibers)->exchange(own, static_cast<size_t>(bytes), place);
}

const void *xt_lane_given(void *fibers, int64_t lane) {
  return static_cast<xt::FiberGroup *>(fibers)->given(static_cast<size_t>(lane));
}
