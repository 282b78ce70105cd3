#include "lang/lower/try_fixes.h"

namespace xt {
namespace {

// A file with many mistakes costs no more than so many compilations; what is not tried is not shown.
constexpr size_t kMostTries = 32;

std::string edited(const SourceManager &sources, uint32_t file, const std::vector<TextEdit> &edits) {
  std::string text = sources.file(file).text();
  for (const TextEdit &edit : edits)
    if (edit.range.file == file) text.replace(edit.range.begin, edit.range.end - edit.range.begin, edit.replacement);
  return text;
}

size_t errorsWith(const FixIt &fix, const SourceManager &sources, uint32_t index, const LowerOptions &options) {
  std::vector<TextEdit> edits = plainEdits(fix, sources);
  LowerOptions again = options;
  again.tryFixes = false;
  // What the file imports has been read, and may be edited.
  again.imports.read = [&](const std::string &path) -> std::optional<std::string> {
    for (uint32_t file = 1; file < sources.count(); ++file)
      if (file != index && sources.file(file).name() == path) return edited(sources, file, edits);
    return std::nullopt;
  };
  SourceManager changed;
  uint32_t root = changed.add(sources.file(index).name(), edited(sources, index, edits));
  Context context;
  Diagnostics diagnostics;
  diagnostics.wantRemarks(false);
  (void)lowerFile(changed, root, context, again, diagnostics);
  return diagnostics.errorCount();
}

} // namespace

void tryFixes(const SourceManager &sources, uint32_t index, const LowerOptions &options, size_t first,
              Diagnostics &diagnostics) {
  size_t errors = 0, tries = 0;
  for (size_t d = first; d < diagnostics.all().size(); ++d) errors += diagnostics.all()[d].severity == Severity::Error;
  diagnostics.tryFixes(first, [&](const FixIt &fix) {
    return tries++ < kMostTries && errorsWith(fix, sources, index, options) < errors;
  });
}

} // namespace xt
