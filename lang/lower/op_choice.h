// Resolves an op's name, or the word of an operator such as `add`, to a row of the op table.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

// Returns null if the name is unknown, which has been reported.
const OpInfo *chooseRow(KernelState &state, const ast::OpClause &clause);

} // namespace xt
