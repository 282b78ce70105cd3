// xtc --reduce: reduces a file as long as a command finds it interesting.
#pragma once
#include "targets/tools/options.h"

namespace xt {

// Returns the exit status.
int reduceFile(const XtcOptions &options);

} // namespace xt
