#include "targets/soft/gatherings.h"

#include <algorithm>

namespace xt::soft {

bool Gathering::arrive(size_t item, const Collective &operation, int32_t place) {
  if (!arrived) collective = &operation, site = place, firstArrived = item;
  ++arrived;
  return collective == &operation && site == place && !finished;
}

void Gatherings::reset() {
  for (size_t s = 0; s < subgroups_.size(); ++s) {
    size_t first = s * lanes_;
    subgroups_[s] = {first, std::min(lanes_, items_ - first)};
  }
  whole_ = {0, items_};
}

bool Gatherings::finish(size_t item) {
  Gathering &subgroup = ofSubgroup(item);
  ++subgroup.finished;
  ++whole_.finished;
  return subgroup.arrived || whole_.arrived;
}

} // namespace xt::soft
