// expand-async-copies: replaces each asynchronous copy by a load and a store in its place, for targets without such copies. The
// copy is then complete before any wait for it, which the language allows.
#pragma once
#include "passes/pass.h"

namespace xt {

Result<void> expandAsyncCopies(Module &module, Diagnostics &diagnostics);
void expandAsyncCopies(Kernel &kernel, Context &context);

} // namespace xt
