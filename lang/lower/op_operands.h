// The operands of an op.
#pragma once
#include "lang/lower/op_draft.h"

namespace xt {

// Whether an operand consists of literals only, so that it takes the type of the other operands.
bool isLiteralOperand(const ast::Expr &expr);

// Lowers the operands of a clause, its lists of offsets, shape and strides among them. False has been reported.
bool gatherOperands(KernelState &state, const ast::OpClause &clause, OpDraft &draft);

// A scatter tile whose offsets are a vector of N elements has shape 1xN. Reshapes the vectors of N elements among its masks,
// values and deltas to 1xN as well.
void linesAsMatrices(KernelState &state, OpDraft &draft);

} // namespace xt
