// Lowers `for` and `while`. Names that the body rebinds become carried values of the loop.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

void lowerFor(KernelState &state, const ast::Stmt &stmt);
// Lowers a `while` whose condition is an expression; while_do.h has the other form.
void lowerWhile(KernelState &state, const ast::Stmt &stmt);

} // namespace xt
