#include "lang/lower/kernel_kinds.h"

#include <algorithm>

namespace xt {
namespace {

// The search for calls stops at this depth. Lowering reports deeper nesting.
constexpr int kMaxSearchDepth = 2000;

} // namespace

bool KernelKinds::isKernel(const ast::KernelDecl &decl) {
  if (!decl.isFunction) return true;
  return decl.results.empty() &&
         std::any_of(decl.params.begin(), decl.params.end(),
                     [](const ast::Param &p) { return p.type.name.text.ends_with("memref"); }) &&
         (!decl.grid.empty() || !isCalled(decl));
}

bool KernelKinds::isCalled(const ast::KernelDecl &decl) {
  if (!callsAreKnown_)
    for (const ast::File *file : files_)
      for (const ast::KernelDecl &kernel : file->kernels) collectCalls(kernel.body, 0);
  callsAreKnown_ = true;
  return called_.contains(decl.name.text);
}
void KernelKinds::collectCalls(const ast::Block &block, int depth) {
  if (depth > kMaxSearchDepth) return;
  for (const ast::Stmt &stmt : block.stmts) {
    for (const ast::Maybe<ast::Expr> *expr : {&stmt.expr, &stmt.lower, &stmt.upper, &stmt.step})
      if (*expr) collectCalls(**expr, 0);
    for (const ast::Expr &value : stmt.values) collectCalls(value, 0);
    for (const ast::IterArg &arg : stmt.iterArgs) collectCalls(arg.init, 0);
    if (stmt.op)
      for (const ast::Expr &operand : stmt.op->operands) collectCalls(operand, 0);
    if (stmt.body) collectCalls(*stmt.body, depth + 1);
    if (stmt.orElse) collectCalls(*stmt.orElse, depth + 1);
  }
}
void KernelKinds::collectCalls(const ast::Expr &expr, int depth) {
  if (depth > kMaxSearchDepth) return;
  if (expr.is(ast::Expr::Kind::Call) && expr.symbolCall) called_.insert(expr.text);
  for (const ast::Expr &child : expr.children) collectCalls(child, depth + 1);
}

} // namespace xt
