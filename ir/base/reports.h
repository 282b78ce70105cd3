// Helpers shared by the writers of messages; renders the messages of several compilations as one document.
#pragma once
#include "ir/base/diagnostics.h"

#include <span>

namespace xt {

struct DiagnosedSources {
  const Diagnostics *diagnostics;
  const SourceManager *sources;
};

// The maximum number of errors, and of warnings, that are shown per compilation: a file that is not an .xt file could give an
// error for every byte. Programs get more messages than people, because they can process more.
inline constexpr size_t kMostShownToPeople = 100, kMostShownToPrograms = 1000;
// Longer texts in a message are cut: a name may be as long as the whole file.
inline constexpr size_t kMostMessageBytes = 2000;

struct ShownDiagnostics {
  std::vector<const Diagnostic *> list; // the first `most` errors, the first `most` warnings and all remarks, sorted
  std::string rest;                     // says how many more there are; empty if there are no more
};
ShownDiagnostics shownOf(const Diagnostics &diagnostics, size_t most);
// Returns `text` if it has at most `most` bytes; otherwise its leading characters that fit in `most` bytes, followed by `…`.
std::string cutText(std::string_view text, size_t most = kMostMessageBytes);

// "error", "warning", "remark": the names used by all formats but SARIF.
std::string_view severityName(Severity severity);
// Renders the diagnostics of several compilations as one array, in the format of renderJson() for one compilation.
std::string renderJson(std::span<const DiagnosedSources> all);
// Renders one log of SARIF 2.1.0 (OASIS) with one run: rules, regions in code points and bytes, related places, fixes.
std::string renderSarif(std::span<const DiagnosedSources> all);

} // namespace xt
