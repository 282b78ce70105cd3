// Lowers ops: operands, attributes, signature, layouts, then the op itself.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

// Lowers an op with its clause. Nullopt if an error was reported.
std::optional<std::vector<Value *>> lowerOp(KernelState &state, const ast::OpClause &clause, SourceRange range);

// Makes an op with at most one result, whose type is inferred; `written` is the result type where the operands do not determine
// it. Returns null if an error was reported or if the op has no result.
Value *emitOp(KernelState &state, OpKind kind, std::vector<Value *> operands, std::vector<SourceRange> ranges,
              SourceRange range, std::vector<Attr> attrs = {}, Type written = {});

} // namespace xt
