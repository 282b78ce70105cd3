#include "lang/lower/try_fixes.h"

#include <algorithm>

namespace xt {
namespace {

// A file with many mistakes costs no more than so many compilations; what is not tried is not shown.
constexpr size_t kMostTries = 32;

size_t errorsWith(const FixIt &fix, const SourceManager &sources, uint32_t index, const LowerOptions &options) {
  std::string text = sources.file(index).text();
  for (const TextEdit &edit : plainEdits(fix, sources))
    text.replace(edit.range.begin, edit.range.end - edit.range.begin, edit.replacement);
  LowerOptions again = options;
  again.tryFixes = false;
  // What the file imports has been read.
  again.imports.read = [&](const std::string &path) -> std::optional<std::string> {
    for (uint32_t file = 1; file < sources.count(); ++file)
      if (file != index && sources.file(file).name() == path) return sources.file(file).text();
    return std::nullopt;
  };
  SourceManager changed;
  uint32_t root = changed.add(sources.file(index).name(), std::move(text));
  Context context;
  Diagnostics diagnostics;
  diagnostics.wantRemarks(false);
  (void)lowerFile(changed, root, context, again, diagnostics);
  return diagnostics.errorCount();
}

// What is imported has other users.
bool staysIn(const FixIt &fix, uint32_t index) {
  return std::all_of(fix.edits.begin(), fix.edits.end(),
                     [&](const TextEdit &edit) { return edit.range.file == index; });
}

} // namespace

void tryFixes(const SourceManager &sources, uint32_t index, const LowerOptions &options, size_t first,
              Diagnostics &diagnostics) {
  size_t errors = 0, tries = 0;
  for (size_t d = first; d < diagnostics.all().size(); ++d) errors += diagnostics.all()[d].severity == Severity::Error;
  diagnostics.tryFixes(first, [&](const FixIt &fix) {
    return staysIn(fix, index) && tries++ < kMostTries && errorsWith(fix, sources, index, options) < errors;
  });
}

} // namespace xt
