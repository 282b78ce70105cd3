// `xtc --prove`: proves properties of the accesses of each kernel for all sizes (targets/prove).
#pragma once
#include "targets/tools/options.h"

namespace xt {

// Returns the exit status: 0 if everything is proved, 1 if a claim fails, 2 if a file does not compile, 3 if a claim is
// undecided, a file cannot be read or Z3 is missing.
int proveFiles(const XtcOptions &options);

} // namespace xt
