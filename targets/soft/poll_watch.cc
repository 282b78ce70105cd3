#include "targets/soft/poll_watch.h"

namespace xt::soft {

void PollWatch::beginEpoch() {
  ++epoch_;
  quiet_ = 0;
}

void PollWatch::enter(WorkItem &item) {
  if (!item.polling) ++polling_;
  item.polling = true;
  beginEpoch();
}

void PollWatch::leave(WorkItem &item) {
  if (!item.polling) return;
  item.polling = false;
  --polling_;
  beginEpoch();
}

bool PollWatch::poll(WorkItem &item, uint64_t address, uint64_t bytes) {
  item.polled = address;
  item.polledBytes = bytes;
  if (item.pollEpoch != epoch_) item.pollEpoch = epoch_, item.polls = 0;
  return ++item.polls == 2 && ++quiet_ == polling_;
}

} // namespace xt::soft
