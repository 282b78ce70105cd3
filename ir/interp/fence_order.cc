#include "ir/interp/fence_order.h"

#include <algorithm>

namespace xt {

FenceOrder::ViewRef FenceOrder::merged(const ViewRef &a, const ViewRef &b) {
  if (!b || a == b) return a;
  if (!a) return b;
  auto view = std::make_shared<View>(*a);
  for (const auto &[workgroup, clock] : *b) {
    Clock &into = (*view)[workgroup];
    if (!into || into == clock) {
      into = clock;
      continue;
    }
    auto latest = std::make_shared<std::vector<uint32_t>>(*into);
    std::ranges::transform(*latest, *clock, latest->begin(), [](uint32_t x, uint32_t y) { return std::max(x, y); });
    into = std::move(latest);
  }
  return view;
}

void FenceOrder::Worker::learn(const Worker &other) {
  acquired = merged(acquired, other.acquired);
  pending = merged(pending, other.pending);
  published = merged(published, other.published);
}

FenceOrder::ViewRef FenceOrder::own(size_t worker) const {
  auto view = std::make_shared<View>();
  view->emplace(workgroup_, std::make_shared<const std::vector<uint32_t>>(clocks_.known(worker)));
  return view;
}

void FenceOrder::enter(uint32_t workgroup) {
  workgroup_ = workgroup;
  std::ranges::fill(workers_, Worker());
  rounds_.clear();
}

void FenceOrder::fence(size_t worker) {
  Worker &state = workers_[worker];
  state.acquired = merged(state.acquired, state.pending);
  state.published = merged(merged(state.published, state.acquired), own(worker));
  state.clean = true;
  clocks_.advance(worker); // the fence does not publish what follows it
}

void FenceOrder::accesses(size_t worker) { workers_[worker].clean = false; }

void FenceOrder::updates(size_t worker, const unsigned char *place) {
  Worker &state = workers_[worker];
  ViewRef &released = released_[place];
  state.pending = merged(state.pending, released);
  if (!state.published) return;
  // Who reads what the atomic wrote comes after the atomic itself, too.
  released = merged(released, state.clean ? merged(state.published, own(worker)) : state.published);
  if (state.clean) clocks_.advance(worker);
}

void FenceOrder::meet() {
  Worker all;
  for (const Worker &worker : workers_) all.learn(worker);
  all.clean = false;
  std::ranges::fill(workers_, all);
  clocks_.meet();
}

void FenceOrder::arrived(size_t worker, size_t barrier, uint64_t round) { rounds_[{barrier, round}].learn(workers_[worker]); }

void FenceOrder::passed(size_t worker, size_t barrier, uint64_t round) { workers_[worker].learn(rounds_[{barrier, round}]); }

bool FenceOrder::comesAfter(size_t worker, const Touch &other) const {
  const ViewRef &view = workers_[worker].acquired;
  if (!view) return false;
  auto found = view->find(other.workgroup);
  return found != view->end() && (*found->second)[other.subgroup] >= other.time;
}

} // namespace xt
