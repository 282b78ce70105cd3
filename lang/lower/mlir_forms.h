// Forms of ops in MLIR that differ from the language's own: flags after the operands, the accumulator of a dpas as the first
// operand, and dimensions that follow from the types.
#pragma once
#include "lang/lower/op_draft.h"

namespace xt {

// Takes the flags after the operands: adds those that are attributes of the op to the draft, and drops the others, which do not
// change the result. Returns false if an error was reported.
bool takeFlags(KernelState &state, const ast::OpClause &clause, OpDraft &draft);

// Rotates the operands of `dpas %c, %a, %b` (the order of the "RFC for XeTile and XeGPU Dialect") to `%a, %b, %c`, if the type
// rule refuses them as written and accepts them rotated.
void accumulatorLast(KernelState &state, const ast::OpClause &clause, OpDraft &draft);

// Derives the attribute `dims` from the types where it is left out: for an iota of one dimension, and for MLIR's
// vector.broadcast. Returns false if an error was reported.
bool dimsFollow(KernelState &state, const ast::OpClause &clause, OpDraft &draft);

} // namespace xt
