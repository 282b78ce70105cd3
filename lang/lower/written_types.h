// The types written in the body of a kernel or function. Where a result is a null type or false, a mistake has been reported.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

// Whether a type's shape has a `?`.
bool hasOpenExtents(Type type);
// Replaces each `?` in a shape by the extent of another type of the same kind and rank.
Type closedBy(Context &context, Type open, Type actual);

// The type; in the body of a function it may have `?`.
Type writtenType(KernelState &state, const ast::TypeExpr &expr);
// The type with the extents of `actual` instead of `?`.
Type statedType(KernelState &state, const ast::TypeExpr &expr, Type actual);
// The type that a literal takes from a signature; also null if the type has `?`.
Type typeForLiterals(KernelState &state, const ast::TypeExpr &expr);

// Whether the type written for `what` is its type, up to layouts and `?`.
bool agreesWith(KernelState &state, const ast::TypeExpr &expr, Type actual, std::string_view what);
bool agreesWith(KernelState &state, const std::vector<ast::TypeExpr> &exprs, const std::vector<Value *> &values,
                SourceRange range, std::string_view what);

// The attribute of a type that alone gives its layout; the whole type if there is none. Reports nothing.
WrittenLayout layoutPlace(KernelState &state, const ast::TypeExpr &expr);

} // namespace xt
