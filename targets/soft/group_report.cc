#include "targets/soft/group_report.h"

#include "ir/base/text.h"

#include <algorithm>

namespace xt::soft {
namespace {
using State = WorkItem::State;

std::string tuple(const Dimensions &d) { return str("(", d[0], ", ", d[1], ", ", d[2], ")"); }
} // namespace

std::string GroupReport::failure(std::string_view text, size_t group, int32_t site) const {
  const WorkItem *item = items_.current();
  std::string call;
  if (item && item->state == State::Waiting) {
    if (site < 0) site = item->site;
    if (item->collective) call = str(" in ", item->collective->name);
  }
  return str("kernel ", launch_.kernel, ", workgroup ", tuple(launch_.groupAt(group)), ", ", item ? who(item->index) : "", call,
             where(site), ": ", text);
}

std::string GroupReport::where(int32_t site) const {
  const Site *found = launch_.siteOf(site);
  return found ? found->place : std::string();
}

std::string GroupReport::who(size_t item) const {
  return str("lane ", item % launch_.subgroupSize, " of subgroup ", launch_.subgroupOf(item));
}

std::string GroupReport::waitsAt(const WorkItem &item) const {
  if (item.state == State::Finished) return "has finished";
  if (item.state != State::Waiting || !item.collective) return "is elsewhere";
  const Site *site = launch_.siteOf(item.site);
  return str("waits at ", item.collective->name, where(item.site), " (call ", site ? site->call : 0, ")");
}

const WorkItem *GroupReport::stray(const Gathering &gathering) const {
  if (!gathering.arrived) return nullptr;
  for (size_t i = gathering.first; i < gathering.first + gathering.members; ++i) {
    const WorkItem &item = items_[i];
    bool stands = item.state == State::Finished || item.state == State::Waiting;
    if (stands && !item.waitsWith(items_[gathering.firstArrived])) return &item;
  }
  return nullptr;
}

std::string GroupReport::divergence() const {
  auto text = [&](std::string_view what, const Gathering &gathering, const WorkItem &other) {
    const WorkItem &one = items_[gathering.firstArrived];
    return str(what, who(one.index), " ", waitsAt(one), ", but ", who(other.index), " ", waitsAt(other));
  };
  for (const Gathering &subgroup : gatherings_.subgroups())
    if (const WorkItem *other = stray(subgroup)) return text("lanes of a subgroup diverge: ", subgroup, *other);
  if (const WorkItem *other = stray(gatherings_.whole())) return text("barrier divergence: ", gatherings_.whole(), *other);
  for (const WorkItem &item : items_)
    if (item.state == State::Waiting) return str("deadlock: ", who(item.index), " ", waitsAt(item), " forever");
  return "deadlock";
}

bool GroupReport::allStuck() const {
  return std::ranges::all_of(items_, [](const WorkItem &item) {
    return item.polling || item.state == State::Waiting || item.state == State::Finished;
  });
}

std::string GroupReport::polled(const WorkItem &item) const {
  const LocalVariable *variable = memory_.localVariable(item.polled, item.polledBytes);
  if (!variable) return "polling shared local memory";
  uint64_t offset = item.polled - reinterpret_cast<uint64_t>(memory_.local()) - variable->offset;
  return str("polling ", variable->name, "[", offset / std::max<uint64_t>(item.polledBytes, 1), "] in shared local memory");
}

std::string GroupReport::state(const Gathering &subgroup) const {
  const WorkItem *told = &items_[subgroup.first];
  for (size_t i = subgroup.first; i < subgroup.first + subgroup.members && !told->polling; ++i)
    if (items_[i].polling) told = &items_[i];
  if (told->polling) return polled(*told);
  return told->state == State::Finished ? "finished" : str("it ", waitsAt(*told));
}

std::string GroupReport::stuck() const {
  std::vector<std::pair<std::string, std::vector<size_t>>> states;
  std::span<const Gathering> subgroups = gatherings_.subgroups();
  for (size_t s = 0; s < subgroups.size(); ++s) {
    std::string now = state(subgroups[s]);
    auto found = std::ranges::find(states, now, &std::pair<std::string, std::vector<size_t>>::first);
    if (found == states.end())
      states.push_back({now, {s}});
    else
      found->second.push_back(s);
  }
  std::string text = "deadlock: no running work-item can change the polled memory";
  for (const auto &[state, who] : states) text += str("; ", state, ": subgroup", who.size() > 1 ? "s " : " ", join(who, ", "));
  return text;
}

} // namespace xt::soft
