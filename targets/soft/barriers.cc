#include "targets/soft/group_functions.h"
#include "targets/soft/workgroup.h"

#include "ir/base/text.h"

namespace xt::soft {
namespace {

void meet(Meeting &meeting) { meeting.group().metAtBarrier(meeting.first(), meeting.count()); }

void makeNamedBarrier(Meeting &meeting, size_t bytes) {
  if (!meeting.uniform(0, 4, "the number of subgroups")) return;
  Workgroup &group = meeting.group();
  auto expected = meeting.argument<uint32_t>(0, 0);
  if (expected < 1 || expected > group.launch().subgroups())
    return meeting.fail(
        str("a named barrier for ", expected, " subgroups, but the workgroup has ", group.launch().subgroups()));
  size_t handle = group.namedBarriers().make(group.launch().subgroupOf(meeting.first()), expected);
  if (!handle)
    return meeting.fail(str("subgroups state different numbers of participants of a named barrier; here it is ", expected));
  for (size_t i = 0; i < meeting.count(); ++i) std::memcpy(meeting.result(i), &handle, bytes);
}

void comeToNamedBarrier(Meeting &meeting) {
  if (!meeting.uniform(0, 4, "the named barrier")) return;
  Workgroup &group = meeting.group();
  NamedBarrier *barrier = group.namedBarriers().find(meeting.argument<uint32_t>(0, 0));
  if (!barrier) return meeting.fail("this is not a named barrier of the workgroup");
  barrier->waiting.push_back(group.launch().subgroupOf(meeting.first()));
  if (barrier->waiting.size() < barrier->expected) return meeting.stay();
  size_t lanes = group.launch().subgroupSize;
  for (size_t subgroup : barrier->waiting) group.release(subgroup * lanes, lanes);
  barrier->waiting.clear();
}

} // namespace

std::optional<Collective> barrierFunction(const BuiltinName &name, const ValueType &value) {
  const std::string &n = name.name;
  if (n == "__spirv_ControlBarrier") return Collective{"barrier", 0, meet};
  if (n == "barrier" || n == "work_group_barrier") return Collective{n, kOfWorkgroup, meet};
  if (n == "sub_group_barrier") return Collective{n, kOfSubgroup, meet};
  if (n == "named_barrier_init" && (value.bytes() == 4 || value.bytes() == 8))
    return Collective{n, kOfSubgroup, [bytes = value.bytes()](Meeting &meeting) { makeNamedBarrier(meeting, bytes); }};
  if (n == "work_group_named_barrier") return Collective{n, kOfSubgroup, comeToNamedBarrier};
  return std::nullopt;
}

} // namespace xt::soft
