// Visits every source range in a statement of the AST, so that a statement can be moved to another text.
#pragma once
#include "lang/ast.h"

namespace xt::ast {

// Calls `f(SourceRange &)` for each range in a part of the tree. A new member with a range in the AST needs a line here;
// without it, a moved statement differs from a parsed one, which tests/lang/parse/reparse_test.cc detects.
template <class F> class RangeVisitor {
public:
  explicit RangeVisitor(F f) : f_(std::move(f)) {}

  void visit(Name &name) { f_(name.range); }
  void visit(Expr &expr) {
    f_(expr.range), f_(expr.textRange);
    each(expr.children), each(expr.argNames);
  }
  void visit(Extent &extent) {
    f_(extent.range);
    each(extent.value);
  }
  void visit(Attr &attr) {
    f_(attr.range);
    visit(attr.name), each(attr.value), each(attr.items), each(attr.entries);
    shared(attr.type);
  }
  void visit(Attr::Entry &entry) {
    visit(entry.key), each(entry.value);
    f_(entry.range);
  }
  void visit(TypeExpr &type) {
    f_(type.range);
    visit(type.name), each(type.extents), each(type.attrs);
    shared(type.element);
  }
  void visit(Signature &signature) {
    f_(signature.range);
    each(signature.left), each(signature.right);
  }
  void visit(OpClause &op) {
    visit(op.op), each(op.kind), each(op.operands), each(op.offsets), each(op.shapeList), each(op.strides), each(op.dims);
    each(op.locality), each(op.text), each(op.literal), each(op.flags), each(op.attrs), each(op.signature);
  }
  void visit(Binding &binding) { visit(binding.name); }
  void visit(IterArg &arg) { visit(arg.name), visit(arg.init); }
  void visit(std::pair<Name, Expr> &bound) { visit(bound.first), visit(bound.second); }
  void visit(Param &param) { visit(param.name), visit(param.type); }
  void visit(Block &block) {
    f_(block.range);
    visit(block.label), each(block.params), each(block.stmts);
  }
  void visit(Stmt &stmt) {
    f_(stmt.range);
    each(stmt.results), each(stmt.op), each(stmt.expr), each(stmt.type), each(stmt.attrs);
    visit(stmt.variable), each(stmt.lower), each(stmt.upper), each(stmt.step), each(stmt.iterArgs), each(stmt.resultTypes);
    each(stmt.body), each(stmt.orElse), each(stmt.values), each(stmt.signature);
    visit(stmt.kernel), each(stmt.grid), each(stmt.indexVars), each(stmt.left), each(stmt.right), each(stmt.within),
        each(stmt.path);
    visit(stmt.word), visit(stmt.start), each(stmt.argNames), each(stmt.into);
  }

private:
  template <class List> void each(List &list) {
    for (auto &item : list) visit(item);
  }
  template <class T> void each(std::optional<T> &item) {
    if (item) visit(*item);
  }
  template <class T> void each(Maybe<T> &item) {
    if (item) visit(*item);
  }
  // Replaces a type that is shared with the original tree by a copy.
  void shared(std::shared_ptr<TypeExpr> &type) {
    if (!type) return;
    type = std::make_shared<TypeExpr>(*type);
    visit(*type);
  }
  F f_;
};

} // namespace xt::ast
