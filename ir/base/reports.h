// Messages of several compilations as one document.
#pragma once
#include "ir/base/diagnostics.h"

#include <span>

namespace xt {

struct DiagnosedSources {
  const Diagnostics *diagnostics;
  const SourceManager *sources;
};

// As renderJson of one: an array of all.
std::string renderJson(std::span<const DiagnosedSources> all);
// One log of SARIF 2.1.0 (OASIS) with one run: rules, regions in code points and bytes, related places, fixes.
std::string renderSarif(std::span<const DiagnosedSources> all);

} // namespace xt
