#include "lang/server/tree.h"

namespace xt::lsp {
namespace {

void bindResults(const ast::Stmt &stmt, std::vector<ast::Name> &names) {
  for (const ast::Binding &binding : stmt.results)
    if (binding.name) names.push_back(binding.name);
}

void bindBefore(const ast::Block &block, uint32_t offset, std::vector<ast::Name> &names) {
  for (const ast::Stmt &stmt : block.stmts) {
    if (stmt.range.begin >= offset) return;
    bool inBody = stmt.body && stmt.body->range.begin < offset && offset <= stmt.body->range.end;
    bool inElse = stmt.orElse && stmt.orElse->range.begin < offset && offset <= stmt.orElse->range.end;
    if (inBody || inElse) {
      if (stmt.variable) names.push_back(stmt.variable);
      for (const ast::IterArg &arg : stmt.iterArgs)
        if (arg.name && inBody) names.push_back(arg.name);
      const ast::Block &inner = inBody ? *stmt.body : *stmt.orElse;
      for (const ast::Param &param : inner.params)
        if (param.name) names.push_back(param.name);
      bindBefore(inner, offset, names);
      return;
    }
    if (stmt.range.end < offset) bindResults(stmt, names);
  }
}

} // namespace

void eachStmt(const ast::Block &block, const std::function<void(const ast::Stmt &)> &visit) {
  for (const ast::Stmt &stmt : block.stmts) {
    visit(stmt);
    if (stmt.body) eachStmt(*stmt.body, visit);
    if (stmt.orElse) eachStmt(*stmt.orElse, visit);
  }
}

std::vector<const ast::Stmt *> stmtsAround(const ast::Block &block, uint32_t offset) {
  std::vector<const ast::Stmt *> around;
  for (const ast::Block *in = &block; in;) {
    const ast::Block *inner = nullptr;
    for (const ast::Stmt &stmt : in->stmts) {
      if (offset < stmt.range.begin || stmt.range.end < offset) continue;
      around.push_back(&stmt);
      for (const ast::Maybe<ast::Block> *part : {&stmt.body, &stmt.orElse})
        if (*part && (*part)->range.begin <= offset && offset <= (*part)->range.end) inner = &**part;
      break;
    }
    in = inner;
  }
  return around;
}

std::vector<ast::Name> valuesInScope(const ast::KernelDecl &kernel, uint32_t offset) {
  std::vector<ast::Name> names;
  for (const ast::Param &param : kernel.params)
    if (param.name) names.push_back(param.name);
  if (offset <= kernel.body.range.begin) return names;
  for (const ast::GridVar &var : kernel.grid)
    if (var.name) names.push_back(var.name);
  bindBefore(kernel.body, offset, names);
  return names;
}

std::vector<ast::Name> valuesInScope(const ast::TestDecl &test, uint32_t offset) {
  std::vector<ast::Name> names;
  bindBefore(test.body, offset, names);
  return names;
}

const ast::TypeExpr *writtenType(const ast::Stmt &stmt) {
  if (stmt.type) return &*stmt.type;
  const ast::Maybe<ast::Signature> *signature = stmt.op ? &stmt.op->signature : &stmt.signature;
  if (!*signature) return nullptr;
  if ((*signature)->hasArrow) return (*signature)->right.empty() ? nullptr : &(*signature)->right.back();
  return (*signature)->left.empty() ? nullptr : &(*signature)->left.back();
}

} // namespace xt::lsp
