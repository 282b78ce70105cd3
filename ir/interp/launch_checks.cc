#include "ir/interp/launch_checks.h"

#include "ir/base/text.h"
#include "ir/interp/launch_state.h"
#include "ir/op_kinds.h"

#include <algorithm>
#include <utility>

namespace xt {

LaunchChecks::LaunchChecks(const Kernel &kernel, const std::vector<LaunchArg> &args, SlmMemory &slm, Checks checks)
    : kernel_(kernel), checks_(checks) {
  bool fences = false, atomics = false;
  walk(kernel.body, [&](const Op &op) {
    ops_.push_back(&op);
    opNumber_[&op] = static_cast<uint32_t>(ops_.size());
    fences |= op.kind() == OpKind::Fence;
    atomics |= op.kind() == OpKind::AtomicRmw;
  });
  fencesOrder_ = fences && atomics;
  addBuffers(kernel, args);
  size_t workers = workerCount(kernel);
  known_.assign(workers, Clock(workers, 0));
  addSlm(kernel, slm);
}

void LaunchChecks::addBuffers(const Kernel &kernel, const std::vector<LaunchArg> &args) {
  // Tiles at addresses may have any element type: memory is then tracked byte by byte.
  bool anyType = false;
  walk(kernel.body, [&](const Op &op) { anyType |= op.kind() == OpKind::InitTile && !op.operand(0)->type().isMemRef(); });
  std::vector<Piece> pieces;
  for (size_t i = 0; i < args.size(); ++i) {
    const BufferView &view = args[i].buffer;
    if (!view.data) continue;
    MemoryRange range = bytesOf(view);
    auto bytes = static_cast<size_t>(elemInfo(view.elem).storageBytes);
    buffers_.push_back(
        {"%" + kernel.param(i)->name(), range, static_cast<const unsigned char *>(view.data), bytes, view.sizes, view.strides});
    if (range.low != range.high) pieces.push_back({range, anyType ? 1 : bytes, view.unwritten});
  }
  addConnected(std::move(pieces), false);
}

// Buffers may overlap: overlapping buffers form one region.
void LaunchChecks::addConnected(std::vector<Piece> pieces, bool slm) {
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece &a, const Piece &b) { return a.range.low < b.range.low; });
  for (size_t i = 0, end; i < pieces.size(); i = end) {
    Piece joined = pieces[i];
    for (end = i + 1; end < pieces.size() && pieces[end].range.low < joined.range.high; ++end) {
      const Piece &next = pieces[end];
      joined.range.high = std::max(joined.range.high, next.range.high);
      joined.fresh &= next.fresh;
      bool aligned = next.unit == joined.unit && static_cast<size_t>(next.range.low - joined.range.low) % joined.unit == 0;
      if (!aligned) joined.unit = 1;
    }
    addRegion(joined.range, joined.unit, slm, joined.fresh);
  }
}

void LaunchChecks::addSlm(const Kernel &kernel, SlmMemory &slm) {
  std::vector<Piece> pieces;
  for (const Op &op : kernel.body) {
    if (op.kind() != OpKind::AllocSlm) continue;
    MemRefValue memref = slm.at(op);
    auto bytes = static_cast<size_t>(elemInfo(memref.elem).storageBytes);
    std::vector<int64_t> sizes(memref.sizes.begin(), memref.sizes.begin() + static_cast<ptrdiff_t>(memref.rank)),
        strides(memref.strides.begin(), memref.strides.begin() + static_cast<ptrdiff_t>(memref.rank));
    buffers_.push_back({"%" + op.result()->name(), memref.memory, memref.data, bytes, sizes, strides, memref.swizzle});
    pieces.push_back({memref.memory, bytes, true});
  }
  addConnected(std::move(pieces), true);
}

void LaunchChecks::addRegion(MemoryRange range, size_t unit, bool slm, bool fresh) {
  regions_.push_back({ShadowRegion(range, unit), slm, fresh});
}

LaunchChecks::Region *LaunchChecks::regionOf(const unsigned char *p) {
  for (size_t tried = 0; tried < regions_.size(); ++tried) {
    if (regions_[lastRegion_].shadow.range().contains(p, 1)) return &regions_[lastRegion_];
    lastRegion_ = (lastRegion_ + 1) % regions_.size();
  }
  return nullptr;
}

std::string LaunchChecks::elementAt(const unsigned char *p) const {
  for (const NamedBuffer &buffer : buffers_)
    if (buffer.range.contains(p, 1)) return elementText(buffer, p);
  return "an element";
}

Touch LaunchChecks::touch(const AccessSite &site) {
  return {opNumber_.at(site.op), static_cast<uint32_t>(workgroups_.size() - 1), epoch_, static_cast<uint32_t>(site.subgroup),
          known_[site.subgroup][site.subgroup]};
}

void LaunchChecks::enter(const std::vector<int64_t> &blockId) {
  workgroups_.push_back(blockId);
  epoch_ = 0;
  for (size_t s = 0; s < known_.size(); ++s) {
    std::fill(known_[s].begin(), known_[s].end(), 0u);
    known_[s][s] = 1;
  }
  rounds_.clear();
  sides_.clear();
  for (Region &region : regions_)
    if (region.slm) {
      collectUnwritten(region);
      region.shadow.forget();
    }
  flights_.clear(); // a workgroup's copies end with it, and cells of shared local memory are gone
}

// --- accesses --------------------------------------------------------------------------------------------------------

void LaunchChecks::access(const AccessSite &site, Kind kind, const unsigned char *p, size_t bytes) {
  if (!checks_.race && !checks_.uninit) return;
  Region *region = regionOf(p);
  if (!region) return;
  Touch now = touch(site);
  bool raced = false;
  region->shadow.forEachCell(p, bytes, [&](Cell &cell) {
    if (checks_.race && isEarly(cell, site, kind, now, p, region->slm)) {
      cell.unwritten = {}; // the mistake is that it comes too early
      remember(cell, kind, now);
      return;
    }
    Conflict other = checks_.race ? conflict(cell, kind, now, region->slm) : Conflict();
    if (other.touch) {
      if (!raced) addRace({now, kind}, other, p);
      raced = true;
      cell.unwritten = {}; // the mistake is the order, not the missing write
    } else if (kind != Kind::Write && region->fresh && !cell.firstWrite && !cell.firstAtomic && !cell.unwritten) {
      cell.unwritten = now;
    }
    remember(cell, kind, now);
  });
}

bool LaunchChecks::isEarly(const Cell &cell, const AccessSite &site, Kind kind, const Touch &now, const unsigned char *p,
                           bool slm) {
  if (flights_.empty() && site.phase != CopyPhase::Begins) return false;
  const bool writes = kind != Kind::Read;
  std::vector<Flight> &flights = flights_[&cell];
  if (site.phase == CopyPhase::Lands) {
    auto landed = std::ranges::find_if(flights, [&](const Flight &flight) {
      return flight.writes == writes && flight.copy.op == now.op && flight.copy.subgroup == now.subgroup;
    });
    if (landed != flights.end()) flights.erase(landed);
  }
  auto forbids = std::ranges::find_if(flights, [&](const Flight &flight) { return flight.writes || writes; });
  const Touch copy = forbids == flights.end() ? Touch() : forbids->copy;
  if (site.phase == CopyPhase::Begins) flights.push_back({now, writes});
  if (flights.empty()) flights_.erase(&cell);
  if (!copy || site.phase == CopyPhase::Lands) return false;
  Early &early = early_[{now.op, copy.op}];
  if (early.found.count++ == 0) early = {{site.op, kind, elementAt(p), slm, now, 1}, copy};
  return true;
}

void LaunchChecks::collectUnwritten(const Region &region) {
  if (!checks_.uninit || !region.fresh) return;
  region.shadow.forEachKnown([&](const Cell &cell, const unsigned char *p) {
    if (!cell.unwritten) return;
    Found &found = unwritten_[cell.unwritten.op];
    if (found.count++ == 0) found = {ops_[cell.unwritten.op - 1], Kind::Read, elementAt(p), region.slm, cell.unwritten, 1};
  });
}

LaunchChecks::Conflict LaunchChecks::conflict(const Cell &cell, Kind kind, const Touch &now, bool slm) const {
  auto meets = [&](const Touch &other) {
    return other && other.workgroup == now.workgroup && other.epoch == now.epoch && other.subgroup != now.subgroup &&
           known_[now.subgroup][other.subgroup] < other.time;
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

void LaunchChecks::remember(Cell &cell, Kind kind, const Touch &now) {
  auto live = [&](const Touch &touch) { return touch && touch.workgroup == now.workgroup && touch.epoch == now.epoch; };
  auto addTo = [&](Touch(&touches)[2]) {
    if (!live(touches[0]))
      touches[0] = now, touches[1] = {};
    else if (touches[0].subgroup == now.subgroup)
      touches[0].time = now.time; // its earlier accesses are ordered at least as well
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

void LaunchChecks::addRace(Conflict one, Conflict other, const unsigned char *p) {
  if (one.touch.op < other.touch.op) std::swap(one, other);
  bool across = one.touch.workgroup != other.touch.workgroup;
  Race &race = races_[{one.touch.op, other.touch.op, across}];
  if (race.found.count++ > 0) return;
  race = {{ops_[one.touch.op - 1], one.kind, elementAt(p), false, one.touch, 1}, other.kind, other.touch};
}

void LaunchChecks::outside(const AccessSite &site, Kind kind, const MemoryRange &buffer, std::span<const int64_t> index) {
  if (!checks_.bounds || site.phase == CopyPhase::Lands) return; // reported when the copy began
  Touch now = touch(site);
  Found &found = outside_[now.op];
  if (found.count++ > 0) return;
  auto named = std::find_if(buffers_.begin(), buffers_.end(),
                            [&](const NamedBuffer &candidate) { return buffer.low && candidate.range.low == buffer.low; });
  std::string of = named == buffers_.end() ? "" : str(" of `", named->name, "`");
  found = {site.op, kind, str("[", join(index, ", "), "]", of), false, now, 1};
}

// --- meetings --------------------------------------------------------------------------------------------------------

void LaunchChecks::meeting(const Step &place, std::span<const Subgroup> subgroups) {
  if (place.op->kind() == OpKind::Barrier) ++epoch_;
  if (!checks_.divergence) return;
  std::vector<LoopIteration> first = subgroups[0].iterations();
  for (const Subgroup &subgroup : subgroups) {
    std::vector<LoopIteration> way = subgroup.iterations();
    // The place is the same, so its surrounding loops are: only their iteration numbers may differ.
    auto [a, b] = std::mismatch(first.begin(), first.end(), way.begin());
    if (a == first.end()) continue;
    Way &found = ways_[opNumber_.at(place.op)];
    if (found.count++ == 0)
      found = {place.op,           a->loop, {a->number, b->number}, {subgroups[0].worker().id(), subgroup.worker().id()},
               workgroups_.back(), 1};
    return;
  }
}

void LaunchChecks::learn(Clock &into, const Clock &other) {
  if (into.empty()) into.resize(other.size());
  for (size_t s = 0; s < other.size(); ++s) into[s] = std::max(into[s], other[s]);
}

// The counts stated by the last to arrive decide when a barrier is complete: if they differ, completion depends on the order.
void LaunchChecks::takesPart(const Op &op, size_t worker, const NamedBarrierPart &part, uint64_t round) {
  if (!checks_.divergence) return;
  Side one = sides_.try_emplace({part.id, round}, Side{&op, worker, part}).first->second, other{&op, worker, part};
  if (one.part.producers == part.producers && one.part.consumers == part.consumers) return;
  // Reported at the later one in the program, independently of the order of arrival.
  auto place = [&](const Side &side) { return std::pair(opNumber_.at(side.op), side.worker); };
  if (place(other) < place(one)) std::swap(one, other);
  auto numbers = [](const NamedBarrierPart &of) {
    return str(of.producers, of.producers == 1 ? " producer and " : " producers and ", of.consumers,
               of.consumers == 1 ? " consumer" : " consumers");
  };
  Diagnostic diagnostic{};
  diagnostic.code = DiagCode::SubgroupsDiverge;
  diagnostic.severity = Severity::Error;
  diagnostic.range = other.op->range();
  diagnostic.message = str(workerText(kernel_, other.worker), " arrives at named barrier ", part.id, " of ",
                           xt::workgroupText(kernel_, workgroups_.back()), " with ", numbers(other.part), ", but ",
                           workerText(kernel_, one.worker), " arrived with ", numbers(one.part));
  if (one.op != other.op) diagnostic.at(one.op->range(), str(workerText(kernel_, one.worker), " arrives here"));
  diagnostic.note("all subgroups that arrive at a named barrier must state the same `num_producers` and `num_consumers`");
  disagreements_.try_emplace(opNumber_.at(other.op), std::move(diagnostic));
}

void LaunchChecks::arrived(size_t subgroup, size_t barrier, uint64_t round) {
  learn(rounds_[{barrier, round}], known_[subgroup]);
  ++known_[subgroup][subgroup];
}

void LaunchChecks::passed(size_t subgroup, size_t barrier, uint64_t round) {
  learn(known_[subgroup], rounds_[{barrier, round}]);
}

void LaunchChecks::neverMeet(std::span<const Subgroup> subgroups) {
  if (!checks_.divergence) return;
  std::vector<Standing> standing = standingsOf(subgroups);
  auto waits = std::find_if(standing.begin(), standing.end(), [](const Standing &s) { return s.place != nullptr; });
  bool ofLanes = kernel_.scope == Scope::Lane;
  size_t lanes = ofLanes ? static_cast<size_t>(kernel_.lanes) : 0;
  Diagnostic &diagnostic =
      stuck_.report(DiagCode::SubgroupsDiverge, waits->place->op->range(),
                    str("not all ", ofLanes ? "lanes" : "subgroups", " of ", xt::workgroupText(kernel_, workgroups_.back()),
                        " arrive at this `", waits->place->op->info().name, "`"));
  diagnostic.withLabel(waits->text(lanes));
  for (const Standing &other : standing) {
    if (other.place == waits->place) continue;
    if (other.place)
      diagnostic.at(other.place->op->range(), other.text(lanes));
    else
      diagnostic.note(other.text(lanes));
  }
}

} // namespace xt
