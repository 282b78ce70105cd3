#include "ir/interp/fence_order.h"

#include <algorithm>

namespace xt {

FenceOrder::View FenceOrder::merged(View a, View b) {
  if (!b || a == b) return a;
  if (!a) return b;
  View &found = unions_[uint64_t{a} << 32 | b];
  if (!found) {
    nodes_.push_back({a, b, 0, {}});
    found = static_cast<View>(nodes_.size());
  }
  return found;
}

FenceOrder::View FenceOrder::own(size_t worker) {
  nodes_.push_back({0, 0, workgroup_, clocks_.known(worker)});
  return static_cast<View>(nodes_.size());
}

const FenceOrder::Times &FenceOrder::timesOf(View view) {
  auto [found, isNew] = times_.try_emplace(view);
  Times &times = found->second;
  if (!isNew) return times;
  std::unordered_set<View> seen{view};
  std::vector<View> open{view};
  while (!open.empty()) {
    const Node &node = nodes_[open.back() - 1];
    open.pop_back();
    for (View part : {node.first, node.second})
      if (part && seen.insert(part).second) open.push_back(part);
    if (node.times.empty()) continue;
    std::vector<uint32_t> &latest = times[node.workgroup];
    latest.resize(node.times.size());
    std::ranges::transform(latest, node.times, latest.begin(), [](uint32_t x, uint32_t y) { return std::max(x, y); });
  }
  return times;
}

void FenceOrder::learn(Worker &into, const Worker &other) {
  into.acquired = merged(into.acquired, other.acquired);
  into.pending = {merged(into.pending.device, other.pending.device), merged(into.pending.local, other.pending.local)};
  into.published = {merged(into.published.device, other.published.device), merged(into.published.local, other.published.local)};
}

void FenceOrder::enter(uint32_t workgroup) {
  workgroup_ = workgroup;
  std::ranges::fill(workers_, Worker());
  rounds_.clear();
  unions_.clear();
  times_.clear();
  releasedInside_.clear();
  updated_.clear();
  settled_.clear();
}

void FenceOrder::fence(size_t worker, bool device) {
  Worker &state = workers_[worker];
  state.acquired = merged(state.acquired, state.pending.local);
  if (device) state.acquired = merged(state.acquired, state.pending.device);
  const View before = merged(state.acquired, own(worker));
  state.published.local = merged(state.published.local, before);
  if (device) state.published.device = merged(state.published.device, before);
  clocks_.advance(worker); // the fence does not publish what follows it
  if (!device) return;
  settled_.insert(updated_.begin(), updated_.end());
  updated_.clear();
}

void FenceOrder::updates(size_t worker, const Update &update) {
  Worker &state = workers_[worker];
  View &inside = releasedInside_[update.place];
  state.pending.local = merged(state.pending.local, inside);
  if (update.writes) inside = merged(inside, state.published.local);
  if (!update.device || update.local) return; // no other workgroup can read it
  View &released = released_[update.place];
  state.pending.device = merged(state.pending.device, released);
  if (update.writes) released = merged(released, state.published.device);
  updated_.push_back(update.place);
}

void FenceOrder::meet() {
  Worker all;
  for (const Worker &worker : workers_) learn(all, worker);
  std::ranges::fill(workers_, all);
  clocks_.meet();
}

void FenceOrder::arrived(size_t worker, size_t barrier, uint64_t round) { learn(rounds_[{barrier, round}], workers_[worker]); }

void FenceOrder::passed(size_t worker, size_t barrier, uint64_t round) { learn(workers_[worker], rounds_[{barrier, round}]); }

bool FenceOrder::comesAfter(size_t worker, const Touch &other) {
  View view = workers_[worker].acquired;
  if (!view) return false;
  const Times &times = timesOf(view);
  auto found = times.find(other.workgroup);
  return found != times.end() && found->second[other.subgroup] >= other.time;
}

} // namespace xt
