// `xtc --prove`: properties of the accesses of each kernel for all sizes (targets/prove).
#pragma once
#include "targets/tools/options.h"

namespace xt {

// Exit status: 0: everything is proved; 1: a claim fails; 2: a file does not compile; 3: a claim is undecided or Z3
// is missing.
int proveFiles(const XtcOptions &options);

} // namespace xt
