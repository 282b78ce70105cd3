// Lowers `if`. Names that a branch rebinds become results of the op.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

// The condition of an `if`; a placeholder if it is invalid, which has been reported, so that the branches are still checked.
Value *lowerIfCondition(KernelState &state, const ast::Stmt &stmt);

void lowerIf(KernelState &state, const ast::Stmt &stmt);

} // namespace xt
