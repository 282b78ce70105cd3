// Operands of expressions that must have the same type. The functions return false if an error was reported.
#pragma once
#include "lang/lower/kernel_state.h"

#include <span>

namespace xt {

// Lowers the operands. Literals take the element type of the other operands.
bool lowerAlike(KernelState &state, std::span<const ast::Expr *const> exprs, Type like, std::vector<Value *> &values);

// If there is a vector among the operands, broadcasts the scalars to its shape. With `alike`, leaves scalars of another
// element type unchanged, so that the type rule reports them.
bool broadcastScalars(KernelState &state, std::vector<Value *> &values, SourceRange range, bool alike = true);

} // namespace xt
