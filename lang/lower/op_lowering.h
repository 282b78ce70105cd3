// Lowers ops: operands, attributes, signature, layouts, then the op itself.
#pragma once
#include "lang/lower/op_draft.h"

namespace xt {

// Lowers an op with its clause. Nullopt if an error was reported.
std::optional<std::vector<Value *>> lowerOp(KernelState &state, const ast::OpClause &clause, SourceRange range);

// Infers the types of a draft and makes its op, or the ops that stand for it, of which the last is returned. Returns null if an
// error was reported.
Op *emitDraft(KernelState &state, OpDraft &draft);

// Makes an op with at most one result, whose type is inferred; `written` is the result type where the operands do not determine
// it. Returns null if an error was reported or if the op has no result.
Value *emitOp(KernelState &state, OpKind kind, std::vector<Value *> operands, std::vector<SourceRange> ranges,
              SourceRange range, std::vector<Attr> attrs = {}, Type written = {});

} // namespace xt
