#include "ir/gpu/subgroup_size.h"

#include <algorithm>

namespace xt {

int64_t subgroupSizeFor(const TargetInfo &target, int64_t subgroups) {
  if (!target.mma.empty()) return target.subgroupSizes[0];
  for (int64_t size : target.subgroupSizes)
    if (subgroups <= target.lanesPerWorkgroup / size) return size;
  return *std::min_element(target.subgroupSizes.begin(), target.subgroupSizes.end());
}

} // namespace xt
