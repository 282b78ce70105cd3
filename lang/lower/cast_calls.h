// Lowers the calls that convert element types: `cast(%x, f16)`, and `index_cast(%n)`, which gives an index.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

// Converts to another element type with the ops of `arith`: rounded to nearest even, towards zero for a float to an integer, by
// the sign of the operand's type for integers. Returns null if an error was reported.
Value *castTo(KernelState &state, Value *value, Elem to, SourceRange range);

// Lowers a call of `cast` or `index_cast`. Returns null if an error was reported.
Value *lowerCastCall(KernelState &state, const ast::Expr &call);

} // namespace xt
