// sink-to-uses: if the vectors of a kernel at lane scope need more registers than there are, defines them later. First, loads
// sink to their uses, with all loads of one matrix together, so that one wait still covers them; then each load sinks by
// itself; then every op sinks to the op that needs it, so that stored values are computed block by block instead of op by op
// over all blocks. Each step runs only on blocks where the previous one was not enough. A load never moves past an op that
// writes memory or synchronises.
#pragma once
#include "passes/pass.h"

namespace xt {

Result<void> sinkToUses(Module &module, const TargetInfo &target, Diagnostics &diagnostics);

} // namespace xt
