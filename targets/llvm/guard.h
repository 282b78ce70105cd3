// LLVM's process-wide state, and a guard that turns its fatal errors into Errors.
#pragma once
#include "ir/base/result.h"

#include <llvm/ADT/STLFunctionalExtras.h>

namespace xt {

// Registers the x86 back end and the fatal-error handler. Cheap after the first call; safe from any thread.
void initialiseLlvm();

// Runs `work` on this thread. A fatal error inside LLVM ends it early and comes back as an Error; what `work` had
// allocated is then lost. Does not nest.
Result<void> guardLlvm(llvm::function_ref<Result<void>()> work);

} // namespace xt
