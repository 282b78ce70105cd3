// hoist-invariants: moves pure ops whose value does not change between iterations out of loops. All pure ops are total, so they
// may be executed before a loop that runs zero iterations.
#pragma once
#include "passes/pass.h"

namespace xt {

Result<void> hoistInvariants(Module &module, Diagnostics &diagnostics);

} // namespace xt
