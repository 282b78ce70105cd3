#include "ir/interp/barrier_clocks.h"

#include <algorithm>

namespace xt {

void BarrierClocks::reset() {
  for (size_t s = 0; s < known_.size(); ++s) {
    std::fill(known_[s].begin(), known_[s].end(), 0u);
    known_[s][s] = 1;
  }
  rounds_.clear();
}

void BarrierClocks::learn(Clock &into, const Clock &other) {
  if (into.empty()) into.resize(other.size());
  for (size_t s = 0; s < other.size(); ++s) into[s] = std::max(into[s], other[s]);
}

void BarrierClocks::meet() {
  Clock all;
  for (const Clock &clock : known_) learn(all, clock);
  for (size_t s = 0; s < known_.size(); ++s) {
    known_[s] = all;
    ++known_[s][s];
  }
}

void BarrierClocks::arrived(size_t worker, size_t barrier, uint64_t round) {
  learn(rounds_[{barrier, round}], known_[worker]);
  ++known_[worker][worker];
}

void BarrierClocks::passed(size_t worker, size_t barrier, uint64_t round) { learn(known_[worker], rounds_[{barrier, round}]); }

} // namespace xt
