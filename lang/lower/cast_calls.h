// Lowers the calls that convert element types: `cast(%x, f16)`, `index_cast(%n)`, which gives an index, and `bitcast(%x, i32)`,
// which keeps the bits.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

// Converts to another element type with the ops of `arith`: rounded to nearest even, towards zero for a float to an integer, by
// the sign of the operand's type for integers. Returns null if an error was reported.
Value *castTo(KernelState &state, Value *value, Elem to, SourceRange range);

// Lowers a call of one of these. Returns null if an error was reported.
Value *lowerCastCall(KernelState &state, const ast::Expr &call);

} // namespace xt
