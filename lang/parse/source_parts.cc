#include "lang/parse/source_parts.h"

#include <algorithm>

namespace xt {
namespace {

class Collector {
public:
  std::vector<SourcePart> take() {
    // The tree lists declarations by kind. Sort them by position, with outer parts before inner ones.
    std::stable_sort(parts_.begin(), parts_.end(), [](const SourcePart &a, const SourcePart &b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    std::vector<int> open;
    for (size_t i = 0; i < parts_.size(); ++i) {
      while (!open.empty() && parts_[static_cast<size_t>(open.back())].end < parts_[i].end) open.pop_back();
      while (!open.empty() && parts_[static_cast<size_t>(open.back())].end <= parts_[i].begin) open.pop_back();
      parts_[i].parent = open.empty() ? -1 : open.back();
      open.push_back(static_cast<int>(i));
    }
    return std::move(parts_);
  }

  void file(const ast::File &file) {
    for (const ast::ImportDecl &item : file.imports) add(PartKind::Item, item.range);
    for (const ast::ParamDecl &item : file.params) param(item);
    for (const ast::AttrAlias &item : file.attrAliases) add(PartKind::Item, item.range), mapping(item.value);
    for (const ast::TypeAlias &item : file.typeAliases) add(PartKind::Item, item.range), type(item.value);
    for (const ast::KernelDecl &item : file.kernels) kernel(item);
    for (const ast::TestDecl &item : file.tests) test(item);
  }

private:
  void add(PartKind kind, SourceRange range) {
    if (range.begin < range.end) parts_.push_back({kind, range.begin, range.end, -1});
  }

  void param(const ast::ParamDecl &item) {
    add(PartKind::Item, item.range);
    type(item.type), each(item.value), each(item.typeValue), each(item.choices), each(item.typeChoices);
    for (const ast::TargetChoice &choice : item.targetChoices) each(choice.value), each(choice.typeValue);
  }

  void kernel(const ast::KernelDecl &item) {
    add(PartKind::Item, item.range);
    for (const ast::Param &p : item.params) {
      add(PartKind::Operand, item.ofTests ? p.name.range : p.name.range.to(p.type.range));
      if (!item.ofTests) type(p.type);
    }
    each(item.results);
    for (const ast::GridVar &v : item.grid) {
      add(PartKind::Operand, v.name.range.to(v.step ? v.step->range : v.upper.range));
      expr(v.lower), expr(v.upper), each(v.step);
    }
    operands(item.requirements);
    each(item.subgroups), each(item.lanes);
    block(item.body);
  }

  void test(const ast::TestDecl &item) {
    add(PartKind::Item, item.range);
    for (const auto *sizes : {&item.sizes, &item.small})
      for (const ast::SizeDecl &size : *sizes) add(PartKind::Operand, size.name.range.to(size.value.range)), expr(size.value);
    block(item.body);
  }

  void block(const ast::Block &block) {
    add(PartKind::Block, block.range);
    for (const ast::Param &p : block.params) type(p.type);
    for (const ast::Stmt &each : block.stmts) statement(each);
  }

  void statement(const ast::Stmt &s) {
    add(PartKind::Statement, s.range);
    for (const ast::Binding &b : s.results) add(PartKind::Result, b.name.range);
    if (s.op) op(*s.op);
    each(s.expr), each(s.type), each(s.attrs);
    each(s.lower), each(s.upper), each(s.step);
    for (const ast::IterArg &arg : s.iterArgs) add(PartKind::Operand, arg.name.range.to(arg.init.range)), expr(arg.init);
    each(s.resultTypes);
    if (s.body) block(*s.body);
    if (s.orElse) block(*s.orElse);
    operands(s.values);
    each(s.signature);
    operands(s.grid);
    each(s.left), each(s.right), each(s.path), each(s.into);
    for (const auto &[name, value] : s.within) add(PartKind::Operand, name.range.to(value.range)), expr(value);
  }

  void op(const ast::OpClause &op) {
    add(PartKind::OpName, op.op.range);
    if (op.kind) add(PartKind::Attribute, op.kind->range);
    operands(op.operands);
    each(op.offsets), each(op.shapeList), each(op.strides), each(op.dims), each(op.locality), each(op.text);
    each(op.literal), each(op.attrs);
    for (const ast::Attr &flag : op.flags) add(PartKind::Attribute, flag.range);
    each(op.signature);
  }

  void operands(const std::vector<ast::Expr> &list) {
    for (const ast::Expr &e : list) add(PartKind::Operand, e.range), inside(e);
  }

  void expr(const ast::Expr &e) { add(PartKind::Expr, e.range), inside(e); }
  void inside(const ast::Expr &e) {
    using Kind = ast::Expr::Kind;
    if (e.is(Kind::Int) || e.is(Kind::Float)) add(PartKind::Number, e.range);
    bool list = e.is(Kind::Call) || e.is(Kind::List) || e.is(Kind::Index);
    for (size_t i = 0; i < e.children.size(); ++i) {
      const ast::Expr &child = e.children[i];
      bool named = i < e.argNames.size() && e.argNames[i];
      if (list)
        add(PartKind::Operand, named ? e.argNames[i].range.to(child.range) : child.range);
      else
        add(PartKind::Expr, child.range);
      inside(child);
    }
  }

  void type(const ast::TypeExpr &t) {
    add(PartKind::Type, t.range);
    for (const ast::Extent &extent : t.extents) {
      add(PartKind::Extent, extent.range);
      if (extent.value) expr(*extent.value);
    }
    if (t.element) add(PartKind::Element, t.element->range);
    for (const ast::Attr::Entry &each : t.attrs) entry(each);
  }

  void signature(const ast::Signature &s) {
    add(PartKind::Signature, s.range);
    each(s.left), each(s.right);
  }

  void entry(const ast::Attr::Entry &e) {
    add(PartKind::Attribute, e.range);
    each(e.value);
  }
  void mapping(const ast::Attr &a) {
    add(a.kind == ast::Attr::Kind::Dict ? PartKind::Attributes : PartKind::Mapping, a.range);
    each(a.value);
    for (const ast::Attr &item : a.items) add(PartKind::Operand, item.range), mapping(item);
    for (const ast::Attr::Entry &each : a.entries) entry(each);
    if (a.type) type(*a.type);
  }

  void one(const ast::Expr &e) { expr(e); }
  void one(const ast::TypeExpr &t) { type(t); }
  void one(const ast::Attr &a) { mapping(a); }
  void one(const ast::Signature &s) { signature(s); }
  template <class T> void each(const ast::Maybe<T> &part) {
    if (part) one(*part);
  }
  template <class T> void each(const std::optional<T> &part) {
    if (part) one(*part);
  }
  template <class T> void each(const std::vector<T> &list) {
    for (const T &part : list) one(part);
  }

  std::vector<SourcePart> parts_;
};

} // namespace

std::vector<SourcePart> sourceParts(const ast::File &file) {
  Collector collector;
  collector.file(file);
  return collector.take();
}

} // namespace xt
