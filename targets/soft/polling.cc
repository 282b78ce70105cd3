// Work-items that wait by polling shared local memory.
//
// Any other action of a work-item of the group begins a new epoch. If in one epoch every live work-item has polled
// twice, or waits in a collective operation, nothing can change the polled memory any more: the second poll of each
// came after the last change.
#include "targets/soft/workgroup.h"

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
  return std::ranges::all_of(
      items_, [](const Item &item) { return item.polling || item.state == State::Waiting || item.state == State::Finished; });
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
    const Item *told = &items_[lanes.first]; // one that polls, if any
    for (size_t i = lanes.first; i < lanes.first + lanes.members && !told->polling; ++i)
      if (items_[i].polling) told = &items_[i];
    std::string state = told->polling                    ? polledText(*told)
                        : told->state == State::Finished ? "finished"
                                                         : str("it ", waitsAt(*told));
    auto found = std::ranges::find(states, state, &std::pair<std::string, std::vector<size_t>>::first);
    if (found == states.end())
      states.push_back({state, {s}});
    else
      found->second.push_back(s);
  }
  std::string text = "deadlock: no running work-item can change the polled memory";
  for (const auto &[state, who] : states) text += str("; ", state, ": subgroup", who.size() > 1 ? "s " : " ", join(who, ", "));
  return text;
}

} // namespace xt::soft
