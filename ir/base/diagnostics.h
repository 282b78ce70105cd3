// The only diagnostics engine. A diagnostic is data; text, JSON and editor output are renderings of it.
// Messages start in lower case and have no full stop. They say what was found, then the rule.
#pragma once
#include "ir/base/source.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace xt {

enum class Severity : unsigned char { Error, Warning, Remark };

enum class DiagCode : unsigned short {
#define XT_DIAG(name, number, severity, title, explanation) name = number,
#include "ir/base/diagnostics.def"
#undef XT_DIAG
};

struct DiagInfo {
  DiagCode code;
  std::string_view name;
  Severity severity;
  std::string_view title;       // one line
  std::string_view explanation; // the page of `xtc --explain`, plain text with an example
};

// All codes, in the order of their numbers.
const std::vector<DiagInfo> &allDiagnostics();
const DiagInfo &diagInfo(DiagCode code);
const DiagInfo *findDiag(std::string_view text); // the argument is "XT0201" or "201"; null if there is no such code
std::string codeText(DiagCode code);             // "XT0201"

struct Label { // a secondary range with a text
  SourceRange range;
  std::string text;
};

struct TextEdit {
  // Where the replacement is inserted. Range: in place of the range (an insertion if the range is empty). LineBefore: as a
  // separate line before the line where the range begins. LineAfter: as a separate line after the line where the range ends.
  // Separate lines are indented like the line where the range begins.
  enum class Place : unsigned char { Range, LineBefore, LineAfter };
  SourceRange range;
  std::string replacement;
  Place place = Place::Range;
};

struct FixIt {
  std::string title; // "insert ','"
  std::vector<TextEdit> edits;
  bool candidate = false; // may break something elsewhere: must be tried before it is shown
  bool instead = false;   // for a candidate: only used if the fix before it fails
};

struct Diagnostic {
  DiagCode code;
  Severity severity;
  SourceRange range; // the smallest range that is wrong
  std::string message;
  std::string label;          // text after the carets; may be empty
  std::vector<Label> labels;  // other places
  std::vector<std::string> notes;
  std::string picture;        // preformatted lines, e.g. who owns what
  std::vector<FixIt> fixits;  // at most two once tryFixes() has tried the candidates; each compiles

  Diagnostic &note(std::string text) { return notes.push_back(std::move(text)), *this; }
  Diagnostic &at(SourceRange where, std::string text) { return labels.push_back({where, std::move(text)}), *this; }
  Diagnostic &withLabel(std::string text) { return label = std::move(text), *this; }
  Diagnostic &withPicture(std::string text) { return picture = std::move(text), *this; }
  Diagnostic &fix(std::string title, SourceRange where, std::string replacement) {
    fixits.push_back({std::move(title), {{where, std::move(replacement)}}});
    return *this;
  }
};

class Diagnostics {
public:
  // Records a diagnostic with the severity of its code; the reference is valid until the next report. Drops remarks if they are
  // not wanted, and diagnostics that repeat an earlier one (same code, range and message).
  Diagnostic &report(DiagCode code, SourceRange range, std::string message);
  // Whether remarks are kept (`--remarks`). Passes and targets report remarks either way; they check wantsRemarks() only before
  // costly work.
  void wantRemarks(bool wanted) { remarks_ = wanted; }
  bool wantsRemarks() const { return remarks_; }

  bool hasErrors() const { return errors_ != 0; }
  size_t errorCount() const { return errors_; }
  // Mistakes that follow from one already reported are only counted: a fix must not increase their number.
  void noteConsequence() { ++consequences_; }
  size_t consequences() const { return consequences_; }
  const std::vector<Diagnostic> &all() const { return list_; }
  // Stable order for output: by file, then position, then order of report.
  std::vector<const Diagnostic *> sorted() const;
  // Adds a note to the first error after the first `errors` ones, if there is one.
  void noteErrorAfter(size_t errors, std::string text);
  // Adds a label to the first error after the first `errors` ones, if there is one.
  void labelErrorAfter(size_t errors, SourceRange range, std::string text);
  // Adds a fix-it to the first error after the first `errors` ones, if there is one.
  void fixErrorAfter(size_t errors, std::string title, SourceRange range, std::string replacement);
  // Drops the candidates for which `mends` returns false, then all fix-its beyond the first two. Covers the diagnostics of
  // all() from index `first` on.
  void tryFixes(size_t first, const std::function<bool(const FixIt &)> &mends);
  void clear() { list_.clear(), errors_ = consequences_ = 0; }

private:
  Diagnostic *errorAfter(size_t errors);
  bool isReported(const Diagnostic &diagnostic) const;
  std::vector<Diagnostic> list_;
  Diagnostic dropped_{}; // takes the additions to a remark that is not wanted
  size_t errors_ = 0, consequences_ = 0;
  bool remarks_ = true;
};

// The edits of a fix as plain text replacements, sorted from the last position to the first, so that applying one does not
// move the others.
std::vector<TextEdit> plainEdits(const FixIt &fix, const SourceManager &sources);

// Renders as text: severity and code, arrow, excerpt, carets, notes, help. `color` adds ANSI colours.
std::string renderText(const Diagnostic &diagnostic, const SourceManager &sources, bool color);
std::string renderText(const Diagnostics &diagnostics, const SourceManager &sources, bool color);
// Renders one JSON array; positions are {file, line, column, endLine, endColumn, begin, end}.
std::string renderJson(const Diagnostics &diagnostics, const SourceManager &sources);

} // namespace xt
