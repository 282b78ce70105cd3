// Tries candidate fixes, which may cause errors elsewhere, before they are shown.
#pragma once
#include "lang/lower/lower.h"

namespace xt {

struct FixCount { // the number of errors of a text, and of mistakes that follow from them (Diagnostics::consequences)
  size_t errors, consequences;
  size_t syntaxErrors; // of the errors: a text with such an error is not checked any further, so that it hides others
};
FixCount countErrors(const Diagnostics &diagnostics, size_t first = 0); // of the diagnostics from index `first` on

// Drops the useless candidates among the fixes of diagnostics.all() from index `first` on. `countWith` counts the errors left
// after a fix. A fix that `staysIn` rejects is dropped without trying it: it edits an import, which has other users.
void tryFixes(Diagnostics &diagnostics, size_t first, const std::function<bool(const FixIt &)> &staysIn,
              const std::function<FixCount(const FixIt &)> &countWith);

// Drops the useless candidates among the fixes of file `index`. Compiles the file once with each candidate applied.
void tryFixes(const SourceManager &sources, uint32_t index, const LowerOptions &options, size_t first,
              Diagnostics &diagnostics);

} // namespace xt
