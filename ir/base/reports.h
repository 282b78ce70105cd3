// What the writers of messages share; messages of several compilations as one document.
#pragma once
#include "ir/base/diagnostics.h"

#include <span>

namespace xt {

struct DiagnosedSources {
  const Diagnostics *diagnostics;
  const SourceManager *sources;
};

// "error", "warning", "remark": as all but SARIF call them.
std::string_view severityName(Severity severity);
// As renderJson of one: an array of all.
std::string renderJson(std::span<const DiagnosedSources> all);
// One log of SARIF 2.1.0 (OASIS) with one run: rules, regions in code points and bytes, related places, fixes.
std::string renderSarif(std::span<const DiagnosedSources> all);

} // namespace xt
