// Signatures of ops: the types written after the operands, in the forms of the IR, of the RFCs and of MLIR. Each written type
// is compared with the type of its value.
#pragma once
#include "lang/lower/op_draft.h"

#include <span>

namespace xt {

// Takes the result type and the layouts that the signature gives. Returns false after reporting an error.
bool matchSignature(KernelState &state, const ast::OpClause &clause, OpDraft &draft);

// Replaces `?` in the written result type. Reports an error and returns false if an extent cannot be inferred.
bool closeResult(KernelState &state, OpDraft &draft, std::span<const Type> operands);

} // namespace xt
