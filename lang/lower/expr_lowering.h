// Lowers infix expressions, calls, names and literals. The functions return null if an error was reported. `like` is the type
// that literals take; if it is null, integer literals are index and float literals are f32.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

Value *lowerExpr(KernelState &state, const ast::Expr &expr, Type like = {});
// Converts a value of another integer type to an index, or a vector of indices. Returns other values unchanged; null if the value
// is null.
Value *asIndex(KernelState &state, Value *value, SourceRange range);
// Lowers an expression that must be an index, or an integer, which is converted.
Value *lowerIndex(KernelState &state, const ast::Expr &expr, std::string_view what);
// Lowers an expression that must be a scalar i1, the condition of the statement `what`.
Value *lowerCondition(KernelState &state, const ast::Expr &expr, std::string_view what);
// Looks up the name of a value.
Value *lowerValue(KernelState &state, const ast::Expr &expr);
// Lowers an expression over literals and parameters to a constant.
Value *lowerLiteral(KernelState &state, const ast::Expr &expr, Type like);

} // namespace xt
