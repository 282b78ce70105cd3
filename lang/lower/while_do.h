// Lowers MLIR's while loop, whose condition has a block of its own:
// `scf.while (%x = %init) : (A) -> B { … scf.condition(%c) %y : B } do { ^bb0(%z: B): … }`.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

void lowerWhileDo(KernelState &state, const ast::Stmt &stmt);
// Lowers `scf.condition`, which ends the first block of the loop.
void lowerConditionEnd(KernelState &state, const ast::Stmt &stmt);

} // namespace xt
