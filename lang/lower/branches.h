// Lowers `if`. Names that a branch rebinds become results of the op.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

void lowerIf(KernelState &state, const ast::Stmt &stmt);

} // namespace xt
