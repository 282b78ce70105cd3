// Vector clocks, which record how named barriers order the accesses of a workgroup's workers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace xt {

class BarrierClocks {
public:
  explicit BarrierClocks(size_t workers) : known_(workers, Clock(workers, 0)) {}

  void reset(); // must be called before each workgroup
  // The time of a worker: 1 plus the number of its arrivals, and of its advances.
  uint32_t timeOf(size_t worker) const { return known_[worker][worker]; }
  // Whether the accesses that `worker` makes from now on are ordered after those that `other` made at its time `time`.
  bool comesAfter(size_t worker, size_t other, uint32_t time) const { return known_[worker][other] >= time; }
  // By worker: the latest time that `worker` is ordered after.
  const std::vector<uint32_t> &known(size_t worker) const { return known_[worker]; }
  void advance(size_t worker) { ++known_[worker][worker]; } // its later accesses have another time
  void meet();                                              // all workers pass a barrier
  // Must be called when a worker arrives at a named barrier, and when it later passes the barrier. `round` is the number of
  // times that the barrier had been completed before the arrival.
  void arrived(size_t worker, size_t barrier, uint64_t round);
  void passed(size_t worker, size_t barrier, uint64_t round);

private:
  using Clock = std::vector<uint32_t>;
  static void learn(Clock &into, const Clock &other);

  std::vector<Clock> known_; // known_[a][b] is the latest time of worker b that worker a is ordered after
  std::map<std::pair<size_t, uint64_t>, Clock> rounds_; // by barrier and round: the maximum of the clocks that have arrived
};

} // namespace xt
