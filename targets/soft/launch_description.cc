#include "targets/soft/launch_description.h"

#include <algorithm>

namespace xt::soft {

Dimensions Launch::groupAt(size_t linear) const {
  Dimensions group{};
  for (unsigned d = 0; d < 3; ++d) {
    group[d] = static_cast<uint32_t>(linear % groupCount[d]);
    linear /= groupCount[d];
  }
  return group;
}

WorkItemIds Launch::idsOf(const Dimensions &group, size_t item) const {
  WorkItemIds ids{};
  size_t rest = item;
  int64_t linear = 0, size = 1;
  for (size_t d = 0; d < 3; ++d) {
    ids.localId[d] = static_cast<int64_t>(rest % groupSize[d]);
    rest /= groupSize[d];
    ids.groupId[d] = group[d];
    ids.localSize[d] = groupSize[d];
    ids.groupCount[d] = groupCount[d];
    ids.globalOffset[d] = globalOffset[d];
    ids.globalSize[d] = ids.localSize[d] * ids.groupCount[d];
    ids.globalId[d] = ids.globalOffset[d] + ids.groupId[d] * ids.localSize[d] + ids.localId[d];
    linear += (ids.globalId[d] - ids.globalOffset[d]) * size;
    size *= ids.globalSize[d];
  }
  ids.localSize[3] = ids.groupCount[3] = ids.globalSize[3] = 1;
  ids.localLinear = static_cast<int64_t>(item);
  ids.globalLinear = linear;
  ids.subgroup = static_cast<int64_t>(subgroupOf(item));
  ids.lane = static_cast<int64_t>(item % subgroupSize);
  ids.subgroupMaxSize = static_cast<int64_t>(subgroupSize);
  ids.subgroupSize = static_cast<int64_t>(std::min(subgroupSize, items() - subgroupOf(item) * subgroupSize));
  ids.subgroupCount = static_cast<int64_t>(subgroups());
  ids.dimensions = 3;
  return ids;
}

const Site *Launch::siteOf(int32_t site) const {
  return site >= 0 && sites && static_cast<size_t>(site) < sites->size() ? &(*sites)[static_cast<size_t>(site)] : nullptr;
}

bool Launch::inProgram(uint64_t address) const {
  return programData && std::ranges::any_of(*programData, [&](const Allocation &each) { return each.contains(address, 1); });
}

} // namespace xt::soft
