// The messages of a launch's checks.
#include "ir/base/text.h"
#include "ir/interp/launch_checks.h"
#include "ir/op_kinds.h"

namespace xt {
namespace {

constexpr size_t kMostRaces = 8; // reported races

using Kind = MemoryMonitor::Kind;

std::string_view verb(Kind kind) {
  switch (kind) {
  case Kind::Read: return "reads";
  case Kind::Write: return "writes";
  case Kind::Atomic: return "updates";
  }
  return "";
}

// Plain `load` and `store` would be ambiguous.
std::string opName(const Op &op) {
  return str("`", op.info().dialect == Dialect::Memref ? fullName(op.kind()) : op.info().name, "`");
}

} // namespace

size_t LaunchChecks::report(Diagnostics &diagnostics) {
  for (const Region &region : regions_) collectUnwritten(region);
  size_t before = diagnostics.errorCount(), races = 0;
  for (const Diagnostic &found : stuck_.all()) diagnostics.report(found.code, found.range, "") = found;
  for (const auto &[op, found] : disagreements_) diagnostics.report(found.code, found.range, found.message) = found;
  for (const auto &[op, way] : ways_) reportWay(way, diagnostics);
  for (const auto &[ops, race] : races_) {
    if (races++ == kMostRaces) {
      diagnostics.noteErrorAfter(diagnostics.errorCount() - 1,
                                 str(races_.size() - kMostRaces, " more pairs of statements conflict in this kernel"));
      break;
    }
    reportRace(race, diagnostics);
  }
  for (const auto &[ops, early] : early_) reportEarly(early, diagnostics);
  for (const auto &[op, found] : unwritten_) reportUnwritten(found, diagnostics);
  for (const auto &[op, found] : outside_) reportOutside(found, diagnostics);
  return diagnostics.errorCount() - before;
}

// "" for a launch without a grid: it has only one workgroup, which needs no name.
std::string LaunchChecks::workgroupText(const Touch &touch) const {
  const std::vector<int64_t> &id = workgroups_[touch.workgroup];
  return id.empty() ? "" : xt::workgroupText(kernel_, id);
}

std::string LaunchChecks::who(const Touch &touch) const {
  std::string workgroup = workgroupText(touch);
  return str(workerText(kernel_, touch.subgroup), workgroup.empty() ? "" : " of ", workgroup);
}

void LaunchChecks::reportOutside(const Found &found, Diagnostics &diagnostics) const {
  std::string_view what = found.op->kind() == OpKind::Load ? "it reads 0"
                          : found.kind == Kind::Read       ? "it reads the padding"
                                                           : "it writes nothing there";
  diagnostics
      .report(DiagCode::OutsideBase, found.op->range(),
              str(opName(*found.op), " ", verb(found.kind), " out of bounds of its base: ", found.count,
                  found.count == 1 ? " element, " : " elements, the first ", found.element, ", by ", who(found.first)))
      .note(str("this is legal: ", what));
}

void LaunchChecks::reportUnwritten(const Found &found, Diagnostics &diagnostics) const {
  Diagnostic &diagnostic = diagnostics.report(DiagCode::UnwrittenRead, found.op->range(),
                                              str(who(found.first), " reads ", found.element, ", which has not been written",
                                                  found.slm ? " in this workgroup" : " (it is in an `out` buffer)"));
  if (found.count > 1) diagnostic.note(str("the first of ", found.count, " such elements"));
  if (found.slm) diagnostic.note("shared local memory is not initialised, and belongs to one workgroup");
}

void LaunchChecks::reportRace(const Race &race, Diagnostics &diagnostics) const {
  const Found &found = race.found;
  const Op *other = ops_[race.other.op - 1];
  bool across = race.other.workgroup != found.first.workgroup;
  std::string here = across ? who(found.first) : workerText(kernel_, found.first.subgroup),
              there = across ? who(race.other) : workerText(kernel_, race.other.subgroup);
  Diagnostic &diagnostic =
      diagnostics.report(DiagCode::DataRace, found.op->range(),
                         str(here, " ", verb(found.kind), " ", found.element, ", which ", there, " ", verb(race.otherKind),
                             across ? " as well" : ", without a barrier between them"));
  if (other != found.op) diagnostic.at(other->range(), str(there, " ", verb(race.otherKind), " it here"));
  if (across) {
    diagnostic.note("workgroups run in any order and at the same time; use `atomic_rmw` to combine their contributions");
  } else {
    std::string workgroup = workgroupText(found.first);
    diagnostic.note(str(workgroup.empty() ? "" : "in " + workgroup + "; ", kernel_.scope == Scope::Lane ? "lanes" : "subgroups",
                        " run in any order between two barriers"));
  }
  if (found.count > 1) diagnostic.note(str("the first of ", found.count, " such accesses"));
}

void LaunchChecks::reportEarly(const Early &early, Diagnostics &diagnostics) const {
  const Found &found = early.found;
  const bool toTarget = found.slm;
  Diagnostic &diagnostic =
      diagnostics.report(DiagCode::CopyInFlight, found.op->range(),
                         str(who(found.first), " ", verb(found.kind), " ", found.element, " before an asynchronous copy ",
                             toTarget ? "to it has landed" : "has read it"));
  if (ops_[early.copy.op - 1] != found.op)
    diagnostic.at(ops_[early.copy.op - 1]->range(), str("begun here by ", workerText(kernel_, early.copy.subgroup)));
  if (found.count > 1) diagnostic.note(str("the first of ", found.count, " such accesses"));
  diagnostic.note("a copy has landed after the `async_wait` for its group by the subgroup that began it; a barrier after the "
                  "wait makes it visible to other subgroups");
}

void LaunchChecks::reportWay(const Way &way, Diagnostics &diagnostics) const {
  std::string one = workerText(kernel_, way.subgroups[0]), other = workerText(kernel_, way.subgroups[1]);
  std::string both =
      kernel_.scope == Scope::Lane ? str(one, " and ", other) : str("subgroups ", way.subgroups[0], " and ", way.subgroups[1]);
  Diagnostic &diagnostic = diagnostics.report(DiagCode::SubgroupsDiverge, way.place->range(),
                                              str(both, " of ", xt::workgroupText(kernel_, way.workgroup), " meet at this ",
                                                  opName(*way.place), " in different iterations of a loop"));
  diagnostic.at(way.loop->range(), str(one, " is in iteration ", way.iterations[0], " of this loop, ", other, " in iteration ",
                                       way.iterations[1]));
  if (way.count > 1) diagnostic.note(str("the first of ", way.count, " such meetings here"));
}

} // namespace xt
