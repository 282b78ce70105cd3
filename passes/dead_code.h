// dead-code: removes ops whose results nothing needs, loads and whole loops included, and unused values that loops
// and branches carry. Stores, barriers and prefetches stay, and so do the ops that they depend on.
#pragma once
#include "passes/pass.h"

namespace xt {

Result<void> deadCode(Module &module, Diagnostics &diagnostics);
// Does the same for one kernel; returns whether something was removed.
bool eraseDeadCode(Kernel &kernel, Diagnostics &diagnostics);

} // namespace xt
