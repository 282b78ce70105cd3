// Lowers the statements of kernels and functions.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

// Lowers the statements of a block at the builder's position. Reports a statement that follows the `yield`, and stops there.
void lowerBlock(KernelState &state, const ast::Block &block);
// Lowers one statement of a block that yields nothing.
void lowerStatement(KernelState &state, const ast::Stmt &stmt);

} // namespace xt
