// Prints the AST as text: one node per line, children indented, ranges as line:column. Omits absent parts.
#include "lang/ast.h"

#include "ir/base/check.h"
#include "ir/base/text.h"

namespace xt::ast {
namespace {

class Dumper {
public:
  explicit Dumper(const SourceFile &source) : source_(source) {}
  void file(const File &f);
  std::string take() { return std::move(out_); }

private:
  // Indents the output during its lifetime.
  struct Nested {
    explicit Nested(Dumper &d) : dumper(d) { ++dumper.depth_; }
    ~Nested() { --dumper.depth_; }
    Dumper &dumper;
  };

  void line(const std::string &text, SourceRange range);
  void plain(const std::string &text) { out_ += std::string(2 * depth_, ' ') + text + "\n"; }
  std::string at(SourceRange range) const;
  void name(std::string_view what, const Name &n) { line(str(what, " ", quote(n.text)), n.range); }
  static std::string quote(std::string_view text);

  void kernel(const KernelDecl &k);
  void param(const ParamDecl &p);
  void test(const TestDecl &t);
  void sizes(std::string_view what, const std::vector<SizeDecl> &list);
  void params(const std::vector<Param> &list, bool ofTests = false);
  void block(std::string_view what, const Block &b);
  void stmt(const Stmt &s);
  void stmtParts(const Stmt &s);
  void op(const OpClause &o);
  void signature(const Signature &s);
  void expr(const Expr &e);
  template <class OptionalExpr> void expr(std::string_view what, const OptionalExpr &e);
  void arguments(const std::vector<Expr> &list, const std::vector<Name> &names);
  void exprs(std::string_view what, const std::vector<Expr> &list);
  void type(const TypeExpr &t);
  void types(std::string_view what, const std::vector<TypeExpr> &list);
  void attr(const Attr &a);
  void entry(const Attr::Entry &e);

  const SourceFile &source_;
  std::string out_;
  size_t depth_ = 0;
};

std::string Dumper::quote(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + "'";
}

std::string Dumper::at(SourceRange range) const {
  LineColumn begin = source_.lineColumn(range.begin), end = source_.lineColumn(range.end);
  return str("[", begin.line, ":", begin.column, "-", end.line, ":", end.column, "]");
}

void Dumper::line(const std::string &text, SourceRange range) { plain(str(text, " ", at(range))); }

std::string_view kindName(Expr::Kind kind) {
  switch (kind) {
  case Expr::Kind::Error: return "error";
  case Expr::Kind::Int: return "int";
  case Expr::Kind::Float: return "float";
  case Expr::Kind::Text: return "text";
  case Expr::Kind::Bool: return "bool";
  case Expr::Kind::Value: return "value";
  case Expr::Kind::Values: return "values";
  case Expr::Kind::Param: return "param";
  case Expr::Kind::Symbol: return "symbol";
  case Expr::Kind::Alias: return "alias";
  case Expr::Kind::Ident: return "ident";
  case Expr::Kind::Unary: return "unary";
  case Expr::Kind::Binary: return "binary";
  case Expr::Kind::Call: return "call";
  case Expr::Kind::Index: return "index";
  case Expr::Kind::Slice: return "slice";
  case Expr::Kind::List: return "list";
  }
  XT_UNREACHABLE("expression kind");
}

void Dumper::expr(const Expr &e) {
  std::string head(kindName(e.kind));
  if (!e.text.empty()) head += " " + quote(e.text);
  if (e.is(Expr::Kind::Int)) head += str(" = ", static_cast<uint64_t>(e.integer));
  if (e.is(Expr::Kind::Float)) head += " = " + floatText(e.number);
  if (e.is(Expr::Kind::Values)) head += str(" x ", e.integer);
  if (e.overflows) head += " overflow";
  if (e.symbolCall) head += " of a symbol";
  if (e.parenthesised) head += " parenthesised";
  line(head, e.range);
  Nested nested(*this);
  arguments(e.children, e.argNames);
}

void Dumper::arguments(const std::vector<Expr> &list, const std::vector<Name> &names) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (i < names.size() && names[i]) name("named", names[i]);
    expr(list[i]);
  }
}

template <class OptionalExpr> void Dumper::expr(std::string_view what, const OptionalExpr &e) {
  if (!e) return;
  plain(std::string(what));
  Nested nested(*this);
  expr(*e);
}

void Dumper::exprs(std::string_view what, const std::vector<Expr> &list) {
  if (list.empty()) return;
  plain(std::string(what));
  Nested nested(*this);
  for (const Expr &e : list) expr(e);
}

void Dumper::type(const TypeExpr &t) {
  switch (t.kind) {
  case TypeExpr::Kind::Error: return line("type error", t.range);
  case TypeExpr::Kind::Word: return line("type " + t.name.text, t.range);
  case TypeExpr::Kind::Param: return line("type $" + t.name.text, t.range);
  case TypeExpr::Kind::Alias: return line("type !" + t.name.text, t.range);
  case TypeExpr::Kind::Shaped: break;
  }
  line("shaped type " + t.name.text, t.range);
  Nested nested(*this);
  for (const Extent &extent : t.extents) {
    if (extent.dynamic) line("extent ?", extent.range);
    if (extent.value) {
      line("extent", extent.range);
      Nested deeper(*this);
      expr(*extent.value);
    }
  }
  if (t.element) type(*t.element);
  for (const Attr::Entry &e : t.attrs) entry(e);
}

void Dumper::types(std::string_view what, const std::vector<TypeExpr> &list) {
  if (list.empty()) return;
  plain(std::string(what));
  Nested nested(*this);
  for (const TypeExpr &t : list) type(t);
}

void Dumper::entry(const Attr::Entry &e) {
  line(e.key ? "entry " + quote(e.key.text) : "entry", e.range);
  Nested nested(*this);
  if (e.value) attr(*e.value);
}

void Dumper::attr(const Attr &a) {
  switch (a.kind) {
  case Attr::Kind::Error: return line("attribute error", a.range);
  case Attr::Kind::Word: return line("word " + quote(a.name.text), a.range);
  case Attr::Kind::Alias: return line("alias #" + a.name.text, a.range);
  case Attr::Kind::Value: return a.value ? expr(*a.value) : line("value", a.range);
  case Attr::Kind::Type: return a.type ? type(*a.type) : line("type", a.range);
  case Attr::Kind::AffineMap: return line(str("affine_map (", join(a.results, ", "), ")"), a.range);
  case Attr::Kind::Mapping: line("mapping " + a.name.text, a.range); break;
  case Attr::Kind::List: line("list", a.range); break;
  case Attr::Kind::Dict: line("attributes", a.range); break;
  }
  Nested nested(*this);
  for (const Attr &item : a.items) attr(item);
  for (const Attr::Entry &e : a.entries) entry(e);
}

void Dumper::signature(const Signature &s) {
  line("signature", s.range);
  Nested nested(*this);
  types("left", s.left);
  if (s.hasArrow) plain("arrow");
  types("right", s.right);
}

std::string_view clauseName(Clause clause) {
  switch (clause) {
  case Clause::Operands: return "operands";
  case Clause::Base: return "base";
  case Clause::Locality: return "locality";
  case Clause::Kind: return "kind";
  case Clause::Dims: return "dims";
  case Clause::Literal: return "literal";
  case Clause::Text: return "text";
  case Clause::Bare: return "bare";
  case Clause::Dimension: return "dimension";
  case Clause::Structure: return "structure";
  }
  XT_UNREACHABLE("clause");
}

void Dumper::op(const OpClause &o) {
  line(str("op ", o.op.text, " (", clauseName(o.shape), ")"), o.op.range);
  Nested nested(*this);
  if (o.kind) name("kind", *o.kind);
  for (const Expr &e : o.operands) expr(e);
  expr("offsets", o.offsets);
  expr("shape", o.shapeList);
  expr("strides", o.strides);
  expr("dims", o.dims);
  expr("locality", o.locality);
  expr("text", o.text);
  if (o.literal) attr(*o.literal);
  for (const Attr &f : o.flags) {
    plain("flag");
    Nested deeper(*this);
    attr(f);
  }
  for (const Attr &a : o.attrs) attr(a);
  if (o.signature) signature(*o.signature);
}

std::string_view kindName(Stmt::Kind kind) {
  switch (kind) {
  case Stmt::Kind::Error: return "error";
  case Stmt::Kind::Op: return "op";
  case Stmt::Kind::Assign: return "assign";
  case Stmt::Kind::For: return "for";
  case Stmt::Kind::While: return "while";
  case Stmt::Kind::If: return "if";
  case Stmt::Kind::Yield: return "yield";
  case Stmt::Kind::Condition: return "condition";
  case Stmt::Kind::Return: return "return";
  case Stmt::Kind::Call: return "call";
  case Stmt::Kind::Buffer: return "buffer";
  case Stmt::Kind::Launch: return "launch";
  case Stmt::Kind::Check: return "check";
  case Stmt::Kind::Save: return "save";
  case Stmt::Kind::Mesh: return "mesh";
  case Stmt::Kind::Shard: return "shard";
  case Stmt::Kind::Communicate: return "communicate";
  case Stmt::Kind::Wait: return "wait";
  }
  XT_UNREACHABLE("statement kind");
}

void Dumper::stmt(const Stmt &s) {
  line(str(kindName(s.kind), " statement"), s.range);
  Nested nested(*this);
  for (const Binding &b : s.results) name(b.count == 1 ? "result" : str("result x ", b.count), b.name);
  if (s.op) op(*s.op);
  if (s.variable) name("variable", s.variable);
  if (s.kernel) name("kernel", s.kernel);
  if (s.start) name("start", s.start);
  if (s.word) name("word", s.word);
  stmtParts(s);
}

void Dumper::stmtParts(const Stmt &s) {
  if (s.expr) expr(*s.expr);
  if (s.type) type(*s.type);
  expr("lower", s.lower);
  expr("upper", s.upper);
  expr("step", s.step);
  for (const IterArg &arg : s.iterArgs) {
    name("carried", arg.name);
    Nested nested(*this);
    expr(arg.init);
  }
  types("result types", s.resultTypes);
  if (!s.values.empty()) {
    plain("values");
    Nested nested(*this);
    arguments(s.values, s.argNames);
  }
  expr("into", s.into);
  if (s.attrs) attr(*s.attrs);
  exprs("grid", s.grid);
  if (s.signature) signature(*s.signature);
  for (const Name &n : s.indexVars) name("index", n);
  expr("left", s.left);
  expr("right", s.right);
  if (s.tolerance == Stmt::Tolerance::Exactly) plain("exactly");
  for (const auto &[key, value] : s.within) {
    name("within", key);
    Nested nested(*this);
    expr(value);
  }
  expr("path", s.path);
  if (s.body) block("body", *s.body);
  if (s.orElse) block(s.kind == Stmt::Kind::While ? "do" : "else", *s.orElse);
}

void Dumper::block(std::string_view what, const Block &b) {
  line(std::string(what), b.range);
  Nested nested(*this);
  if (b.label) name("label", b.label);
  params(b.params);
  for (const Stmt &s : b.stmts) stmt(s);
}

void Dumper::params(const std::vector<Param> &list, bool ofTests) {
  for (const Param &p : list) {
    name(p.isFunction ? "function parameter" : p.isLayout ? "layout parameter" : "parameter", p.name);
    Nested nested(*this);
    if (p.isValue() && !ofTests) type(p.type);
  }
}

void Dumper::kernel(const KernelDecl &k) {
  line(str(k.ofTests ? "function of tests @" : k.isFunction ? "function @" : "kernel @", k.name.text), k.range);
  Nested nested(*this);
  for (const Generic &g : k.generics) {
    name("generic", g.name);
    Nested deeper(*this);
    if (g.constraint) name("constraint", g.constraint);
  }
  params(k.params, k.ofTests);
  types("results", k.results);
  for (const GridVar &v : k.grid) {
    name("grid", v.name);
    Nested deeper(*this);
    expr(v.lower);
    expr(v.upper);
    expr("step", v.step);
  }
  exprs("requires", k.requirements);
  expr("subgroups", k.subgroups);
  expr("lanes", k.lanes);
  for (const Name &n : k.forms) name("form", n);
  block("body", k.body);
}

void Dumper::param(const ParamDecl &p) {
  line("param $" + p.name.text, p.range);
  Nested nested(*this);
  type(p.type);
  expr("value", p.value);
  if (p.typeValue) types("value", {*p.typeValue});
  exprs("choices", p.choices);
  types("choices", p.typeChoices);
  for (const TargetChoice &c : p.targetChoices) {
    line("target " + quote(c.target), c.range);
    Nested deeper(*this);
    expr("value", c.value);
    if (c.typeValue) types("value", {*c.typeValue});
  }
}

void Dumper::sizes(std::string_view what, const std::vector<SizeDecl> &list) {
  for (const SizeDecl &s : list) {
    name(what, s.name);
    Nested nested(*this);
    expr(s.value);
  }
}

void Dumper::test(const TestDecl &t) {
  line("test " + quote(t.name), t.range);
  Nested nested(*this);
  sizes("size", t.sizes);
  if (t.hasSmall) plain("small");
  sizes("small size", t.small);
  block("body", t.body);
}

void Dumper::file(const File &f) {
  for (const ImportDecl &i : f.imports) line("import " + quote(i.path), i.range);
  for (const ParamDecl &p : f.params) param(p);
  for (const AttrAlias &a : f.attrAliases) {
    line("alias #" + a.name.text, a.range);
    Nested nested(*this);
    attr(a.value);
  }
  for (const TypeAlias &a : f.typeAliases) {
    line("alias !" + a.name.text, a.range);
    Nested nested(*this);
    type(a.value);
  }
  for (const KernelDecl &k : f.kernels) kernel(k);
  for (const TestDecl &t : f.tests) test(t);
}

} // namespace

std::string dump(const File &file, const SourceFile &source) {
  Dumper dumper(source);
  dumper.file(file);
  return dumper.take();
}

} // namespace xt::ast
