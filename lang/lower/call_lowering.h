// Calls of functions of the file. Every call is inlined.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

// Lowers a call `@f(…)` and returns its results. Nullopt if an error was reported, or if a type does not match because of an
// extent that is assumed for `?`. `signature` is the one written after the call, or null.
std::optional<std::vector<Value *>> lowerFunctionCall(KernelState &state, const ast::Expr &expr,
                                                      const ast::Signature *signature = nullptr);

// Lowers a call of the function that a symbol names, with these arguments.
std::optional<std::vector<Value *>> lowerFunctionCall(KernelState &state, const ast::Expr &symbol,
                                                      const std::vector<Value *> &arguments);

// Lowers the body of a function with these arguments, null for those that are functions or layouts, and returns its results.
// Its generic names must have their values (instance.h). Nullopt in the same cases as lowerFunctionCall().
std::optional<std::vector<Value *>> lowerFunctionBody(KernelState &state, const ast::KernelDecl &decl,
                                                      const std::vector<Value *> &arguments, SourceRange call,
                                                      const FunctionArguments &functions = {});

void lowerReturn(KernelState &state, const ast::Stmt &stmt);

// Counts a statement of an inlined function, or of a block that is lowered again. Returns false if there are too many; the
// error is reported once.
bool mayRepeat(KernelState &state, SourceRange range);
// Whether mayRepeat() has reported that the kernel has too many statements. The rest of it is not lowered.
bool repeatedTooMuch(const KernelState &state);

} // namespace xt
