// xtrun --doctor: whether each target works on this machine, and how to fix it if not.
#pragma once
#include "targets/tools/options.h"

namespace xt {

// Prints what each target needs and whether it was found, the state of the cache, the devices, and the result of a
// kernel that runs on each target, each in a separate process: a driver that crashes or hangs only gives a line in
// the report. The exit status is 0 if everything needed was found and every kernel gave the right result, 70 after an
// internal compiler error, else 3.
int doctor(const XtrunOptions &options);

} // namespace xt
