#include "targets/soft/work_items.h"

#include <algorithm>

namespace xt::soft {

WorkItems::WorkItems(const Launch &launch) : launch_(launch), items_(launch.items()), ready_(launch.items()) {
  for (size_t i = 0; i < items_.size(); ++i) {
    items_[i].index = i;
    items_[i].stack = takeStack(launch.stackBytes);
  }
}

WorkItems::~WorkItems() {
  for (WorkItem &item : items_) giveBack(std::move(item.stack));
}

bool WorkItems::start(const Dimensions &group, FiberContext::Entry entry, void *argument) {
  readyFirst_ = readyCount_ = 0;
  abandoned_ = false;
  for (WorkItem &item : items_) {
    if (!item.stack) return false;
    item.state = WorkItem::State::Fresh;
    item.polling = false;
    item.ids = launch_.idsOf(group, item.index);
    item.context.start(*item.stack, item.index, entry, argument);
  }
  for (size_t k = 0; k < launch_.subgroups(); ++k) {
    size_t subgroup = launch_.reversed ? launch_.subgroups() - 1 - k : k, first = subgroup * launch_.subgroupSize;
    for (size_t item = first; item < std::min(first + launch_.subgroupSize, items_.size()); ++item) makeReady(item);
  }
  return true;
}

void WorkItems::run() {
  current_ = pop();
  switchContext(caller_, current_->context);
}

WorkItem *WorkItems::pop() {
  if (abandoned_ || !readyCount_) return nullptr;
  size_t item = ready_[readyFirst_];
  readyFirst_ = (readyFirst_ + 1) % ready_.size();
  --readyCount_;
  return &items_[item];
}

FiberContext &WorkItems::contextAfter() {
  WorkItem *next = pop();
  if (!next) return caller_;
  current_ = next;
  return next->context;
}

void WorkItems::leave() {
  FiberContext &own = current_->context, &next = contextAfter();
  if (&next != &own) switchContext(own, next);
}

void WorkItems::leaveForEver() {
  FiberContext &own = current_->context;
  endContext(own, contextAfter());
}

} // namespace xt::soft
