// Lowers composites: ops of the source text that stand for several ops (ir/ops/composite.def).
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

// Lowers the clause of a composite. `range` begins at the op's name. Returns nullopt if an error was reported.
std::optional<std::vector<Value *>> lowerComposite(KernelState &state, const ast::OpClause &clause, const OpInfo &row,
                                                   SourceRange range);

} // namespace xt
