// plan-slm: gives each buffer in shared local memory its offset. Buffers share memory where all accesses to one come
// before a barrier of the whole workgroup, and all to the other after it. For hardware whose memory is too small without,
// barriers are added between buffers that are used one after the other.
#pragma once
#include "passes/pass.h"

namespace xt {

Result<void> planSlm(Module &module, Diagnostics &diagnostics);
Result<void> planSlmFor(Module &module, const TargetInfo &target, Diagnostics &diagnostics);

} // namespace xt
