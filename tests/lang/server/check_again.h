// Compares the server's messages about a text with those of a fresh check.
#pragma once
#include "tests/golden.h"

#include "ir/base/text.h"
#include "lang/lower/lower.h"
#include "lang/server/workspace.h"

#include <functional>

namespace xt::test {

// Prints each message as one text: code, range, message, labels, notes and fixes. `where` prints a range.
inline std::vector<std::string> spelled(const Diagnostics &diagnostics, const SourceManager &sources,
                                        const std::function<std::string(SourceRange)> &where) {
  std::vector<std::string> all;
  for (const Diagnostic &d : diagnostics.all()) {
    std::string text = str(codeText(d.code), " ", where(d.range), ": ", d.message, " [", d.label, "]");
    for (const Label &label : d.labels) text += str("\n  at ", where(label.range), ": ", label.text);
    for (const std::string &note : d.notes) text += "\n  note: " + note;
    if (!d.picture.empty()) text += "\n" + d.picture;
    for (const FixIt &fix : d.fixits) {
      text += "\n  fix: " + fix.title;
      for (const TextEdit &edit : plainEdits(fix, sources)) text += str("\n    ", where(edit.range), " -> ", edit.replacement);
    }
    all.push_back(std::move(text));
  }
  std::sort(all.begin(), all.end());
  return all;
}

inline std::vector<std::string> fromScratch(const std::string &path, const std::string &text, const ImportOptions &imports,
                                            bool fixes) {
  SourceManager sources;
  Context context;
  Diagnostics diagnostics;
  diagnostics.wantRemarks(false);
  LowerOptions options;
  options.imports = imports;
  options.tryFixes = fixes;
  (void)lowerFile(sources, sources.add(path, text), context, options, diagnostics);
  return spelled(diagnostics, sources,
                 [&](SourceRange r) { return str(sources.file(r.file).name(), ":", r.begin, "-", std::max(r.begin, r.end)); });
}

inline std::vector<std::string> fromServer(lsp::Workspace &workspace, const lsp::Document &document, bool fixes) {
  lsp::Analysis &analysis = workspace.analyse(document);
  if (fixes) workspace.tryFixes(document, analysis);
  return spelled(analysis.diagnostics, workspace.sources(), [&](SourceRange r) {
    lsp::Place place = workspace.locate(r);
    return place.document ? str(place.document->path(), ":", place.span.begin, "-", place.span.end)
                          : str("<built-in>:", r.begin, "-", r.end);
  });
}

} // namespace xt::test
