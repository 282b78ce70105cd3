// xtrun --doctor: whether each target works on this machine, and what to do where one does not.
#pragma once
#include "targets/tools/options.h"

namespace xt {

// Prints what each target needs and what of it was found, the state of the cache, the devices, and what became of a kernel
// that is run on each target, in a process of its own each: a driver that crashes or hangs is a line of the report. The exit
// status is 0 if all that is needed was found and every kernel gave the right result, 70 if the compiler met a mistake of
// its own, else 3.
int doctor(const XtrunOptions &options);

} // namespace xt
