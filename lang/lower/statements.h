// Lowers the statements of kernels and functions.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

// Lowers the statements of a block at the builder's position, up to the one that ends the block.
void lowerBlock(KernelState &state, const ast::Block &block);

} // namespace xt
