#include "targets/soft/causality.h"

#include <algorithm>

namespace xt::soft {
namespace {

void join(Causality::Clock &into, const Causality::Clock &other) {
  if (into.empty()) into.resize(other.size());
  for (size_t i = 0; i < other.size(); ++i) into[i] = std::max(into[i], other[i]);
}

} // namespace

Causality::Causality(const Launch &launch) : launch_(launch), subgroupTimes_(launch.subgroups()) {}

void Causality::begin() {
  groupTime_ = ++now_;
  forgetClocks();
}

void Causality::forgetClocks() {
  hasClocks_ = false;
  places_.clear();
}

bool Causality::knows(size_t item, size_t other, uint32_t time) const {
  if (time < groupTime_ || other == item) return true;
  if (subgroupOf(other) == subgroupOf(item) && time < subgroupTimes_[subgroupOf(item)]) return true;
  return hasClocks_ && time < clocks_[item][other];
}

void Causality::needClocks() {
  if (hasClocks_) return;
  hasClocks_ = true;
  size_t items = launch_.items();
  clocks_.assign(items, Clock(items));
  seen_.assign(items, {});
  released_.assign(items, {});
  for (size_t item = 0; item < items; ++item)
    for (size_t other = 0; other < items; ++other)
      clocks_[item][other] =
          subgroupOf(other) == subgroupOf(item) ? std::max(groupTime_, subgroupTimes_[subgroupOf(item)]) : groupTime_;
}

void Causality::meet(size_t first, size_t count) {
  ++now_;
  if (count >= launch_.items()) { // all know of all that was before, so that no clock says more
    groupTime_ = now_;
    forgetClocks();
    return;
  }
  subgroupTimes_[subgroupOf(first)] = now_;
  if (!hasClocks_) return;
  Clock joined;
  for (size_t i = first; i < first + count; ++i) join(joined, clocks_[i]);
  for (size_t i = first; i < first + count; ++i) joined[i] = now_;
  for (size_t i = first; i < first + count; ++i) clocks_[i] = joined;
}

void Causality::arrive(size_t first, size_t count, Clock &barrier) {
  needClocks();
  ++now_;
  for (size_t i = first; i < first + count; ++i) join(barrier, clocks_[i]);
  for (size_t i = first; i < first + count; ++i) barrier[i] = now_;
}

void Causality::resume(size_t first, size_t count, const Clock &barrier) {
  ++now_;
  for (size_t i = first; i < first + count; ++i) join(clocks_[i], barrier);
}

Causality::Clock Causality::published(size_t item) {
  Clock clock = clocks_[item];
  clock[item] = ++now_;
  return clock;
}

void Causality::fence(size_t item) {
  needClocks();
  if (!seen_[item].empty()) join(clocks_[item], seen_[item]);
  released_[item] = std::make_shared<const Clock>(published(item));
}

uint64_t Causality::placeOf(uint64_t address) const {
  return places_.size() < kMostPlaces || places_.contains(address) ? address : kOtherPlaces;
}

// Clocks are shared until one has to know more. What knows of the last event in which `item` has published its clock knows all
// of it.
void Causality::release(uint64_t place, size_t item, const std::shared_ptr<const Clock> &known) {
  std::shared_ptr<const Clock> &at = places_[place];
  if (!at) {
    at = known;
  } else if ((*at)[item] < (*known)[item]) {
    Clock joined = *at;
    join(joined, *known);
    at = std::make_shared<const Clock>(std::move(joined));
  }
}

void Causality::access(size_t item, uint64_t address, const AtomicEffects &effects) {
  uint64_t where = placeOf(address);
  auto place = places_.find(where);
  bool fenced = hasClocks_ && released_[item];
  if (place == places_.end() && !effects.releases && !fenced) return;
  needClocks();
  if (effects.reads && place != places_.end()) join(effects.acquires ? clocks_[item] : seen_[item], *place->second);
  if (!effects.writes) return;
  // The value of another write follows no release.
  if (!effects.reads && place != places_.end() && where != kOtherPlaces) places_.erase(place);
  if (effects.releases)
    release(where, item, std::make_shared<const Clock>(published(item)));
  else if (fenced)
    release(where, item, released_[item]);
}

} // namespace xt::soft
