// expand-scans: replaces each scan of a subgroup's vector by steps that combine the vector with itself, moved by 1, 2, 4 …
// elements, for targets that have no scan (Hillis and Steele, "Data Parallel Algorithms", CACM 29(12), 1986).
#pragma once
#include "passes/pass.h"

namespace xt {

Result<void> expandScans(Module &module, Diagnostics &diagnostics);

} // namespace xt
