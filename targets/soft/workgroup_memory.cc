// What a workgroup does with memory beyond plain accesses: it watches them, and copies asynchronously.
#include "ir/base/text.h"
#include "targets/soft/workgroup.h"

#include <numeric>

namespace xt::soft {

namespace {

// A small number for a buffer that depends on its name alone, so that what is found does not change from run to run.
uint64_t numberOf(const Allocation &allocation) {
  std::string_view name = allocation.name;
  return std::accumulate(name.begin(), name.end(), uint64_t{0}) % 8;
}

} // namespace

WatchedAccess Workgroup::placed(const void *pointer, WatchedAccess access) {
  auto address = reinterpret_cast<uint64_t>(pointer);
  if (access.local) {
    access.place += address - reinterpret_cast<uint64_t>(memory_.local());
    return access;
  }
  access.place += address;
  if (!launch_.sameMemory) return access;
  if (const Allocation *found = memory_.allocationOf(access.place, access.bytes))
    access.place += *launch_.sameMemory * numberOf(*found) - found->buffer;
  return access;
}

std::string Workgroup::placeText(const UnorderedAccess &access) const {
  if (!access.local) {
    if (launch_.sameMemory) return str("byte ", access.place, " of the memory of all arguments");
    const Allocation *found = findAllocation(*launch_.memory, access.place);
    if (!found) return "global memory";
    return *found->name ? str("byte ", access.place - found->buffer, " of ", found->name)
                        : str("byte ", access.place - found->begin, " of an allocation");
  }
  const LocalVariable *variable = memory_.localVariable(reinterpret_cast<uint64_t>(memory_.local()) + access.place, 1);
  return variable ? str("byte ", access.place - variable->offset, " of `", variable->name, "`")
                  : str("byte ", access.place, " of shared local memory");
}

std::string Workgroup::unorderedText(const UnorderedAccess &earlier, std::string_view what) const {
  std::string place = placeText(earlier);
  GroupReport told = report();
  std::string other = str(who(earlier.item), told.where(earlier.site));
  if (earlier.inFlight) return str(what, " ", place, ", to which an asynchronous copy of ", other, " is on its way");
  return str(what, " ", place, ", which ", other, " has ", earlier.wrote ? "written" : "read",
             ", with no barrier between the two");
}

void Workgroup::watch(const void *pointer, WatchedAccess access, const AtomicEffects &effects) {
  if (!watch_) return;
  if (access.atomic && launch_.reversed) pause(); // others go on before each atomic access, so that few of them come late
  access.item = current().index;
  access = placed(pointer, access);
  if (access.atomic) watch_->causality().access(access.item, reinterpret_cast<uint64_t>(pointer), effects);
  if (!access.local && !launch_.watchesGlobal) return;
  if (access.local) {
    // What is outside of all variables is reported elsewhere.
    if (!memory_.localVariable(reinterpret_cast<uint64_t>(memory_.local()) + access.place, access.bytes)) return;
    if (banks_ && !access.atomic)
      banks_->access(access.item, access.place, access.bytes, access.piece, access.writes, access.site);
  }
  if (auto found = watch_->access(access))
    failHere(unorderedText(*found, access.atomic   ? "an atomic access to"
                                   : access.writes ? "a store to"
                                                   : "a load of"),
             access.site);
}

void Workgroup::beginCopy(const CopyInFlight &copy) {
  if (watch_) {
    WatchedAccess to{.item = current().index, .local = true, .bytes = copy.bytes, .site = copy.site, .writes = true};
    WatchedAccess from{.item = to.item, .bytes = copy.present, .site = copy.site};
    if (auto found = launch_.watchesGlobal ? watch_->access(placed(copy.from, from)) : std::nullopt)
      failHere(unorderedText(*found, "an asynchronous copy of"), copy.site);
    if (auto found = watch_->beginCopy(placed(copy.to, to)))
      failHere(unorderedText(*found, "an asynchronous copy to"), copy.site);
  }
  copies_[current().index].begin(copy, launch_.copiesAtOnce);
}

void Workgroup::waitForCopies(size_t later) {
  for (const CopyInFlight &copy : copies_[current().index].land(later))
    if (watch_)
      watch_->landCopy(
          placed(copy.to, {.item = current().index, .local = true, .bytes = copy.bytes, .site = copy.site, .writes = true}));
}

bool Workgroup::watchRead(size_t item, const void *pointer, size_t bytes) {
  if (!watch_) return true;
  WatchedAccess access{.item = item, .local = true, .bytes = bytes, .site = current().site};
  auto found = watch_->access(placed(pointer, access));
  if (found) fail(unorderedText(*found, str("for ", who(item), ", a load of")), access.site);
  return !found;
}

} // namespace xt::soft
