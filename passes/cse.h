// cse: replaces a pure op by an equal one that dominates it. Loads are never merged, because the memory that they
// read may change between them.
#pragma once
#include "passes/pass.h"

namespace xt {

Result<void> cse(Module &module, Diagnostics &diagnostics);

} // namespace xt
