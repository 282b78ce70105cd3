// Walks over the tree of a piece.
#pragma once
#include "lang/ast.h"

#include <functional>

namespace xt::lsp {

// Statements of a block and of the blocks in it, in the order of the text; nested no deeper than the parser allows.
void eachStmt(const ast::Block &block, const std::function<void(const ast::Stmt &)> &visit);

// The statements around a byte, outermost first.
std::vector<const ast::Stmt *> stmtsAround(const ast::Block &block, uint32_t offset);

// The names of values that are bound before a byte and known there: parameters, grid and loop variables, results.
std::vector<ast::Name> valuesInScope(const ast::KernelDecl &kernel, uint32_t offset);
std::vector<ast::Name> valuesInScope(const ast::TestDecl &test, uint32_t offset);

// The type that a statement writes for its result; null: none, so that it is inferred.
const ast::TypeExpr *writtenType(const ast::Stmt &stmt);

} // namespace xt::lsp
