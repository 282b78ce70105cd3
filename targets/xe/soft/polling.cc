// Work-items that wait by asking again and again what stands in shared local memory.
//
// Whatever else a work-item of the group does begins a new epoch. When in one epoch all that live have asked twice, or
// wait for each other, nothing is left that could change what they ask for: the second time, all has been asked after the
// last change.
#include "targets/xe/soft/workgroup.h"

#include "ir/base/text.h"

#include <algorithm>

namespace xt::soft {

void Workgroup::beginEpoch() {
  ++epoch_;
  quiet_ = 0;
}

void Workgroup::enterPoll() {
  if (!current_->polling) ++polling_;
  current_->polling = true;
  beginEpoch();
}

void Workgroup::leavePoll() {
  if (!current_->polling) return;
  current_->polling = false;
  --polling_;
  beginEpoch();
}

void Workgroup::poll(const void *address, uint64_t bytes, int32_t site) {
  Item &item = *current_;
  item.polled = reinterpret_cast<uint64_t>(address);
  item.polledBytes = bytes;
  if (item.pollEpoch != epoch_) item.pollEpoch = epoch_, item.polls = 0;
  if (++item.polls == 2 && ++quiet_ == polling_ && allStuck()) failHere(stuckText(), site);
  pause();
}

bool Workgroup::allStuck() const {
  return std::ranges::all_of(items_, [](const Item &item) {
    return item.polling || item.state == State::Waiting || item.state == State::Finished;
  });
}

std::string Workgroup::polledText(const Item &item) const {
  const LocalVariable *variable = localVariable(item.polled, item.polledBytes);
  if (!variable) return "polling shared local memory";
  uint64_t offset = item.polled - reinterpret_cast<uint64_t>(local_) - variable->offset;
  return str("polling ", variable->name, "[", offset / std::max<uint64_t>(item.polledBytes, 1), "] in shared local memory");
}

// "deadlock: … finished: subgroup 0; polling k.barriers[0] in shared local memory: subgroups 1, 2".
std::string Workgroup::stuckText() const {
  std::vector<std::pair<std::string, std::vector<size_t>>> states;
  for (size_t s = 0; s < subgroups_.size(); ++s) {
    const Gathering &lanes = subgroups_[s];
    const Item *told = &items_[lanes.first]; // one that polls, if there is one
    for (size_t i = lanes.first; i < lanes.first + lanes.members && !told->polling; ++i)
      if (items_[i].polling) told = &items_[i];
    std::string state = told->polling ? polledText(*told) : told->state == State::Finished ? "finished" : str("it ", waitsAt(*told));
    auto found = std::ranges::find(states, state, &std::pair<std::string, std::vector<size_t>>::first);
    if (found == states.end()) states.push_back({state, {s}});
    else found->second.push_back(s);
  }
  std::string text = "deadlock: nobody is left to change what is waited for";
  for (const auto &[state, who] : states) text += str("; ", state, ": subgroup", who.size() > 1 ? "s " : " ", join(who, ", "));
  return text;
}

} // namespace xt::soft
