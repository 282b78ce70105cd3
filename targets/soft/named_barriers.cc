#include "targets/soft/named_barriers.h"

namespace xt::soft {

size_t NamedBarrierTable::make(size_t subgroup, size_t expected) {
  if (madeBy_.size() <= subgroup) madeBy_.resize(subgroup + 1);
  size_t number = madeBy_[subgroup]++;
  if (number == barriers_.size()) barriers_.push_back({expected, {}});
  return barriers_[number].expected == expected ? number + 1 : 0;
}

} // namespace xt::soft
