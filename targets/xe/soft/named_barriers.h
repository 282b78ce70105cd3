// Barriers of a workgroup that some of its subgroups come to.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace xt::soft {

// One of them: complete when `expected` subgroups have come; then it begins anew.
struct NamedBarrier {
  size_t expected = 0;
  std::vector<size_t> waiting; // subgroups
};

class NamedBarrierTable {
public:
  void reset() { barriers_.clear(), madeBy_.clear(); }
  // Each subgroup makes the barriers in the same order: the n-th of one is the n-th of all. The handle is 1 + its
  // number; 0: they disagree on how many subgroups come.
  size_t make(size_t subgroup, size_t expected);
  NamedBarrier *find(size_t handle) { return handle && handle <= barriers_.size() ? &barriers_[handle - 1] : nullptr; }
  size_t count() const { return barriers_.size(); }

private:
  std::vector<NamedBarrier> barriers_;
  std::vector<size_t> madeBy_; // by subgroup: how many
};

} // namespace xt::soft
