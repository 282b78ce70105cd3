#include "ir/interp/meeting_checks.h"

#include "ir/base/text.h"

#include <algorithm>

namespace xt {

void MeetingChecks::meeting(const Step &place, std::span<const Subgroup> subgroups) {
  std::vector<LoopIteration> first = subgroups[0].iterations();
  for (const Subgroup &subgroup : subgroups) {
    std::vector<LoopIteration> way = subgroup.iterations();
    // All subgroups wait at the same op and so are in the same loops: only the numbers of iterations may differ.
    auto [a, b] = std::mismatch(first.begin(), first.end(), way.begin());
    if (a == first.end()) continue;
    Way &found = ways_[history_.numberOf(*place.op)];
    size_t ids[] = {subgroups[0].worker().id(), subgroup.worker().id()};
    if (found.count++ == 0) found = {place.op, a->loop, {a->number, b->number}, {ids[0], ids[1]}, history_.workgroup(), 1};
    return;
  }
}

// Reports workers that state different counts. The counts of the last worker to arrive decide whether a barrier is complete,
// so its completion would depend on the order of arrival.
void MeetingChecks::takesPart(const Op &op, size_t worker, const NamedBarrierPart &part, uint64_t round) {
  Side one = sides_.try_emplace({part.id, round}, Side{&op, worker, part}).first->second, other{&op, worker, part};
  if (one.part.producers == part.producers && one.part.consumers == part.consumers) return;
  // The report is at the op that is later in the program, whatever the order of arrival.
  auto place = [&](const Side &side) { return std::pair(history_.numberOf(*side.op), side.worker); };
  if (place(other) < place(one)) std::swap(one, other);
  disagreements_.try_emplace(history_.numberOf(*other.op), disagreement(one, other));
}

Diagnostic MeetingChecks::disagreement(const Side &one, const Side &other) const {
  auto numbers = [](const NamedBarrierPart &of) {
    return str(of.producers, of.producers == 1 ? " producer and " : " producers and ", of.consumers,
               of.consumers == 1 ? " consumer" : " consumers");
  };
  Diagnostic diagnostic{};
  diagnostic.code = DiagCode::SubgroupsDiverge;
  diagnostic.severity = Severity::Error;
  diagnostic.range = other.op->range();
  diagnostic.message = str(workerText(history_.kernel(), other.worker), " arrives at named barrier ", other.part.id, " of ",
                           workgroupText(history_.kernel(), history_.workgroup()), " with ", numbers(other.part), ", but ",
                           workerText(history_.kernel(), one.worker), " arrived with ", numbers(one.part));
  if (one.op != other.op) diagnostic.at(one.op->range(), str(workerText(history_.kernel(), one.worker), " arrives here"));
  diagnostic.note("all subgroups that arrive at a named barrier must state the same `num_producers` and `num_consumers`");
  return diagnostic;
}

void MeetingChecks::neverMeet(std::span<const Subgroup> subgroups) {
  std::vector<Standing> standing = standingsOf(subgroups);
  auto waits = std::find_if(standing.begin(), standing.end(), [](const Standing &s) { return s.place != nullptr; });
  bool ofLanes = history_.kernel().scope == Scope::Lane;
  size_t lanes = ofLanes ? static_cast<size_t>(history_.kernel().lanes) : 0;
  Diagnostic &diagnostic = stuck_.report(DiagCode::SubgroupsDiverge, waits->place->op->range(),
                                         str("not all ", ofLanes ? "lanes" : "subgroups", " of ",
                                             workgroupText(history_.kernel(), history_.workgroup()), " arrive at this `",
                                             waits->place->op->info().name, "`"));
  diagnostic.withLabel(waits->text(lanes));
  for (const Standing &other : standing) {
    if (other.place == waits->place) continue;
    if (other.place)
      diagnostic.at(other.place->op->range(), other.text(lanes));
    else
      diagnostic.note(other.text(lanes));
  }
}

void MeetingChecks::report(Diagnostics &diagnostics) const {
  for (const Diagnostic &found : stuck_.all()) diagnostics.report(found.code, found.range, "") = found;
  for (const auto &[op, found] : disagreements_) diagnostics.report(found.code, found.range, found.message) = found;
  for (const auto &[op, way] : ways_) reportWay(way, diagnostics);
}

void MeetingChecks::reportWay(const Way &way, Diagnostics &diagnostics) const {
  std::string one = workerText(history_.kernel(), way.subgroups[0]), other = workerText(history_.kernel(), way.subgroups[1]);
  std::string both = history_.kernel().scope == Scope::Lane ? str(one, " and ", other)
                                                            : str("subgroups ", way.subgroups[0], " and ", way.subgroups[1]);
  Diagnostic &diagnostic =
      diagnostics.report(DiagCode::SubgroupsDiverge, way.place->range(),
                         str(both, " of ", workgroupText(history_.kernel(), way.workgroup), " meet at this ",
                             history_.nameOf(*way.place).value_or("place"), " in different iterations of a loop"));
  diagnostic.at(way.loop->range(), str(one, " is in iteration ", way.iterations[0], " of this loop, ", other, " in iteration ",
                                       way.iterations[1]));
  if (way.count > 1) diagnostic.note(str("the first of ", way.count, " such meetings here"));
}

} // namespace xt
