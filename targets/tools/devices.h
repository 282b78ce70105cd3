// xtrun --devices: every target and what it can run on.
#pragma once
#include "targets/tools/options.h"

namespace xt {

// Prints to standard output; the exit status. A target whose devices cannot be listed says why; that is no failure.
int listDevices(const XtrunOptions &options);

} // namespace xt
