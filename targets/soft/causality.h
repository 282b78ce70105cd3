// Which accesses of the others of its workgroup a work-item knows to be done: by barriers, atomic accesses and fences.
//
// Events that order accesses have times, and of each other work-item one knows everything before some time. While no work-item
// has used atomic accesses, fences or barriers of some subgroups since the last barrier of the workgroup, the times of the last
// barriers say all; then each work-item has a clock with a time for each other one. The rules are those of PTX's memory model:
// barriers of the same threads order all their accesses; an atomic access that acquires knows what one that released to the
// same address knew, and a fence makes atomic accesses before it acquire and those after it release.
#pragma once
#include "targets/soft/launch_description.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace xt::soft {

// What an atomic access does, of which some orders accesses.
struct AtomicEffects {
  bool reads = false, writes = false, acquires = false, releases = false;
};

class Causality {
public:
  using Clock = std::vector<uint32_t>; // by work-item: all that it did before that time is known; empty: nothing is

  explicit Causality(const Launch &launch);

  void begin(); // of a workgroup; times go on from one to the next
  uint32_t now() const { return now_; }
  // Whether `item` knows what `other` did at this time.
  bool knows(size_t item, size_t other, uint32_t time) const;

  // A barrier of these work-items, which are the whole workgroup or a subgroup.
  void meet(size_t first, size_t count);
  // A barrier of some subgroups, whose clock begins empty: one comes to it, and one that has waited goes on.
  void arrive(size_t first, size_t count, Clock &barrier);
  void resume(size_t first, size_t count, const Clock &barrier);
  void fence(size_t item);
  void access(size_t item, uint64_t address, const AtomicEffects &effects);

private:
  size_t subgroupOf(size_t item) const { return item / launch_.subgroupSize; }
  void needClocks();
  void forgetClocks();
  Clock published(size_t item); // its clock, with all that it has done itself
  uint64_t placeOf(uint64_t address) const; // in places_
  void release(uint64_t place, size_t item, const std::shared_ptr<const Clock> &known);

  // Number of addresses that have clocks of their own. All others share one clock, which bounds the memory. A work-item that
  // acquires at one of the others may be taken to know more than it does, so that a race is missed.
  static constexpr size_t kMostPlaces = 1 << 12;
  static constexpr uint64_t kOtherPlaces = 0;

  const Launch &launch_;
  uint32_t now_ = 1, groupTime_ = 1;
  std::vector<uint32_t> subgroupTimes_;
  bool hasClocks_ = false;
  std::vector<Clock> clocks_; // by work-item
  std::vector<Clock> seen_; // by work-item: what atomic accesses have shown it
  std::vector<std::shared_ptr<const Clock>> released_; // by work-item: what it knew at its last fence; null: there was none
  std::unordered_map<uint64_t, std::shared_ptr<const Clock>>
      places_; // for lookup only: what releases to an address have published
};

} // namespace xt::soft
