// The verifier: what every module must be, whatever made it, and what each form promises. It repeats the checks of the
// front end on the IR itself (the same type and layout rules), and adds those that no text can break: links, uses,
// dominance. Found after a pass, a violation is a bug of that pass; found in a file, it is a `form` line that lies.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/module.h"

namespace xt {

// Reports each violation as InvalidIr, with the op as it prints; at most one for an op and all that follows from it.
Result<void> verify(const Module &module, Diagnostics &diagnostics);

// Only what `form` promises about a kernel.
Result<void> verifyForm(Form form, const Kernel &kernel, Context &context, Diagnostics &diagnostics);

} // namespace xt
