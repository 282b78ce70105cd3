// Fixes that may break something elsewhere are tried before they are shown.
#pragma once
#include "lang/lower/lower.h"

namespace xt {

struct FixCount { // mistakes that a text has
  size_t errors, consequences;
};

// Drops the candidates among the fixes of diagnostics from place `first` of all() on that do not help: `countWith` says
// what is left after one. A fix that `staysIn` refuses is dropped untried: what is imported has other users.
void tryFixes(Diagnostics &diagnostics, size_t first, const std::function<bool(const FixIt &)> &staysIn,
              const std::function<FixCount(const FixIt &)> &countWith);

// The same for file `index`, which is compiled with each applied.
void tryFixes(const SourceManager &sources, uint32_t index, const LowerOptions &options, size_t first,
              Diagnostics &diagnostics);

} // namespace xt
