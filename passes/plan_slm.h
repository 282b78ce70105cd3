// plan-slm: gives each buffer in shared local memory its offset. Two buffers may share memory if a barrier of the whole
// workgroup separates all accesses to one from all accesses to the other. If the buffers do not fit the hardware's memory
// otherwise, barriers are added between buffers that are used one after the other.
#pragma once
#include "passes/pass.h"

namespace xt {

Result<void> planSlm(Module &module, Diagnostics &diagnostics);
Result<void> planSlmFor(Module &module, const TargetInfo &target, Diagnostics &diagnostics);

} // namespace xt
