#include "ir/interp/access_checks.h"

#include "ir/atomic_update.h"
#include "ir/base/text.h"
#include "ir/interp/worker.h"
#include "ir/op_kinds.h"
#include "ir/outside_offset.h"

#include <algorithm>

namespace xt {

AccessChecks::AccessChecks(Checks checks, const LaunchHistory &history, BarrierClocks &clocks, CheckedMemory memory)
    : checks_(checks), history_(history), clocks_(clocks), memory_(std::move(memory)), findings_(history) {
  bool fences = false, atomics = false;
  walk(history.kernel().body, [&](const Op &op) {
    fences |= isFence(op);
    atomics |= AtomicUpdate::is(op) || AtomicUpdate::isOnDescriptor(op);
  });
  if (fences && atomics) order_.emplace(clocks, workerCount(history.kernel()));
}

Touch AccessChecks::touch(const AccessSite &site) const {
  return {history_.numberOf(*site.op), history_.workgroupNumber(), epoch_, static_cast<uint32_t>(site.subgroup),
          clocks_.timeOf(site.subgroup)};
}

void AccessChecks::passBarrier() {
  ++epoch_;
  if (order_) order_->meet();
}

void AccessChecks::fence(size_t worker, bool device) {
  if (order_) order_->fence(worker, device);
}

void AccessChecks::arrived(size_t worker, size_t barrier, uint64_t round) {
  if (order_) order_->arrived(worker, barrier, round);
}

void AccessChecks::passed(size_t worker, size_t barrier, uint64_t round) {
  if (order_) order_->passed(worker, barrier, round);
}

void AccessChecks::enter() {
  epoch_ = 0;
  if (order_) order_->enter(history_.workgroupNumber());
  localAccesses_.clear();
  for (CheckedMemory::Region &region : memory_.regions())
    if (region.slm) {
      collectUnwritten(region);
      region.shadow.forget();
    }
  copies_.clear(); // they ended with the previous workgroup, and refer to cells of shared local memory that are gone
}

void AccessChecks::access(const AccessSite &site, Kind kind, const unsigned char *p, size_t bytes) {
  if (!checks_.race && !checks_.uninit) return;
  CheckedMemory::Region *region = memory_.regionOf(p);
  if (!region) return;
  const bool writes = kind != Kind::AtomicRead;
  if (!writes) kind = Kind::Atomic;
  Touch now = touch(site);
  auto element = [&] { return memory_.elementAt(p); };
  bool raced = false;
  region->shadow.forEachCell(p, bytes, [&](Cell &cell) {
    Touch copy = checks_.race ? copies_.forbids(cell, site.phase, kind != Kind::Read, now) : Touch();
    if (copy) {
      findings_.addEarly({now, kind}, copy, region->slm, element);
      cell.unwritten = {}; // reported as too early, and not as a read of an unwritten element too
      remember(cell, kind, now);
      return;
    }
    Accesses *accesses = order_ ? &(region->slm ? localAccesses_ : accesses_)[&cell] : nullptr;
    Access other = !checks_.race ? Access()
                   : accesses    ? unordered(*accesses, kind, now, p)
                                 : conflict(cell, kind, now, region->slm);
    if (accesses) add(*accesses, kind, now);
    if (other.touch) {
      if (!raced) findings_.addRace({now, kind}, other, element);
      raced = true;
      cell.unwritten = {}; // reported as a race, and not as a read of an unwritten element too
    } else if (kind != Kind::Write && region->fresh && !cell.firstWrite && !cell.firstAtomic && !cell.unwritten) {
      cell.unwritten = now;
    }
    remember(cell, kind, now);
  });
  if (order_ && kind == Kind::Atomic)
    order_->updates(site.subgroup, {p, !AtomicUpdate(*site.op).inWorkgroup(), region->slm, writes});
}

void AccessChecks::collectUnwritten(const CheckedMemory::Region &region) {
  if (!checks_.uninit || !region.fresh) return;
  region.shadow.forEachKnown([&](const Cell &cell, const unsigned char *p) {
    if (cell.unwritten) findings_.addUnwritten(cell.unwritten, region.slm, [&] { return memory_.elementAt(p); });
  });
}

AccessChecks::Access AccessChecks::conflict(const Cell &cell, Kind kind, const Touch &now, bool slm) const {
  auto meets = [&](const Touch &other) {
    return other && other.workgroup == now.workgroup && other.epoch == now.epoch && other.subgroup != now.subgroup &&
           !clocks_.comesAfter(now.subgroup, other.subgroup, other.time);
  };
  auto across = [&](const Touch &other) { return other && !slm && other.workgroup != now.workgroup; };
  if (meets(cell.write)) return {cell.write, Kind::Write};
  if (across(cell.firstWrite)) return {cell.firstWrite, Kind::Write};
  if (kind != Kind::Atomic) {
    for (const Touch &atomic : cell.atomics)
      if (meets(atomic)) return {atomic, Kind::Atomic};
  }
  if (across(cell.firstAtomic) && (kind != Kind::Atomic || !bothAtomic(now, cell.firstAtomic)))
    return {cell.firstAtomic, Kind::Atomic};
  if (kind == Kind::Read) return {};
  for (const Touch &read : cell.reads)
    if (meets(read)) return {read, Kind::Read};
  if (across(cell.firstRead)) return {cell.firstRead, Kind::Read};
  return {};
}

AccessChecks::Access AccessChecks::unordered(const Accesses &accesses, Kind kind, const Touch &now, const unsigned char *p) {
  auto isBefore = [&](const Touch &other) {
    if (other.workgroup == now.workgroup &&
        (other.subgroup == now.subgroup || clocks_.comesAfter(now.subgroup, other.subgroup, other.time)))
      return true;
    return order_->comesAfter(now.subgroup, other);
  };
  if (accesses.write && !isBefore(accesses.write)) return {accesses.write, Kind::Write};
  for (const Touch &atomic : accesses.atomics) {
    bool over = kind == Kind::Atomic ? bothAtomic(now, atomic) : atomic.workgroup != now.workgroup && order_->settled(p);
    if (!over && !isBefore(atomic)) return {atomic, Kind::Atomic};
  }
  if (kind == Kind::Read) return {};
  for (const Touch &read : accesses.reads)
    if (!isBefore(read)) return {read, Kind::Read};
  return {};
}

void AccessChecks::add(Accesses &accesses, Kind kind, const Touch &now) {
  if (kind == Kind::Write) {
    accesses = {now, {}, {}}; // who comes after the write comes after what it came after
    return;
  }
  std::vector<Touch> &others = kind == Kind::Read ? accesses.reads : accesses.atomics;
  auto same = [&](const Touch &other) { return other.workgroup == now.workgroup && other.subgroup == now.subgroup; };
  if (auto found = std::ranges::find_if(others, same); found != others.end())
    others.erase(found);
  else if (others.size() == kMostOthers)
    others.erase(others.begin());
  others.push_back(now);
}

// Whether two updates are atomic with each other.
bool AccessChecks::bothAtomic(const Touch &one, const Touch &other) const {
  auto inWorkgroup = [&](const Touch &touch) { return AtomicUpdate(history_.op(touch.op)).inWorkgroup(); };
  return one.workgroup == other.workgroup || !(inWorkgroup(one) || inWorkgroup(other));
}

void AccessChecks::remember(Cell &cell, Kind kind, const Touch &now) {
  auto live = [&](const Touch &touch) { return touch && touch.workgroup == now.workgroup && touch.epoch == now.epoch; };
  auto addTo = [&](Touch(&touches)[2]) {
    if (!live(touches[0]))
      touches[0] = now, touches[1] = {};
    else if (touches[0].subgroup == now.subgroup)
      touches[0].time = now.time; // an access ordered after this one is ordered after the subgroup's earlier ones too
    else if (!live(touches[1]) || touches[1].subgroup == now.subgroup)
      touches[1] = now;
  };
  switch (kind) {
  case Kind::Read:
    if (!cell.firstRead) cell.firstRead = now;
    return addTo(cell.reads);
  case Kind::Write:
    if (!cell.firstWrite) cell.firstWrite = now;
    cell.write = now;
    return;
  case Kind::AtomicRead:
  case Kind::Atomic:
    if (!cell.firstAtomic) cell.firstAtomic = now;
    return addTo(cell.atomics);
  }
}

void AccessChecks::outside(const AccessSite &site, Kind kind, const MemoryRange &buffer, std::span<const int64_t> index) {
  if (!checks_.bounds || site.phase == CopyPhase::Lands) return; // a copy is reported when it begins
  findings_.addOutside({touch(site), kind}, [&] {
    std::string of = memory_.bufferText(buffer);
    if (index.size() == 1 && isOutsideOffset(index[0])) return str("outside in a dimension", of.empty() ? "" : " of ", of);
    return str("[", join(index, ", "), "]", of.empty() ? "" : " of ", of);
  });
}

void AccessChecks::writesTwice(const AccessSite &site, const unsigned char *p) {
  if (checks_.race) findings_.addTwice({touch(site), Kind::Write}, [&] { return memory_.elementAt(p); });
}

void AccessChecks::report(Diagnostics &diagnostics) {
  for (const CheckedMemory::Region &region : memory_.regions()) collectUnwritten(region);
  findings_.report(diagnostics);
}

} // namespace xt
