#include "targets/api/boundary/handle.h"

namespace xt {

void Graveyard::bury(std::unique_ptr<Handle> handle) {
  std::unique_ptr<Handle> oldest; // destroyed after the lock is released
  std::lock_guard lock(mutex_);
  kept_.push_back(std::move(handle));
  if (kept_.size() <= kMostKept) return;
  oldest = std::move(kept_.front());
  kept_.pop_front();
}

void freeHandle(Handle *handle, HandleKind kind) {
  if (!handle || !handle->kind.compare_exchange_strong(kind, HandleKind::Freed)) return;
  handle->drop();
  std::shared_ptr<Graveyard> yard = std::move(handle->yard); // else the graveyard would keep itself
  yard->bury(std::unique_ptr<Handle>(handle));
}

const char *whyNotUsable(const Handle *handle, HandleKind kind) {
  if (!handle) return "is NULL";
  HandleKind found = handle->kind.load(std::memory_order_relaxed);
  if (found == kind) return nullptr;
  return found == HandleKind::Freed ? "was freed" : "is a handle of another kind";
}

} // namespace xt
