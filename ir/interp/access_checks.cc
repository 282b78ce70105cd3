#include "ir/interp/access_checks.h"

#include "ir/base/text.h"
#include "ir/op_kinds.h"

namespace xt {

AccessChecks::AccessChecks(Checks checks, const LaunchHistory &history, const BarrierClocks &clocks, CheckedMemory memory)
    : checks_(checks), history_(history), clocks_(clocks), memory_(std::move(memory)), findings_(history) {
  bool fences = false, atomics = false;
  walk(history.kernel().body, [&](const Op &op) {
    fences |= op.kind() == OpKind::Fence;
    atomics |= op.kind() == OpKind::AtomicRmw;
  });
  fencesOrder_ = fences && atomics;
}

Touch AccessChecks::touch(const AccessSite &site) const {
  return {history_.numberOf(*site.op), history_.workgroupNumber(), epoch_, static_cast<uint32_t>(site.subgroup),
          clocks_.timeOf(site.subgroup)};
}

void AccessChecks::enter() {
  epoch_ = 0;
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
    Access other = checks_.race ? conflict(cell, kind, now, region->slm) : Access();
    if (other.touch) {
      if (!raced) findings_.addRace({now, kind}, other, element);
      raced = true;
      cell.unwritten = {}; // reported as a race, and not as a read of an unwritten element too
    } else if (kind != Kind::Write && region->fresh && !cell.firstWrite && !cell.firstAtomic && !cell.unwritten) {
      cell.unwritten = now;
    }
    remember(cell, kind, now);
  });
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
  auto across = [&](const Touch &other) { return other && !slm && !fencesOrder_ && other.workgroup != now.workgroup; };
  if (meets(cell.write)) return {cell.write, Kind::Write};
  if (across(cell.firstWrite)) return {cell.firstWrite, Kind::Write};
  if (kind != Kind::Atomic) {
    for (const Touch &atomic : cell.atomics)
      if (meets(atomic)) return {atomic, Kind::Atomic};
    if (across(cell.firstAtomic)) return {cell.firstAtomic, Kind::Atomic};
  }
  if (kind == Kind::Read) return {};
  for (const Touch &read : cell.reads)
    if (meets(read)) return {read, Kind::Read};
  if (across(cell.firstRead)) return {cell.firstRead, Kind::Read};
  return {};
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
  case Kind::Atomic:
    if (!cell.firstAtomic) cell.firstAtomic = now;
    return addTo(cell.atomics);
  }
}

void AccessChecks::outside(const AccessSite &site, Kind kind, const MemoryRange &buffer, std::span<const int64_t> index) {
  if (!checks_.bounds || site.phase == CopyPhase::Lands) return; // a copy is reported when it begins
  findings_.addOutside({touch(site), kind}, [&] {
    std::string of = memory_.bufferText(buffer);
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
