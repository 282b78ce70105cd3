#include "ir/interp/workgroup.h"

#include "ir/base/text.h"
#include "ir/interp/standings.h"
#include "ir/op_kinds.h"

#include <algorithm>

namespace xt {

namespace {
// The maximum number of steps in a turn. A turn must end even if the subgroup waits in a loop for a value that another
// subgroup has yet to write.
constexpr uint64_t kLongTurn = uint64_t{1} << 16;
constexpr uint64_t kLongestRandomTurn = 8;
} // namespace

Workgroup::Workgroup(const WorkgroupEnvironment &environment, Schedule schedule, uint64_t number)
    : environment_(environment), schedule_(schedule), random_(schedule.seed * 0x9E3779B97F4A7C15u + number) {
  subgroups_.reserve(environment.program.subgroups());
  for (size_t s = 0; s < environment.program.subgroups(); ++s) subgroups_.emplace_back(environment, s);
}

Result<void> Workgroup::run() {
  for (;;) {
    if (environment_.arithmetic->wantsToFree()) freeUnusedNumbers();
    if (std::optional<Turn> turn = nextTurn()) {
      if (Result<void> done = subgroups_[turn->subgroup].run(turn->budget); !done) return done;
    } else if (allFinished()) {
      return {};
    } else if (Result<void> met = meet(); !met) {
      return met;
    }
  }
}

void Workgroup::freeUnusedNumbers() {
  for (const Subgroup &subgroup : subgroups_)
    subgroup.values().eachNumber([&](Number number) { environment_.arithmetic->inUse(number); });
  environment_.arithmetic->freeOthers();
}

std::optional<Workgroup::Turn> Workgroup::nextTurn() {
  for (Subgroup &subgroup : subgroups_)
    if (subgroup.waitsAtNamedBarrier() && subgroup.passesNamedBarrier()) subgroup.resume({});
  std::vector<size_t> ready;
  for (size_t s = 0; s < subgroups_.size(); ++s)
    if (subgroups_[s].state() == Subgroup::State::Ready) ready.push_back(s);
  if (ready.empty()) return std::nullopt;
  if (schedule_.order == Schedule::Order::Seeded)
    return Turn{ready[random_() % ready.size()], 1 + random_() % kLongestRandomTurn};
  // Chooses the next ready subgroup after `last_` in cyclic order, or the first one (if reversed, the last one) after the
  // subgroups have waited for each other.
  if (schedule_.order == Schedule::Order::Reversed) std::reverse(ready.begin(), ready.end());
  auto comesAfter = [&](size_t s) {
    return !last_ || (schedule_.order == Schedule::Order::Reversed ? s < *last_ : s > *last_);
  };
  auto next = std::find_if(ready.begin(), ready.end(), comesAfter);
  last_ = next == ready.end() ? ready.front() : *next;
  return Turn{*last_, kLongTurn};
}

bool Workgroup::allFinished() const {
  return std::all_of(subgroups_.begin(), subgroups_.end(),
                     [](const Subgroup &subgroup) { return subgroup.state() == Subgroup::State::Finished; });
}

Result<void> Workgroup::meet() {
  last_.reset();
  if (environment_.lanes()) {
    Result<bool> met = lanesMeet();
    if (!met) return met.error();
    if (*met) return {};
  }
  const Step *place = subgroups_[0].waitsAt();
  for (const Subgroup &subgroup : subgroups_)
    if (!place || subgroup.waitsAt() != place || subgroup.waitsAtNamedBarrier()) return divergence();
  if (environment_.monitor) environment_.monitor->meeting(*place, subgroups_);
  if (place->op->kind() != OpKind::Barrier) return exchange(*place);
  for (Subgroup &subgroup : subgroups_) subgroup.resume({});
  return {};
}

Error Workgroup::divergence() const {
  if (environment_.monitor) environment_.monitor->neverMeet(subgroups_);
  std::vector<std::string> groups;
  const Step *first = nullptr;
  for (const Standing &standing : standingsOf(subgroups_)) {
    groups.push_back(standing.text(environment_.lanes()));
    if (!first) first = standing.place;
  }
  return Error::kernel(str(environment_.lanes() ? "the lanes of " : "the subgroups of ",
                           workgroupText(environment_.kernel, environment_.blockId), " deadlock: ", join(groups, "; ")),
                       first->op->range());
}

} // namespace xt
