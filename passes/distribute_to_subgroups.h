#pragma once
#include "passes/pass.h"

namespace xt {

// Lowers kernels from workgroup scope to subgroup scope: each subgroup runs the kernel on its own parts of the tiles and
// vectors. Parts that are not adjacent (round-robin) become several values. Elements that an op needs from other subgroups go
// through shared local memory, with a barrier between writing and reading, and another one before writing if the previous
// iteration may still read the buffer. Kernels at subgroup scope stay as they are.
Result<void> distributeToSubgroups(Module &module, Diagnostics &diagnostics);
// Does the same within the limits of a target: an exchange that is too large for its shared local memory is split into
// bands, and a tile whose code would be too large for a lane (ir/gpu/code_size.h) is an error.
Result<void> distributeToSubgroupsFor(Module &module, const TargetInfo &target, Diagnostics &diagnostics);

} // namespace xt
