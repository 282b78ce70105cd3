#include "targets/api/diagnostic_list.h"

#include "ir/base/reports.h"

#include <algorithm>

namespace xt {
namespace {

xt_severity severityOf(Severity severity) {
  switch (severity) {
  case Severity::Error: return XT_SEVERITY_ERROR;
  case Severity::Warning: return XT_SEVERITY_WARNING;
  case Severity::Remark: return XT_SEVERITY_REMARK;
  }
  return XT_SEVERITY_ERROR;
}

} // namespace

DiagnosticList::DiagnosticList(const Diagnostics &diagnostics, const SourceManager &sources) : sources_(&sources) {
  for (const Diagnostic *diagnostic : shownOf(diagnostics, kMostShownToPrograms).list)
    all_.push_back(diagnosticOf(*diagnostic));
  sources_ = nullptr;
}

xt_range DiagnosticList::rangeOf(SourceRange range) {
  const SourceFile &file = sources_->file(range.file < sources_->count() ? range.file : 0);
  LineColumn begin = file.lineColumn(range.begin), end = file.lineColumn(std::max(range.begin, range.end));
  return {keep(file.name()), range.begin, range.end, begin.line, begin.column, end.line, end.column};
}

xt_fix DiagnosticList::fixOf(const FixIt &fix) {
  std::vector<xt_edit> &edits = edits_.emplace_back();
  for (const TextEdit &edit : plainEdits(fix, *sources_)) edits.push_back({rangeOf(edit.range), keep(edit.replacement)});
  return {keep(fix.title), edits.data(), edits.size()};
}

xt_diagnostic DiagnosticList::diagnosticOf(const Diagnostic &diagnostic) {
  std::vector<xt_label> &labels = labels_.emplace_back();
  for (const Label &label : diagnostic.labels) labels.push_back({rangeOf(label.range), keep(label.text)});
  std::vector<const char *> &notes = notes_.emplace_back();
  for (const std::string &note : diagnostic.notes) notes.push_back(keep(note));
  std::vector<xt_fix> &fixes = fixes_.emplace_back();
  for (const FixIt &fix : diagnostic.fixits) fixes.push_back(fixOf(fix));
  xt_diagnostic out = XT_INIT(xt_diagnostic);
  out.severity = severityOf(diagnostic.severity);
  out.code = keep(codeText(diagnostic.code));
  out.message = keep(cutText(diagnostic.message));
  out.range = rangeOf(diagnostic.range);
  out.label = keep(diagnostic.label);
  out.picture = keep(diagnostic.picture);
  out.text = keep(renderText(diagnostic, *sources_, false));
  out.labels = labels.data();
  out.label_count = labels.size();
  out.notes = notes.data();
  out.note_count = notes.size();
  out.fixes = fixes.data();
  out.fix_count = fixes.size();
  return out;
}

} // namespace xt
