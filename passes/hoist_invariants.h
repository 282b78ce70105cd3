// hoist-invariants: moves pure ops out of loops in whose steps they compute the same. All pure ops are total, so a loop
// that runs no step may have them in front too.
#pragma once
#include "passes/pass.h"

namespace xt {

Result<void> hoistInvariants(Module &module, Diagnostics &diagnostics);

} // namespace xt
