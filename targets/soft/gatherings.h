// The work-items that have arrived at a collective operation and wait for the others.
#pragma once
#include "targets/soft/collective.h"
#include "targets/soft/launch_description.h"

#include <span>
#include <vector>

namespace xt::soft {

// The arrivals of a subgroup, or of the whole workgroup, at a collective operation.
struct Gathering {
  size_t first = 0, members = 0; // number of the first work-item, and count of work-items
  size_t arrived = 0, finished = 0;
  const Collective *collective = nullptr;
  int32_t site = -1;
  size_t firstArrived = 0;

  // Counts a work-item that arrives at the operation. Returns false if others wait at another operation or place, or have
  // finished.
  bool arrive(size_t item, const Collective &operation, int32_t place);
  bool complete() const { return arrived == members; }
};

class Gatherings {
public:
  explicit Gatherings(const Launch &launch)
      : items_(launch.items()), lanes_(launch.subgroupSize), arrivals_(launch.items()), subgroups_(launch.subgroups()) {}

  void reset(); // nobody has arrived
  Gathering &ofSubgroup(size_t item) { return subgroups_[item / lanes_]; }
  Gathering &whole() { return whole_; }
  const Gathering &whole() const { return whole_; }
  std::span<const Gathering> subgroups() const { return subgroups_; }

  void setArrival(size_t item, const Arrival &arrival) { arrivals_[item] = arrival; }
  std::span<const Arrival> arrivals(const Gathering &of) const { return std::span(arrivals_).subspan(of.first, of.members); }
  // Counts a work-item that has finished. Returns whether others wait for it.
  bool finish(size_t item);

private:
  size_t items_, lanes_; // work-items of the workgroup, and of a subgroup
  std::vector<Arrival> arrivals_; // by work-item
  std::vector<Gathering> subgroups_;
  Gathering whole_;
};

} // namespace xt::soft
