#include "targets/soft/async_copies.h"

#include <cstring>
#include <utility>

namespace xt::soft {
namespace {

constexpr int kNothingYet = 0xff;

void store(const CopyInFlight &copy) {
  if (copy.present) std::memcpy(copy.to, copy.from, copy.present);
  std::memset(copy.to + copy.present, 0, copy.bytes - copy.present);
}

} // namespace

void AsyncCopyQueue::begin(CopyInFlight copy, bool atOnce) {
  copy.arrived = atOnce;
  if (atOnce)
    store(copy);
  else
    std::memset(copy.to, kNothingYet, copy.bytes);
  open_.push_back(copy);
}

void AsyncCopyQueue::commit() { groups_.push_back(std::exchange(open_, {})); }

std::vector<CopyInFlight> AsyncCopyQueue::land(size_t later) {
  std::vector<CopyInFlight> landed;
  size_t count = groups_.size() > later ? groups_.size() - later : 0;
  for (size_t i = 0; i < count; ++i)
    for (const CopyInFlight &copy : groups_[i]) {
      if (!copy.arrived) store(copy);
      landed.push_back(copy);
    }
  groups_.erase(groups_.begin(), groups_.begin() + static_cast<std::ptrdiff_t>(count));
  return landed;
}

} // namespace xt::soft
