// Lowers the statements of kernels and functions.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

// Lowers the statements of a block at the builder's position. Reports a statement that follows the `yield`, and stops there.
void lowerBlock(KernelState &state, const ast::Block &block);

} // namespace xt
