// sink-to-uses: where the vectors of a kernel at lane scope need more registers than there are, they are made later. First
// loads go down to where they are used, all of one matrix together, so that they still wait together; then each for itself;
// then everything is made when what needs it comes (block by block of what is stored, not op by op of all blocks). Each step
// is for blocks that the one before did not help enough. A load passes nothing that writes or synchronises.
#pragma once
#include "passes/pass.h"

namespace xt {

Result<void> sinkToUses(Module &module, const TargetInfo &target, Diagnostics &diagnostics);

} // namespace xt
