// Operands of expressions that must have the same type. The functions return false if an error was reported.
#pragma once
#include "lang/lower/kernel_state.h"

#include <span>

namespace xt {

// Lowers the operands. Literals take the element type of the other operands.
bool lowerAlike(KernelState &state, std::span<const ast::Expr *const> exprs, Type like, std::vector<Value *> &values);

// Whether NumPy stretches a vector of this type to `shape`: aligned at the last dimension, each extent is 1 or the same.
bool stretchesTo(Type vector, std::span<const int64_t> shape);
// Stretches a vector to a shape for which stretchesTo() is true. Returns null if an error was reported.
Value *stretchTo(KernelState &state, Value *value, std::span<const int64_t> shape, SourceRange range);

// Gives the operands one shape, as NumPy does: repeats scalars, stretches extents of 1, and first adds dimensions of extent 1 in
// front of those of a vector of lower rank. Leaves vectors unchanged that do not fit together, so that the type rule reports
// them; with `alike`, also operands of different element types.
bool stretchOperands(KernelState &state, std::vector<Value *> &values, SourceRange range, bool alike = true);

} // namespace xt
