#include "ir/interp/workgroup.h"

#include "ir/base/text.h"

#include <algorithm>

namespace xt {

namespace {
// A turn ends even where a subgroup waits in a loop for what another one is to write.
constexpr uint64_t kLongTurn = uint64_t{1} << 16;
constexpr uint64_t kLongestRandomTurn = 8;

// "subgroups 0–3, 6"
std::string subgroupsText(const std::vector<size_t> &ids) {
  std::string text;
  for (size_t i = 0, end; i < ids.size(); i = end) {
    for (end = i + 1; end < ids.size() && ids[end] == ids[end - 1] + 1;) ++end;
    text += str(text.empty() ? "" : ", ", ids[i]);
    if (end - i > 1) text += str(end - i > 2 ? "–" : ", ", ids[end - 1]);
  }
  return str(ids.size() > 1 ? "subgroups " : "subgroup ", text);
}
} // namespace

Workgroup::Workgroup(const WorkgroupEnvironment &environment, Schedule schedule, uint64_t number)
    : environment_(environment), schedule_(schedule), random_(schedule.seed * 0x9E3779B97F4A7C15u + number) {
  subgroups_.reserve(environment.program.subgroups());
  for (size_t s = 0; s < environment.program.subgroups(); ++s) subgroups_.emplace_back(environment, s);
}

Result<void> Workgroup::run() {
  for (;;) {
    if (std::optional<Turn> turn = nextTurn()) {
      if (Result<void> done = subgroups_[turn->subgroup].run(turn->budget); !done) return done;
    } else if (allFinished()) {
      return {};
    } else if (Result<void> met = meet(); !met) {
      return met;
    }
  }
}

std::optional<Workgroup::Turn> Workgroup::nextTurn() {
  std::vector<size_t> ready;
  for (size_t s = 0; s < subgroups_.size(); ++s)
    if (subgroups_[s].state() == Subgroup::State::Ready) ready.push_back(s);
  if (ready.empty()) return std::nullopt;
  if (schedule_.order == Schedule::Order::Seeded)
    return Turn{ready[random_() % ready.size()], 1 + random_() % kLongestRandomTurn};
  // The next one round from the one that had the last turn; after a meeting the first (or the last) again.
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
  const Step *place = subgroups_[0].waitsAt();
  for (const Subgroup &subgroup : subgroups_)
    if (!place || subgroup.waitsAt() != place) return divergence();
  if (place->op->kind() != OpKind::Barrier) return exchange(*place);
  for (Subgroup &subgroup : subgroups_) subgroup.resume({});
  return {};
}

Error Workgroup::divergence() const {
  std::vector<const Step *> places; // null: finished
  std::vector<std::vector<size_t>> standing;
  for (const Subgroup &subgroup : subgroups_) {
    auto known = std::find(places.begin(), places.end(), subgroup.waitsAt());
    if (known == places.end()) {
      known = places.insert(known, subgroup.waitsAt());
      standing.emplace_back();
    }
    standing[static_cast<size_t>(known - places.begin())].push_back(subgroup.id());
  }
  std::vector<std::string> groups;
  const Step *first = nullptr;
  for (size_t i = 0; i < places.size(); ++i) {
    bool one = standing[i].size() == 1;
    std::string doing = places[i] ? str(one ? " waits at `" : " wait at `", places[i]->op->info().name, "`")
                                  : std::string(one ? " has finished" : " have finished");
    groups.push_back(subgroupsText(standing[i]) + doing);
    if (!first) first = places[i];
  }
  return Error::kernel(
      str("the subgroups of workgroup (", join(environment_.blockId, ", "), ") never meet: ", join(groups, "; ")),
      first->op->range());
}

} // namespace xt
