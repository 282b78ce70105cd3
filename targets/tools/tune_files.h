// xtrun --tune: finds the fastest values of parameters, and writes them beside the files.
#pragma once
#include "targets/tools/options.h"

namespace xt {

// Returns the exit status.
int tuneFiles(const XtrunOptions &options);

} // namespace xt
