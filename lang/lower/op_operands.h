// The operands of an op.
#pragma once
#include "lang/lower/op_draft.h"

namespace xt {

// Whether an operand consists of literals only, so that it takes the type of the other operands.
bool isLiteralOperand(const ast::Expr &expr);

// Lowers the operands of a clause, including its lists of offsets, shape and strides. Returns false if an error was reported.
bool gatherOperands(KernelState &state, const ast::OpClause &clause, OpDraft &draft);

// Reshapes vectors of N elements that belong to a scatter tile (its offsets, masks, values and deltas) to 1xN, because a
// scatter tile whose offsets are a vector of N elements has shape 1xN.
void linesAsMatrices(KernelState &state, OpDraft &draft);

// Stretches the mask of a tile op to the tile's shape, as NumPy does, if it fits. Returns false if an error was reported.
bool stretchMask(KernelState &state, OpDraft &draft);

} // namespace xt
