#include "targets/llvm/lane/barrier_plan.h"

#include "ir/base/text.h"
#include "targets/llvm/lane/barrier_events.h"

#include <algorithm>
#include <optional>
#include <set>

namespace xt {
namespace {

// The order of events is checked for these numbers of iterations. What a subgroup is ahead of another one changes by the same amount in
// each iteration, so the last one shows whether it grows, if a body has few events.
constexpr size_t kIterations[] = {0, 1, 2, 3, 12};
constexpr size_t kMostLoops = 2, kMostEvents = 12;

using Sequence = std::vector<const BarrierEvent *>;

size_t countEvents(const std::vector<BarrierStep> &steps) {
  size_t count = 0;
  for (const BarrierStep &step : steps) count += step.steps.empty() ? 1 : countEvents(step.steps);
  return count;
}

// What one subgroup does, as sequences of events.
class Subgroup {
public:
  Subgroup(int64_t number, std::vector<BarrierStep> steps) : number_(number), steps_(std::move(steps)) {
    for (BarrierStep &step : steps_)
      while (step.steps.size() == 1 && !step.steps[0].steps.empty()) { // a loop of nothing but a loop
        std::vector<BarrierStep> inner = std::move(step.steps[0].steps);
        step.steps = std::move(inner);
      }
    for (const BarrierStep &step : steps_) {
      loops_ += !step.steps.empty();
      for (const BarrierStep &inner : step.steps) simple_ &= inner.steps.empty();
      addAll(step);
    }
    simple_ &= loops_ <= kMostLoops && countEvents(steps_) <= kMostEvents;
  }

  int64_t number() const { return number_; }
  bool simple() const { return simple_; }
  const Sequence &events() const { return events_; } // each once
  // For each combination of iterations of its loops.
  std::vector<Sequence> sequences() const {
    std::vector<Sequence> all{{}};
    for (const BarrierStep &step : steps_) {
      std::vector<Sequence> longer;
      for (const Sequence &each : all) {
        if (step.steps.empty()) {
          longer.push_back(each);
          longer.back().push_back(&step.event);
          continue;
        }
        for (size_t count : kIterations) {
          longer.push_back(each);
          for (size_t i = 0; i < count; ++i)
            for (const BarrierStep &inner : step.steps) longer.back().push_back(&inner.event);
        }
      }
      all = std::move(longer);
    }
    return all;
  }

private:
  void addAll(const BarrierStep &step) {
    if (step.steps.empty()) events_.push_back(&step.event);
    for (const BarrierStep &inner : step.steps) addAll(inner);
  }

  int64_t number_;
  std::vector<BarrierStep> steps_;
  size_t loops_ = 0;
  bool simple_ = true;
  Sequence events_;
};

// How many rounds of barrier `other` a subgroup knows to be complete when it arrives at `barrier` for the n-th time, from 1 on; nullopt if
// it does not arrive there so often.
std::optional<size_t> roundsKnown(const Sequence &events, int64_t barrier, int64_t other, size_t n) {
  size_t arrived = 0, arrivedAtOther = 0, known = 0;
  for (const BarrierEvent *event : events) {
    if (event->barrier == barrier && ++arrived == n) return known;
    if (event->barrier != other) continue;
    ++arrivedAtOther;
    if (event->wait) known = arrivedAtOther;
  }
  return std::nullopt;
}

// Whether, before each arrival at `barrier`, a subgroup has waited at barrier `other` for `second`, which had waited at `barrier` for the
// arrivals before.
bool staysBehind(const Sequence &first, const Sequence &second, int64_t barrier, int64_t other) {
  bool waited = true; // at the arrival before
  size_t n = 0;
  for (const BarrierEvent *event : first) {
    if (event->barrier != barrier) continue;
    ++n;
    if (!waited) {
      size_t rounds = *roundsKnown(first, barrier, other, n);
      std::optional<size_t> known = rounds ? roundsKnown(second, other, barrier, rounds) : 0;
      if (known && *known < n - 1) return false;
    }
    waited = event->wait != nullptr;
  }
  return true;
}

class Planner {
public:
  Planner(const Kernel &kernel, int64_t count) : kernel_(kernel), count_(count) {}

  BarrierPlan plan() {
    for (int64_t s = 0; s < kernel_.subgroups && plan_.missing.empty(); ++s) {
      BarrierSteps steps = barrierSteps(kernel_, s);
      if (!steps.unknown.empty()) giveUp(std::move(steps.unknown));
      subgroups_.emplace_back(s, std::move(steps.steps));
    }
    if (plan_.missing.empty()) countSubgroups();
    if (plan_.missing.empty()) checkOrder();
    if (plan_.missing.empty()) place();
    return std::move(plan_);
  }

private:
  struct Barrier {
    int64_t producers = 0, consumers = 0; // as create_nbarrier states
    std::map<int64_t, int64_t> roles; // of the subgroups that come
  };

  void giveUp(std::string why) {
    if (plan_.missing.empty()) plan_.missing = std::move(why);
  }

  void countSubgroups() {
    for (const Subgroup &subgroup : subgroups_)
      for (const BarrierEvent *event : subgroup.events()) {
        if (!event->isNamed()) continue;
        if (event->barrier < 0 || event->barrier >= count_) return giveUp(str("barrier ", event->barrier, " is not allocated"));
        auto [at, isNew] = barriers_.try_emplace(event->barrier, Barrier{event->producers, event->consumers, {}});
        Barrier &barrier = at->second;
        int64_t role = barrier.roles.try_emplace(subgroup.number(), event->role).first->second;
        if (event->producers != barrier.producers || event->consumers != barrier.consumers || role != event->role)
          return giveUp(str("subgroups state different numbers or roles for barrier ", event->barrier));
      }
    for (const auto &[number, barrier] : barriers_) {
      auto have = [&](int64_t role) {
        return std::ranges::count(barrier.roles, role, &std::pair<const int64_t, int64_t>::second);
      };
      int64_t producers = have(0) + have(1), consumers = have(0) + have(2);
      if (producers != barrier.producers || consumers != barrier.consumers)
        return giveUp(str("barrier ", number, " is for ", barrier.producers, " producers and ", barrier.consumers,
                          " consumers, but ", producers, " and ", consumers, " come"));
    }
  }

  void checkOrder() {
    for (const Subgroup &subgroup : subgroups_) {
      std::set<int64_t> arrivesOnly;
      for (const BarrierEvent *event : subgroup.events())
        if (event->isNamed() && !event->wait) arrivesOnly.insert(event->barrier);
      if (!arrivesOnly.empty() && !subgroup.simple())
        return giveUp(str("subgroup ", subgroup.number(),
                          " arrives without waiting, and comes to barriers in nested loops, in more than ", kMostLoops,
                          " loops, or at more than ", kMostEvents, " places"));
      for (int64_t barrier : arrivesOnly)
        if (!staysBehindSome(subgroup, barrier))
          return giveUp(str("subgroup ", subgroup.number(), " may arrive at barrier ", barrier,
                            " again before the others have come: no other barrier holds it back"));
    }
  }
  bool staysBehindSome(const Subgroup &first, int64_t barrier) {
    std::set<int64_t> others{BarrierEvent::kWorkgroup};
    for (const BarrierEvent *event : first.events())
      if (event->isNamed()) others.insert(event->barrier);
    std::vector<Sequence> ofFirst = first.sequences();
    for (const Subgroup &second : subgroups_) {
      if (!second.simple() || !barriers_.at(barrier).roles.contains(second.number())) continue;
      std::vector<Sequence> ofSecond = second.sequences();
      for (int64_t other : others) {
        bool takesPart = other == BarrierEvent::kWorkgroup || barriers_.at(other).roles.contains(second.number());
        if (other == barrier || !takesPart) continue;
        bool always = std::ranges::all_of(ofFirst, [&](const Sequence &one) {
          return std::ranges::all_of(ofSecond, [&](const Sequence &two) { return staysBehind(one, two, barrier, other); });
        });
        if (always) return true;
      }
    }
    return false;
  }

  void place() {
    using How = BarrierPlace::How;
    for (const Subgroup &subgroup : subgroups_)
      for (const BarrierEvent *event : subgroup.events()) {
        if (!event->isNamed()) continue;
        auto taking = static_cast<int64_t>(barriers_.at(event->barrier).roles.size());
        set(*event->arrive, {event->wait ? How::Nothing : How::Arrive, event->wait ? 0 : taking});
        if (event->wait) set(*event->wait, {How::Sync, taking});
      }
  }
  void set(const Op &op, BarrierPlace place) {
    if (plan_.places.try_emplace(&op, place).first->second != place)
      giveUp("subgroups run the same code at barriers, but only some of them wait, or at barriers of different numbers of "
             "subgroups");
  }

  const Kernel &kernel_;
  int64_t count_;
  std::vector<Subgroup> subgroups_;
  std::map<int64_t, Barrier> barriers_;
  BarrierPlan plan_;
};

} // namespace

BarrierPlan planBarriers(const Kernel &kernel, int64_t count) { return Planner(kernel, count).plan(); }

} // namespace xt
