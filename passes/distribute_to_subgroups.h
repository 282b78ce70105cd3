#pragma once
#include "passes/pass.h"

namespace xt {

// From workgroup scope to subgroup scope: each subgroup runs the kernel on its own parts of the tiles and vectors. Parts
// that are not neighbours (round-robin) become several values. What an op needs of other subgroups goes through shared
// local memory, with a barrier between writing and reading, and one before where it may still be read from the step
// before. Kernels at subgroup scope stay as they are.
Result<void> distributeToSubgroups(Module &module, Diagnostics &diagnostics);
// What is too large for the target's shared local memory is exchanged in bands. Tiles that no lane could have the code for
// (ir/code_size.h) are an error.
Result<void> distributeToSubgroupsFor(Module &module, const TargetInfo &target, Diagnostics &diagnostics);

} // namespace xt
