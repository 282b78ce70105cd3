#include "lang/lower/try_fixes.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace xt {
namespace {

// Maximum number of compilations for the fixes of one file. Candidates beyond it are not tried and not shown.
constexpr size_t kMostTries = 32;

enum class Worth : uint8_t { Nothing, Consequences, Error };

FixCount countWith(const FixIt &fix, const SourceManager &sources, uint32_t index, const LowerOptions &options) {
  std::string text = sources.file(index).text();
  for (const TextEdit &edit : plainEdits(fix, sources))
    text.replace(edit.range.begin, edit.range.end - edit.range.begin, edit.replacement);
  LowerOptions again = options;
  again.tryFixes = false;
  // The imports have been read already.
  again.imports.read = [&](const std::string &path) -> Result<std::string> {
    for (uint32_t file = 1; file < sources.count(); ++file)
      if (file != index && sources.file(file).name() == path) return sources.file(file).text();
    return noSuchFile();
  };
  SourceManager changed;
  uint32_t root = changed.add(sources.file(index).name(), std::move(text));
  Context context;
  Diagnostics diagnostics;
  diagnostics.wantRemarks(false);
  (void)lowerFile(changed, root, context, again, diagnostics);
  return countErrors(diagnostics);
}

} // namespace

FixCount countErrors(const Diagnostics &diagnostics, size_t first) {
  constexpr int kFirstOfNames = 200; // the codes of the parser are smaller
  FixCount count{0, diagnostics.consequences(), 0};
  for (size_t d = first; d < diagnostics.all().size(); ++d) {
    const Diagnostic &diagnostic = diagnostics.all()[d];
    if (diagnostic.severity != Severity::Error) continue;
    ++count.errors;
    count.syntaxErrors += static_cast<int>(diagnostic.code) < kFirstOfNames;
  }
  return count;
}

void tryFixes(Diagnostics &diagnostics, size_t first, const std::function<bool(const FixIt &)> &staysIn,
              const std::function<FixCount(const FixIt &)> &countWith) {
  const FixCount before = countErrors(diagnostics, first);
  size_t tries = 0;
  auto worth = [&](const FixIt &fix) {
    if (!staysIn(fix) || tries++ >= kMostTries) return Worth::Nothing;
    FixCount left = countWith(fix);
    if (left.syntaxErrors > before.syntaxErrors) return Worth::Nothing;
    if (left.errors < before.errors) return Worth::Error;
    bool less = left.errors + left.consequences < before.errors + before.consequences;
    return less ? Worth::Consequences : Worth::Nothing;
  };
  // For each diagnostic, keep candidates that reduce the number of errors; if none does, those that reduce the consequences.
  std::set<const FixIt *> good;
  for (size_t d = first; d < diagnostics.all().size(); ++d) {
    std::vector<std::pair<const FixIt *, Worth>> tried;
    Worth best = Worth::Consequences;
    for (const FixIt &fix : diagnostics.all()[d].fixits)
      if (fix.candidate) best = std::max(best, tried.emplace_back(&fix, worth(fix)).second);
    for (const auto &[fix, value] : tried)
      if (value == best) good.insert(fix);
  }
  diagnostics.tryFixes(first, [&](const FixIt &fix) { return good.contains(&fix); });
}

void tryFixes(const SourceManager &sources, uint32_t index, const LowerOptions &options, size_t first,
              Diagnostics &diagnostics) {
  auto staysIn = [&](const FixIt &fix) {
    return std::all_of(fix.edits.begin(), fix.edits.end(), [&](const TextEdit &edit) { return edit.range.file == index; });
  };
  tryFixes(diagnostics, first, staysIn, [&](const FixIt &fix) { return countWith(fix, sources, index, options); });
}

} // namespace xt
