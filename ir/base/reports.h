// Helpers shared by the writers of messages; renders the messages of several compilations as one document.
#pragma once
#include "ir/base/diagnostics.h"

#include <span>

namespace xt {

struct DiagnosedSources {
  const Diagnostics *diagnostics;
  const SourceManager *sources;
};

// The most errors, and the most warnings, that are shown per compilation: a file that is not .xt at all could give an
// error for every byte. Programs can read more than people.
inline constexpr size_t kMostShownToPeople = 100, kMostShownToPrograms = 1000;
// Longer texts in a message are cut: a name may be as long as the whole file.
inline constexpr size_t kMostMessageBytes = 2000;

struct ShownDiagnostics {
  std::vector<const Diagnostic *> list; // sorted: the first `most` errors and warnings each, and all remarks
  std::string rest;                     // says how many more there are; empty if there are no more
};
ShownDiagnostics shownOf(const Diagnostics &diagnostics, size_t most);
// The first `most` bytes of `text` at most, cut between characters, with `…` appended if it is longer.
std::string cutText(std::string_view text, size_t most = kMostMessageBytes);

// "error", "warning", "remark": the names used by all formats but SARIF.
std::string_view severityName(Severity severity);
// Like renderJson of a single compilation, but for several: one array of all diagnostics.
std::string renderJson(std::span<const DiagnosedSources> all);
// One log of SARIF 2.1.0 (OASIS) with one run: rules, regions in code points and bytes, related places, fixes.
std::string renderSarif(std::span<const DiagnosedSources> all);

} // namespace xt
