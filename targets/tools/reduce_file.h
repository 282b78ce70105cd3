// xtc --reduce: makes a file smaller while a command finds it interesting.
#pragma once
#include "targets/tools/options.h"

namespace xt {

// Gives the exit status.
int reduceFile(const XtcOptions &options);

} // namespace xt
