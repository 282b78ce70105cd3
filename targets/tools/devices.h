// xtrun --devices: lists every target and its devices.
#pragma once
#include "targets/tools/options.h"

namespace xt {

// Prints to standard output and returns the exit status. If the devices of a target cannot be listed, the output says
// why; this is not a failure.
int listDevices(const XtrunOptions &options);

} // namespace xt
