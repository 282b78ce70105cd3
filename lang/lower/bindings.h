// Binds the names of a statement.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

// Binds a name; reports a name that cannot be rebound.
void bindName(KernelState &state, const ast::Name &name, Value *value);

// Binds the names on the left of a statement to the values of `what`; reports a mismatch of their numbers.
void bindResults(KernelState &state, const ast::Stmt &stmt, const std::vector<Value *> &values, std::string_view what);

// Binds the names on the left of a loop or a branch to the first `count` results of its op.
void bindOpResults(KernelState &state, const ast::Stmt &stmt, const Op &op, size_t count, std::string_view what);

// The part of a statement before its block, or all of it if the block is missing.
SourceRange headerOf(const ast::Stmt &stmt);

// Binds the names of an invalid statement to null, so that their uses report nothing; no kernel results.
void poison(KernelState &state, const ast::Stmt &stmt);

} // namespace xt
