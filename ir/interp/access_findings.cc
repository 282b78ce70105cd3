// Reports the findings about memory accesses as diagnostics.
#include "ir/interp/access_findings.h"

#include "ir/base/text.h"
#include "ir/interp/worker.h"
#include "ir/op_kinds.h"

namespace xt {
namespace {

constexpr size_t kMostRaces = 8; // maximum number of reported races

using Kind = MemoryMonitor::Kind;

std::string_view verb(Kind kind) {
  switch (kind) {
  case Kind::Read: return "reads";
  case Kind::Write: return "writes";
  case Kind::Atomic:
  case Kind::AtomicRead: return "updates";
  }
  return "";
}

} // namespace

void AccessFindings::report(Diagnostics &diagnostics) const {
  reportRaces(diagnostics);
  for (const auto &[op, found] : twice_) reportTwice(found, diagnostics);
  for (const auto &[ops, early] : early_) reportEarly(early, diagnostics);
  for (const auto &[op, found] : unwritten_) reportUnwritten(found, diagnostics);
  for (const auto &[op, found] : outside_) reportOutside(found, diagnostics);
}

void AccessFindings::reportRaces(Diagnostics &diagnostics) const {
  size_t races = 0;
  for (const auto &[ops, race] : races_) {
    if (races++ == kMostRaces) {
      diagnostics.noteErrorAfter(diagnostics.errorCount() - 1,
                                 str(races_.size() - kMostRaces, " more pairs of statements conflict in this kernel"));
      break;
    }
    reportRace(race, diagnostics);
  }
}

void AccessFindings::reportTwice(const Found &found, Diagnostics &diagnostics) const {
  const Op &op = history_.op(found.first.touch.op);
  Diagnostic &diagnostic = diagnostics.report(DiagCode::DataRace, op.range(),
                                              str("two elements of this ", history_.nameOf(op).value_or("access"), " write ",
                                                  found.element, ", by ", history_.who(found.first.touch)));
  diagnostic.note("the elements of a store are written in any order; `atomic_rmw` combines values for one place");
  if (found.count > 1) diagnostic.note(str("the first of ", found.count, " such elements"));
}

void AccessFindings::reportOutside(const Found &found, Diagnostics &diagnostics) const {
  const Op &op = history_.op(found.first.touch.op);
  std::string_view what = op.kind() == OpKind::Load        ? "it reads 0"
                          : found.first.kind == Kind::Read ? "it reads the padding"
                                                           : "it writes nothing there";
  diagnostics
      .report(DiagCode::OutsideBase, op.range(),
              str(history_.nameOf(op).value_or("this access"), " ", verb(found.first.kind),
                  " out of bounds of its base: ", found.count, found.count == 1 ? " element, " : " elements, the first ",
                  found.element, ", by ", history_.who(found.first.touch)))
      .note(str("this is legal: ", what));
}

void AccessFindings::reportUnwritten(const Found &found, Diagnostics &diagnostics) const {
  const Op &op = history_.op(found.first.touch.op);
  Diagnostic &diagnostic =
      diagnostics.report(DiagCode::UnwrittenRead, op.range(),
                         str(history_.who(found.first.touch), " reads ", found.element, ", which has not been written",
                             found.slm ? " in this workgroup" : " (it is in an `out` buffer)"));
  if (found.count > 1) diagnostic.note(str("the first of ", found.count, " such elements"));
  if (found.slm) diagnostic.note("shared local memory is not initialised, and belongs to one workgroup");
}

void AccessFindings::reportRace(const Race &race, Diagnostics &diagnostics) const {
  const Found &found = race.found;
  const Op &op = history_.op(found.first.touch.op);
  const Op *other = &history_.op(race.other.touch.op);
  bool across = race.other.touch.workgroup != found.first.touch.workgroup;
  std::string here = across ? history_.who(found.first.touch) : workerText(history_.kernel(), found.first.touch.subgroup),
              there = across ? history_.who(race.other.touch) : workerText(history_.kernel(), race.other.touch.subgroup);
  Diagnostic &diagnostic =
      diagnostics.report(DiagCode::DataRace, op.range(),
                         str(here, " ", verb(found.first.kind), " ", found.element, ", which ", there, " ",
                             verb(race.other.kind), across ? " as well" : ", without a barrier between them"));
  if (other != &op) diagnostic.at(other->range(), str(there, " ", verb(race.other.kind), " it here"));
  if (across) {
    bool atomic = found.first.kind == Kind::Atomic && race.other.kind == Kind::Atomic;
    diagnostic.note(
        atomic ? "an atomic of the scope `workgroup` is atomic with those of its own workgroup only"
               : "workgroups run in any order and at the same time; use `atomic_rmw` to combine their contributions, or "
                 "order them by a release and an acquire");
  } else {
    std::string workgroup = history_.workgroupText(found.first.touch);
    diagnostic.note(str(workgroup.empty() ? "" : "in " + workgroup + "; ",
                        history_.kernel().scope == Scope::Lane ? "lanes" : "subgroups",
                        " run in any order between two barriers"));
  }
  if (found.count > 1) diagnostic.note(str("the first of ", found.count, " such accesses"));
}

void AccessFindings::reportEarly(const Early &early, Diagnostics &diagnostics) const {
  const Found &found = early.found;
  const Op &op = history_.op(found.first.touch.op);
  const bool toTarget = found.slm;
  Diagnostic &diagnostic =
      diagnostics.report(DiagCode::CopyInFlight, op.range(),
                         str(history_.who(found.first.touch), " ", verb(found.first.kind), " ", found.element,
                             " before an asynchronous copy ", toTarget ? "to it has landed" : "has read it"));
  if (const Op &copy = history_.op(early.copy.op); &copy != &op)
    diagnostic.at(copy.range(), str("begun here by ", workerText(history_.kernel(), early.copy.subgroup)));
  if (found.count > 1) diagnostic.note(str("the first of ", found.count, " such accesses"));
  diagnostic.note("a copy has landed after the `async_wait` for its group by the subgroup that began it; a barrier after the "
                  "wait makes it visible to other subgroups");
}

} // namespace xt
