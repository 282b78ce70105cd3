// cse: of equal pure ops, one that dominates another takes its place. Loads are never merged: what they read may
// change.
#pragma once
#include "passes/pass.h"

namespace xt {

Result<void> cse(Module &module, Diagnostics &diagnostics);

} // namespace xt
