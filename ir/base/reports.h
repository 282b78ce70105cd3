// What the writers of messages share; messages of several compilations as one document.
#pragma once
#include "ir/base/diagnostics.h"

#include <span>

namespace xt {

struct DiagnosedSources {
  const Diagnostics *diagnostics;
  const SourceManager *sources;
};

// How many errors, and how many warnings, are shown of one compilation: a text that is none of the language could give one
// for every byte. Programs read more than people do.
inline constexpr size_t kMostShownToPeople = 100, kMostShownToPrograms = 1000;
// What is longer in a message is cut: a name in it may be as long as the file.
inline constexpr size_t kMostMessageBytes = 2000;

struct ShownDiagnostics {
  std::vector<const Diagnostic *> list; // sorted: the first `most` errors and warnings each, and all remarks
  std::string rest;                     // says how many more there are; empty: none
};
ShownDiagnostics shownOf(const Diagnostics &diagnostics, size_t most);
// The first bytes of `text`, up to a limit, with `…` behind them if it is longer.
std::string cutText(std::string_view text, size_t most = kMostMessageBytes);

// "error", "warning", "remark": as all but SARIF call them.
std::string_view severityName(Severity severity);
// As renderJson of one: an array of all.
std::string renderJson(std::span<const DiagnosedSources> all);
// One log of SARIF 2.1.0 (OASIS) with one run: rules, regions in code points and bytes, related places, fixes.
std::string renderSarif(std::span<const DiagnosedSources> all);

} // namespace xt
