// Resolves an op's name to a row of the op table, or to the op that an operator's word stands for.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

// Null: the name is unknown, which has been reported.
const OpInfo *chooseRow(KernelState &state, const ast::OpClause &clause);

} // namespace xt
