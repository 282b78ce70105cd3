// Lowers the body of a kernel. A `return` may end a branch of an `if`: the statements after the `if` then belong to the branches
// that do not return.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

void lowerKernelBody(KernelState &state, const ast::Block &body);

} // namespace xt
