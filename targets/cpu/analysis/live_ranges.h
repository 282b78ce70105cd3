// The live ranges of the vector values of a kernel that have buffers.
#pragma once
#include "targets/cpu/analysis/fusion.h"

#include <set>
#include <unordered_map>

namespace xt {

// A moment in program order: an op at position p reads at 2p and writes at 2p + 1.
using Moment = int64_t;
struct LiveSegment { // both ends included
  Moment from, to;
};

class LiveRange {
public:
  void add(Moment from, Moment to) { segments_.push_back({from, to}), sorted_ = false; }
  // Changes the segment that starts at `from` to start at `later`; if there is none, adds a segment that consists of `later`
  // only.
  void startAt(Moment from, Moment later);
  void merge(const LiveRange &other);
  bool intersects(const LiveRange &other) const;
  Moment first() const;
  const std::vector<LiveSegment> &segments() const { return sort(), segments_; }

private:
  void sort() const; // sorts, and joins segments that touch or overlap
  mutable std::vector<LiveSegment> segments_;
  mutable bool sorted_ = true;
};

// Structured liveness: a backward walk over the regions, as in Wimmer and Franz, "Linear scan register allocation on SSA form"
// (CGO 2010). Live ranges have holes: a value used in one branch only is dead in the other.
class LiveRanges {
public:
  LiveRanges(const Kernel &kernel, const FusionPlan &fusion);

  // The values that have buffers, in program order; their index is their number.
  const std::vector<Value *> &values() const { return values_; }
  // -1 for a value without a buffer.
  int numberOf(const Value *value) const;
  LiveRange &range(int number) { return ranges_[static_cast<size_t>(number)]; }
  Moment readAt(const Op *op) const { return 2 * begin_.at(op); }
  Moment writeAt(const Op *op) const { return 2 * end_.at(op) + 1; } // after its regions
  Moment beginOf(const Block *block) const { return 2 * blockBegin_.at(block); }
  Moment endOf(const Block *block) const { return 2 * blockEnd_.at(block) + 1; }

private:
  void number(const Block &block);
  void addValue(Value *value);
  void visit(const Block &block, std::set<int> &live);
  void visitRegions(const Op &op, Moment blockBegin, std::set<int> &live);
  void define(const Value *value, Moment blockBegin, Moment at, std::set<int> &live);
  void read(const Op &op, Moment blockBegin, std::set<int> &live);
  void use(const Value *value, Moment blockBegin, Moment at, std::set<int> &live);

  const FusionPlan &fusion_;
  std::vector<Value *> values_;
  std::vector<LiveRange> ranges_;
  std::unordered_map<const Value *, int> numbers_;
  std::unordered_map<const Op *, int64_t> begin_, end_;
  std::unordered_map<const Block *, int64_t> blockBegin_, blockEnd_;
  int64_t next_ = 0;
};

} // namespace xt
