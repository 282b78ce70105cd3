// Calls of the language's own functions, such as `dim(%A, 0)` and `max(%x, %y)` (ir/call_names.h).
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

// Lowers a call. Returns null if an error was reported. `like` is the type that literals take.
Value *lowerNamedCall(KernelState &state, const ast::Expr &expr, Type like);

// Reports a call of something that is no function. For an op, such as `tile_mma(%a, %b)`, offers to remove the parentheses.
void reportNoFunction(KernelState &state, const ast::Expr &expr);

} // namespace xt
