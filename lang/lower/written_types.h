// The types written in the body of a kernel or function. writtenType() and statedType() return null, and agreesWith() returns
// false, if an error was reported.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

// Whether a type's shape has a `?`.
bool hasOpenExtents(Type type);
// Replaces each `?` in a shape by the extent of another type of the same kind and rank.
Type closedBy(Context &context, Type open, Type actual);

// Resolves a type. In the body of a function it may contain `?`.
Type writtenType(KernelState &state, const ast::TypeExpr &expr);
// Resolves a type and replaces each `?` by the extent of `actual`.
Type statedType(KernelState &state, const ast::TypeExpr &expr, Type actual);
// Returns the type that a literal takes from a signature; null if the type contains `?` or if an error was reported.
Type typeForLiterals(KernelState &state, const ast::TypeExpr &expr);

// Whether the type written for `what` is `actual`, apart from layouts and `?`.
bool agreesWith(KernelState &state, const ast::TypeExpr &expr, Type actual, std::string_view what);
bool agreesWith(KernelState &state, const std::vector<ast::TypeExpr> &exprs, const std::vector<Value *> &values,
                SourceRange range, std::string_view what);

// Returns the place of the attribute that alone gives a type its layout, or of the whole type if there is no such attribute.
// Reports nothing.
WrittenLayout layoutPlace(KernelState &state, const ast::TypeExpr &expr);

} // namespace xt
