// Operands whose types say more than those of the IR: joint matrices, and fragments between to_simt and to_simd.
#pragma once
#include "lang/lower/op_draft.h"

namespace xt {

// Whether each operand that is a fragment may be an operand of this op, which must work per element; otherwise reports an error
// and returns false. Gives constants and splats of the fragment's shape the shape of the whole vector, and the written type of
// the result too.
bool fragmentsAllowed(KernelState &state, OpDraft &draft);

// The type of operand i that the type rule gets. For an op that works per element it is the operand's own type, or that of a
// joint matrix among the operands if the operand is a plain vector of the same shape. For other ops, a joint matrix counts as a
// plain vector: at lane scope, as what the lane holds of it.
Type checkedType(KernelState &state, const OpDraft &draft, size_t i);

// At lane scope, whether the lanes can hold the results that are joint matrices, and hold the same elements of them as of the
// operands; otherwise reports an error and returns false.
bool lanesHoldMatrices(KernelState &state, const OpDraft &draft, const std::vector<Type> &results);

// Whether each lane of a kernel at lane scope holds the same elements of two joint matrices; otherwise reports an error.
bool lanesHoldAlike(KernelState &state, Type from, Type to, SourceRange range);
// Whether the lanes of a kernel at lane scope can hold a joint matrix; otherwise reports an error. True at other scopes.
bool lanesHold(KernelState &state, Type matrix, SourceRange range);

// Whether the results have few enough dimensions for the IR; otherwise reports an error and returns false.
bool ranksAllowed(KernelState &state, const OpDraft &draft, const std::vector<Type> &results);

// Replaces the types of joint matrices and fragments by those of plain vectors in a whole kernel: at lane scope, the type of a
// joint matrix by that of what the lane holds.
void makeTypesPlain(Context &context, Kernel &kernel);

} // namespace xt
