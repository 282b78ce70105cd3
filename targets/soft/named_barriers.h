// Barriers of a workgroup in which only some of its subgroups take part.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace xt::soft {

// A named barrier: complete when `expected` subgroups have arrived; then it starts over.
struct NamedBarrier {
  size_t expected = 0;
  std::vector<size_t> waiting; // subgroups
};

class NamedBarrierTable {
public:
  void reset() { barriers_.clear(), madeBy_.clear(); }
  // Creates a barrier for a subgroup. Each subgroup creates the barriers in the same order: the n-th barrier of each
  // subgroup is the same one. Returns the handle, 1 + the barrier's number, or 0 if the subgroups disagree on how many of
  // them take part.
  size_t make(size_t subgroup, size_t expected);
  NamedBarrier *find(size_t handle) { return handle && handle <= barriers_.size() ? &barriers_[handle - 1] : nullptr; }
  size_t count() const { return barriers_.size(); }

private:
  std::vector<NamedBarrier> barriers_;
  std::vector<size_t> madeBy_; // number of barriers created, by subgroup
};

} // namespace xt::soft
