#include "targets/xe/soft/group_functions.h"
#include "targets/xe/soft/workgroup.h"

#include "ir/base/text.h"

namespace xt::soft {
namespace {

void nothing(Meeting &) {}

// As a pointer-sized handle: that is how the type comes back from SPIR-V.
void makeNamedBarrier(Meeting &meeting) {
  if (!meeting.uniform(0, 4, "the number of subgroups")) return;
  Workgroup &group = meeting.group();
  auto expected = meeting.argument<uint32_t>(0, 0);
  if (expected < 1 || expected > group.subgroupCount())
    return meeting.fail(str("a named barrier of ", expected, " subgroups; the workgroup has ", group.subgroupCount()));
  size_t handle = group.namedBarriers().make(group.subgroupOf(meeting.first()), expected);
  if (!handle) return meeting.fail(str("subgroups disagree on how many come to a named barrier; here it is ", expected));
  for (size_t i = 0; i < meeting.count(); ++i) meeting.setResult<uint64_t>(i, handle);
}

void comeToNamedBarrier(Meeting &meeting) {
  if (!meeting.uniform(0, 8, "the named barrier")) return;
  Workgroup &group = meeting.group();
  NamedBarrier *barrier = group.namedBarriers().find(meeting.argument<uint64_t>(0, 0));
  if (!barrier) return meeting.fail("this is no named barrier of the workgroup");
  barrier->waiting.push_back(group.subgroupOf(meeting.first()));
  if (barrier->waiting.size() < barrier->expected) return meeting.stay();
  size_t lanes = group.launch().subgroupSize;
  for (size_t subgroup : barrier->waiting) group.release(subgroup * lanes, lanes);
  barrier->waiting.clear();
}

} // namespace

std::optional<Collective> barrierFunction(const BuiltinName &name) {
  const std::string &n = name.name;
  if (n == "__spirv_ControlBarrier") return Collective{"barrier", 0, nothing};
  if (n == "barrier" || n == "work_group_barrier") return Collective{n, kOfWorkgroup, nothing};
  if (n == "sub_group_barrier") return Collective{n, kOfSubgroup, nothing};
  if (n == "__spirv_NamedBarrierInitialize" || n == "named_barrier_init") return Collective{"named_barrier_init", kOfSubgroup, makeNamedBarrier};
  if (n == "__spirv_MemoryNamedBarrier" || n == "work_group_named_barrier")
    return Collective{"work_group_named_barrier", kOfSubgroup, comeToNamedBarrier};
  return std::nullopt;
}

} // namespace xt::soft
