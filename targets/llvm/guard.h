// LLVM's process-wide state, and a guard that turns its fatal errors into Errors.
#pragma once
#include "ir/base/result.h"

#include <llvm/ADT/STLFunctionalExtras.h>

namespace xt {

// Registers the x86 back end and the fatal-error handler. Cheap after the first call, and thread-safe.
void initialiseLlvm();

// Runs `work` on this thread. A fatal error inside LLVM aborts it and is returned as an Error; memory that `work` had
// allocated is then leaked. Must not be nested.
Result<void> guardLlvm(llvm::function_ref<Result<void>()> work);

} // namespace xt
