// Traversals of the syntax tree of a piece.
#pragma once
#include "lang/ast.h"

#include <functional>

namespace xt::lsp {

// Visits the statements of a block and of its nested blocks in text order. The parser limits the depth of the recursion.
void eachStmt(const ast::Block &block, const std::function<void(const ast::Stmt &)> &visit);

// The statements around a byte, outermost first.
std::vector<const ast::Stmt *> stmtsAround(const ast::Block &block, uint32_t offset);

// The names of the values in scope at a byte: parameters, grid and loop variables, and results of earlier statements.
std::vector<ast::Name> valuesInScope(const ast::KernelDecl &kernel, uint32_t offset);
std::vector<ast::Name> valuesInScope(const ast::TestDecl &test, uint32_t offset);

// The type that the text gives for a statement's result; null if the type is inferred.
const ast::TypeExpr *writtenType(const ast::Stmt &stmt);

} // namespace xt::lsp
