// What a workgroup does with shared local memory beyond plain accesses: it watches them, and copies asynchronously.
#include "ir/base/text.h"
#include "targets/soft/workgroup.h"

namespace xt::soft {

WatchedAccess Workgroup::placed(const void *pointer, WatchedAccess access) const {
  access.offset = static_cast<size_t>(static_cast<const std::byte *>(pointer) - memory_.local());
  return access;
}

std::string Workgroup::unorderedText(const UnorderedAccess &earlier, std::string_view what) const {
  const LocalVariable *variable = memory_.localVariable(reinterpret_cast<uint64_t>(memory_.local()) + earlier.offset, 1);
  std::string place = variable ? str("byte ", earlier.offset - variable->offset, " of `", variable->name, "`")
                               : str("byte ", earlier.offset, " of shared local memory");
  GroupReport told = report();
  std::string other = str(who(earlier.item), told.where(earlier.site));
  if (earlier.inFlight) return str(what, " ", place, ", to which an asynchronous copy of ", other, " is on its way");
  return str(what, " ", place, ", which ", other, " has ", earlier.wrote ? "written" : "read",
             ", with no barrier between the two");
}

void Workgroup::watch(const void *pointer, WatchedAccess access) {
  if (!watch_) return;
  access.item = current().index;
  if (access.atomic) watch_->noteAtomic(access.item);
  if (!memory_.localVariable(reinterpret_cast<uint64_t>(pointer), access.bytes))
    return; // of other memory, or reported elsewhere
  access = placed(pointer, access);
  if (banks_ && !access.atomic)
    banks_->access(access.item, access.offset, access.bytes, access.piece, access.writes, access.site);
  if (auto found = watch_->access(access))
    failHere(unorderedText(*found, access.atomic   ? "an atomic access to"
                                   : access.writes ? "a store to"
                                                   : "a load of"),
             access.site);
}

void Workgroup::beginCopy(const CopyInFlight &copy) {
  if (watch_) {
    WatchedAccess access{.item = current().index, .bytes = copy.bytes, .site = copy.site, .writes = true};
    if (auto found = watch_->beginCopy(placed(copy.to, access)))
      failHere(unorderedText(*found, "an asynchronous copy to"), copy.site);
  }
  copies_[current().index].begin(copy, launch_.copiesAtOnce);
}

void Workgroup::waitForCopies(size_t later) {
  for (const CopyInFlight &copy : copies_[current().index].land(later))
    if (watch_)
      watch_->landCopy(placed(copy.to, {.item = current().index, .bytes = copy.bytes, .site = copy.site, .writes = true}));
}

bool Workgroup::watchRead(size_t item, const void *pointer, size_t bytes) {
  if (!watch_) return true;
  WatchedAccess access{.item = item, .bytes = bytes, .site = current().site};
  auto found = watch_->access(placed(pointer, access));
  if (found) fail(unorderedText(*found, str("for ", who(item), ", a load of")), access.site);
  return !found;
}

} // namespace xt::soft
