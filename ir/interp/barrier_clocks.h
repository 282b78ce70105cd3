// How named barriers order the workers of a workgroup, as vector clocks.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace xt {

class BarrierClocks {
public:
  explicit BarrierClocks(size_t workers) : known_(workers, Clock(workers, 0)) {}

  void reset(); // before each workgroup
  // The time of a worker: 1, and 1 more after each arrival.
  uint32_t timeOf(size_t worker) const { return known_[worker][worker]; }
  // Whether what `worker` does now comes after what `other` did at its time `time`.
  bool comesAfter(size_t worker, size_t other, uint32_t time) const { return known_[worker][other] >= time; }
  // A worker arrives at a round of a named barrier, and later passes it.
  void arrived(size_t worker, size_t barrier, uint64_t round);
  void passed(size_t worker, size_t barrier, uint64_t round);

private:
  using Clock = std::vector<uint32_t>;
  static void learn(Clock &into, const Clock &other);

  std::vector<Clock> known_; // known_[a][b] is the latest time of worker b that a is ordered after
  std::map<std::pair<size_t, uint64_t>, Clock> rounds_; // the clock at the end of a barrier's round
};

} // namespace xt
