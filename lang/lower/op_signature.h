// Signatures of ops: the types written after the operands, in the forms of the IR, of the RFCs and of MLIR. Each type is compared
// with the value's own.
#pragma once
#include "lang/lower/op_draft.h"

#include <span>

namespace xt {

// Takes the result type and the layouts that the signature gives. False has been reported.
bool matchSignature(KernelState &state, const ast::OpClause &clause, OpDraft &draft);

// Replaces `?` in the written result type. False: an extent cannot be inferred, which has been reported.
bool closeResult(KernelState &state, OpDraft &draft, std::span<const Type> operands);

} // namespace xt
