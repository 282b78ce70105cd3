// dead-code: removes ops whose results nothing needs, loads and whole loops included, and what loops and branches carry
// for nothing. Stores, barriers and prefetches stay, and what they depend on.
#pragma once
#include "passes/pass.h"

namespace xt {

Result<void> deadCode(Module &module, Diagnostics &diagnostics);
// The same on one kernel; true if something was removed.
bool eraseDeadCode(Kernel &kernel, Diagnostics &diagnostics);

} // namespace xt
