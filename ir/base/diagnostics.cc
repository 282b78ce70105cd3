#include "ir/base/diagnostics.h"

#include "ir/base/check.h"
#include "ir/base/text.h"

#include <algorithm>
#include <charconv>

namespace xt {

const std::vector<DiagInfo> &allDiagnostics() {
  static const std::vector<DiagInfo> table = [] {
    std::vector<DiagInfo> rows = {
#define XT_DIAG(name, number, severity, title, explanation) {DiagCode::name, #name, severity, title, explanation},
#include "ir/base/diagnostics.def"
#undef XT_DIAG
    };
    std::sort(rows.begin(), rows.end(), [](const DiagInfo &a, const DiagInfo &b) { return a.code < b.code; });
    return rows;
  }();
  return table;
}

namespace {
const DiagInfo *findNumber(unsigned number) {
  const auto &rows = allDiagnostics();
  auto row = std::lower_bound(rows.begin(), rows.end(), number,
                              [](const DiagInfo &info, unsigned wanted) { return static_cast<unsigned>(info.code) < wanted; });
  return row != rows.end() && static_cast<unsigned>(row->code) == number ? &*row : nullptr;
}
} // namespace

const DiagInfo &diagInfo(DiagCode code) {
  const DiagInfo *info = findNumber(static_cast<unsigned>(code));
  XT_CHECK(info, "a code without a row in diagnostics.def");
  return *info;
}

const DiagInfo *findDiag(std::string_view text) {
  if (text.starts_with("XT") || text.starts_with("xt")) text.remove_prefix(2);
  unsigned number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return nullptr;
  return findNumber(number);
}

std::string codeText(DiagCode code) {
  std::string digits = std::to_string(static_cast<unsigned>(code));
  return "XT" + std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits;
}

// Whether an equal diagnostic has been recorded. Instances of one kernel for several parameters report the same mistakes, and
// so do several uses of one alias.
bool Diagnostics::isReported(const Diagnostic &diagnostic) const {
  if (diagnostic.range.file == 0) return false; // without a location, equal messages may be about different things
  // Only the latest diagnostics are compared, to keep the time linear. If there are more, only few of them are shown anyway.
  constexpr size_t kMostCompared = 4000;
  auto first = list_.begin() + static_cast<ptrdiff_t>(list_.size() > kMostCompared ? list_.size() - kMostCompared : 0);
  return std::any_of(first, list_.end(), [&](const Diagnostic &other) {
    return other.code == diagnostic.code && other.range == diagnostic.range && other.message == diagnostic.message;
  });
}

Diagnostic &Diagnostics::report(DiagCode code, SourceRange range, std::string message) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.severity = diagInfo(code).severity;
  diagnostic.range = range;
  diagnostic.message = std::move(message);
  bool unwanted = diagnostic.severity == Severity::Remark && !remarks_;
  if (unwanted || isReported(diagnostic)) return dropped_ = std::move(diagnostic);
  if (diagnostic.severity == Severity::Error) ++errors_;
  list_.push_back(std::move(diagnostic));
  return list_.back();
}

std::vector<const Diagnostic *> Diagnostics::sorted() const {
  std::vector<const Diagnostic *> order;
  order.reserve(list_.size());
  for (const Diagnostic &diagnostic : list_) order.push_back(&diagnostic);
  std::stable_sort(order.begin(), order.end(), [](const Diagnostic *a, const Diagnostic *b) {
    return a->range.file != b->range.file ? a->range.file < b->range.file : a->range.begin < b->range.begin;
  });
  return order;
}

Diagnostic *Diagnostics::errorAfter(size_t errors) {
  size_t seen = 0;
  for (Diagnostic &diagnostic : list_)
    if (diagnostic.severity == Severity::Error && seen++ >= errors) return &diagnostic;
  return nullptr;
}

void Diagnostics::noteErrorAfter(size_t errors, std::string text) {
  if (Diagnostic *diagnostic = errorAfter(errors)) diagnostic->note(std::move(text));
}

void Diagnostics::labelErrorAfter(size_t errors, SourceRange range, std::string text) {
  if (Diagnostic *diagnostic = errorAfter(errors)) diagnostic->at(range, std::move(text));
}

void Diagnostics::fixErrorAfter(size_t errors, std::string title, SourceRange range, std::string replacement) {
  if (Diagnostic *diagnostic = errorAfter(errors)) diagnostic->fix(std::move(title), range, std::move(replacement));
}

void Diagnostics::tryFixes(size_t first, const std::function<bool(const FixIt &)> &mends) {
  constexpr size_t kMostFixes = 2;
  for (size_t d = first; d < list_.size(); ++d) {
    std::vector<FixIt> kept;
    bool beforeKept = false;
    for (FixIt &fix : list_[d].fixits) {
      if (fix.instead && beforeKept) continue;
      beforeKept = kept.size() < kMostFixes && (!fix.candidate || mends(fix));
      if (!beforeKept) continue;
      fix.candidate = false;
      kept.push_back(std::move(fix));
    }
    list_[d].fixits = std::move(kept);
  }
}

namespace {
TextEdit plainEdit(const TextEdit &edit, std::string_view text) {
  if (edit.place == TextEdit::Place::Range) return edit;
  size_t line = std::min<size_t>(edit.range.begin, text.size());
  while (line > 0 && text[line - 1] != '\n') --line;
  std::string_view indent = text.substr(line, std::min(text.find_first_not_of(" \t", line), text.size()) - line);
  if (edit.place == TextEdit::Place::LineBefore)
    return {{edit.range.file, static_cast<uint32_t>(line), static_cast<uint32_t>(line)}, str(indent, edit.replacement, "\n")};
  auto end = static_cast<uint32_t>(std::min(text.find('\n', edit.range.end), text.size()));
  return {{edit.range.file, end, end}, str("\n", indent, edit.replacement)};
}
} // namespace

std::vector<TextEdit> plainEdits(const FixIt &fix, const SourceManager &sources) {
  std::vector<TextEdit> edits;
  for (const TextEdit &edit : fix.edits) edits.push_back(plainEdit(edit, sources.file(edit.range.file).text()));
  std::stable_sort(edits.begin(), edits.end(),
                   [](const TextEdit &a, const TextEdit &b) { return a.range.begin > b.range.begin; });
  return edits;
}

} // namespace xt
