// Binds the names of a statement.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

// Binds a name, or reports an error if the name cannot be rebound.
void bindName(KernelState &state, const ast::Name &name, Value *value);

// Binds the names on the left of a statement to the values of `what`. Reports an error if their numbers differ.
void bindResults(KernelState &state, const ast::Stmt &stmt, const std::vector<Value *> &values, std::string_view what);

// Binds the names on the left of a loop or a branch to the first `count` results of its op.
void bindOpResults(KernelState &state, const ast::Stmt &stmt, const Op &op, size_t count, std::string_view what);

// The part of a statement before its block, or all of it if the block is missing.
SourceRange headerOf(const ast::Stmt &stmt);

// Binds the names of an invalid statement to null, so that their uses are not reported, and marks the kernel as invalid.
void poison(KernelState &state, const ast::Stmt &stmt);

} // namespace xt
