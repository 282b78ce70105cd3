// Fixes that may break something elsewhere are tried before they are shown.
#pragma once
#include "lang/lower/lower.h"

namespace xt {

// Applies each candidate among the fixes of diagnostics from place `first` of all() on to file `index`, compiles the
// result, and drops the candidate unless that has fewer errors. Fixes of what the file imports are dropped.
void tryFixes(const SourceManager &sources, uint32_t index, const LowerOptions &options, size_t first,
              Diagnostics &diagnostics);

} // namespace xt
