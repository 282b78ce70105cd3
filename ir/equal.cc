#include "ir/equal.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/print.h"

#include <bit>

namespace xt {
namespace {

using Difference = std::optional<std::string>;

Difference differ(std::string_view what, std::string_view a, std::string_view b) {
  return str(what, " differs\n  first:  ", a, "\n  second: ", b);
}

// Compares bits, so that -0.0 and 0.0 differ and a NaN equals itself.
bool sameNumber(double a, double b) { return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b); }

bool sameValue(const AttrValue &a, const AttrValue &b) {
  const double *x = std::get_if<double>(&a), *y = std::get_if<double>(&b);
  return x && y ? sameNumber(*x, *y) : a == b;
}

// --- kernels ---------------------------------------------------------------------------------------------------------

class KernelComparison {
public:
  explicit KernelComparison(bool oneContext) : oneContext_(oneContext) {}
  Difference kernels(const Kernel &a, const Kernel &b);

private:
  bool sameType(Type a, Type b) const { return oneContext_ || !a || !b ? a == b : a == b || typeText(a) == typeText(b); }
  bool sameOperand(const Value *a, const Value *b) const {
    auto found = partner_.find(a);
    return found != partner_.end() && found->second == b;
  }
  Difference params(std::string_view where, const Block &a, const Block &b);
  Difference blocks(const Block &a, const Block &b, int depth);
  Difference ops(const Op &a, const Op &b, int depth);
  bool sameExpression(const Value *a, const Value *b, int depth) const;
  bool sameAttrs(const Op &a, const Op &b) const;
  Difference headers(const Kernel &a, const Kernel &b);

  bool oneContext_;
  std::unordered_map<const Value *, const Value *> partner_; // used for lookup only
};

Difference KernelComparison::params(std::string_view where, const Block &a, const Block &b) {
  if (a.params().size() != b.params().size())
    return differ(str("the number of parameters of ", where), str(a.params().size()), str(b.params().size()));
  for (size_t i = 0; i < a.params().size(); ++i) {
    if (!sameType(a.param(i)->type(), b.param(i)->type()))
      return differ(str("the type of the ", ordinal(i + 1), " parameter of ", where), typeText(a.param(i)->type()),
                    typeText(b.param(i)->type()));
    partner_[a.param(i)] = b.param(i);
  }
  return std::nullopt;
}

bool KernelComparison::sameAttrs(const Op &a, const Op &b) const {
  if (a.attrs().size() != b.attrs().size()) return false;
  for (size_t i = 0; i < a.attrs().size(); ++i)
    if (a.attrs()[i].name != b.attrs()[i].name || !sameValue(a.attrs()[i].value, b.attrs()[i].value)) return false;
  return true;
}

Difference KernelComparison::ops(const Op &a, const Op &b, int depth) {
  bool same = a.kind() == b.kind() && a.operandCount() == b.operandCount() && a.resultCount() == b.resultCount() &&
              a.regionCount() == b.regionCount() && sameAttrs(a, b);
  for (size_t i = 0; same && i < a.operandCount(); ++i) same = sameOperand(a.operand(i), b.operand(i));
  for (size_t i = 0; same && i < a.resultCount(); ++i) {
    same = sameType(a.result(i)->type(), b.result(i)->type());
    partner_[a.result(i)] = b.result(i);
  }
  if (!same) return differ("an op", print(a), print(b));
  for (size_t i = 0; i < a.regionCount(); ++i) {
    if (Difference d = params(str("a region of `", a.info().name, "`"), *a.region(i), *b.region(i))) return d;
    if (Difference d = blocks(*a.region(i), *b.region(i), depth + 1)) return d;
  }
  return std::nullopt;
}

Difference KernelComparison::blocks(const Block &a, const Block &b, int depth) {
  XT_CHECK(depth < kMaxPrintDepth, "regions nest too deeply");
  const Op *x = a.first(), *y = b.first();
  for (; x && y; x = x->next(), y = y->next())
    if (Difference d = ops(*x, *y, depth)) return d;
  if (x) return differ("the number of ops", print(*x), "(the block ends)");
  if (y) return differ("the number of ops", "(the block ends)", print(*y));
  return std::nullopt;
}

// The bounds of a grid and requirements are compared as expressions: the order and sharing of their ops do not count.
bool KernelComparison::sameExpression(const Value *a, const Value *b, int depth) const {
  XT_CHECK(depth < kMaxPrintDepth, "an expression of a header nests too deeply");
  const Op *x = a->definingOp(), *y = b->definingOp();
  if (!x || !y) return !x && !y && a->index() == b->index();
  if (x->kind() != y->kind() || x->operandCount() != y->operandCount() || !sameAttrs(*x, *y)) return false;
  if (!sameType(a->type(), b->type())) return false;
  for (size_t i = 0; i < x->operandCount(); ++i)
    if (!sameExpression(x->operand(i), y->operand(i), depth + 1)) return false;
  return true;
}

Difference KernelComparison::headers(const Kernel &a, const Kernel &b) {
  if (a.grid.size() != b.grid.size()) return differ("the number of grid variables", str(a.grid.size()), str(b.grid.size()));
  for (size_t d = 0; d < a.grid.size(); ++d) {
    auto bound = [&](std::string_view what, Value *GridDim::*member) -> Difference {
      if (sameExpression(a.grid[d].*member, b.grid[d].*member, 0)) return std::nullopt;
      return str("the ", what, " of the ", ordinal(d + 1), " grid variable differs");
    };
    if (a.grid[d].variable->index() != b.grid[d].variable->index())
      return str("the ", ordinal(d + 1), " grid variable is another parameter of the body");
    if (Difference found = bound("lower bound", &GridDim::lower)) return found;
    if (Difference found = bound("upper bound", &GridDim::upper)) return found;
    if (Difference found = bound("step", &GridDim::step)) return found;
  }
  if (a.requirements.size() != b.requirements.size())
    return differ("the number of requirements", str(a.requirements.size()), str(b.requirements.size()));
  for (size_t i = 0; i < a.requirements.size(); ++i)
    if (!sameExpression(a.requirements[i].condition, b.requirements[i].condition, 0))
      return str("the ", ordinal(i + 1), " requirement differs");
  return std::nullopt;
}

Difference KernelComparison::kernels(const Kernel &a, const Kernel &b) {
  if (a.name != b.name) return differ("the name", symbolText(a.name), symbolText(b.name));
  if (a.scope != b.scope) return Difference("the scope differs");
  if (a.subgroups != b.subgroups) return differ("the number of subgroups", str(a.subgroups), str(b.subgroups));
  if (a.lanes != b.lanes) return differ("the number of lanes", str(a.lanes), str(b.lanes));
  if (!(a.forms == b.forms)) return Difference("the forms differ");
  if (a.paramCount != b.paramCount) return differ("the number of parameters", str(a.paramCount), str(b.paramCount));
  if (Difference d = params("the kernel", a.body, b.body)) return d;
  if (Difference d = headers(a, b)) return d;
  return blocks(a.body, b.body, 0);
}

// --- tests -----------------------------------------------------------------------------------------------------------

bool sameExprs(const std::vector<HostExpr> &a, const std::vector<HostExpr> &b, int depth);

bool sameExpr(const HostExpr &a, const HostExpr &b, int depth) {
  XT_CHECK(depth < kMaxPrintDepth, "an expression of a test nests too deeply");
  if (a.kind != b.kind) return false;
  switch (a.kind) {
  case HostExpr::Kind::Int: return a.integer == b.integer;
  case HostExpr::Kind::Float: return sameNumber(a.number, b.number);
  case HostExpr::Kind::Text:
  case HostExpr::Kind::Size:
  case HostExpr::Kind::Counter:
  case HostExpr::Kind::Buffer: return a.text == b.text;
  case HostExpr::Kind::Index: return a.integer == b.integer;
  case HostExpr::Kind::Elem: return a.elem == b.elem;
  case HostExpr::Kind::List:
  case HostExpr::Kind::Call:
  case HostExpr::Kind::Slice: break;
  }
  bool call = a.kind == HostExpr::Kind::Call;
  if ((call && a.fn != b.fn) || a.named.size() != b.named.size() || a.ranges.size() != b.ranges.size()) return false;
  if (!sameExprs(a.args, b.args, depth + 1)) return false;
  for (size_t i = 0; i < a.named.size(); ++i)
    if (a.named[i].name != b.named[i].name || !sameExpr(a.named[i].value, b.named[i].value, depth + 1)) return false;
  for (size_t i = 0; i < a.ranges.size(); ++i) {
    const HostExpr::Range &x = a.ranges[i], &y = b.ranges[i];
    if (x.single != y.single || !sameExprs(x.begin, y.begin, depth + 1) || !sameExprs(x.end, y.end, depth + 1) ||
        !sameExprs(x.step, y.step, depth + 1))
      return false;
  }
  return true;
}

bool sameExprs(const std::vector<HostExpr> &a, const std::vector<HostExpr> &b, int depth) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!sameExpr(a[i], b[i], depth)) return false;
  return true;
}

bool sameStmt(const HostStmt &a, const HostStmt &b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
  case HostStmt::Kind::Buffer:
    return a.name == b.name && sameExpr(a.value, b.value, 0) && a.indexVars.size() == b.indexVars.size() &&
           a.type.elem == b.type.elem && a.type.memory == b.type.memory && sameExprs(a.type.extents, b.type.extents, 0);
  case HostStmt::Kind::Let: return a.name == b.name && sameExpr(a.value, b.value, 0);
  case HostStmt::Kind::Launch: return a.kernel == b.kernel && sameExprs(a.args, b.args, 0) && sameExprs(a.grid, b.grid, 0);
  case HostStmt::Kind::Check:
    if (!sameExpr(a.left, b.left, 0) || !sameExpr(a.right, b.right, 0) || a.tolerance != b.tolerance) return false;
    switch (a.tolerance) {
    case HostStmt::Tolerance::Derived:
    case HostStmt::Tolerance::Exactly: return true;
    case HostStmt::Tolerance::Ulp: return sameNumber(a.ulp, b.ulp);
    case HostStmt::Tolerance::RelAbs: return sameNumber(a.rtol, b.rtol) && sameNumber(a.atol, b.atol);
    }
    XT_UNREACHABLE("tolerance");
  case HostStmt::Kind::Save: return sameExpr(a.value, b.value, 0) && a.path == b.path;
  case HostStmt::Kind::Loop:
    return a.name == b.name && sameExprs(a.bounds, b.bounds, 0) && std::ranges::equal(a.body, b.body, sameStmt);
  case HostStmt::Kind::Mesh: return sameExprs(a.args, b.args, 0);
  case HostStmt::Kind::Shard: return a.name == b.name && sameExprs(a.args, b.args, 0);
  case HostStmt::Kind::Communicate:
    return a.communication == b.communication && a.started == b.started && a.name == b.name && sameExpr(a.value, b.value, 0) &&
           std::ranges::equal(a.named, b.named, [](const HostExpr::Named &x, const HostExpr::Named &y) {
             return x.name == y.name && sameExpr(x.value, y.value, 0);
           });
  case HostStmt::Kind::Wait: return a.name == b.name;
  }
  XT_UNREACHABLE("statement of a test");
}

Difference testDifference(const HostTest &a, const HostTest &b) {
  if (a.name != b.name) return differ("the name", quotedText(a.name), quotedText(b.name));
  bool sizes = a.sizes.size() == b.sizes.size() && a.hasSmall == b.hasSmall;
  for (size_t i = 0; sizes && i < a.sizes.size(); ++i)
    sizes = a.sizes[i].name == b.sizes[i].name && a.sizes[i].full == b.sizes[i].full && a.sizes[i].small == b.sizes[i].small;
  if (!sizes) return Difference("the sizes differ");
  if (a.body.size() != b.body.size()) return differ("the number of statements", str(a.body.size()), str(b.body.size()));
  for (size_t i = 0; i < a.body.size(); ++i)
    if (!sameStmt(a.body[i], b.body[i])) return str("the ", ordinal(i + 1), " statement differs");
  return std::nullopt;
}

bool sameAlias(const LayoutAlias &a, const LayoutAlias &b) {
  return a.name == b.name && a.spec == b.spec && a.order == b.order;
}

} // namespace

std::optional<std::string> firstDifference(const Module &a, const Module &b) {
  if (a.aliases.size() != b.aliases.size())
    return differ("the number of aliases", str(a.aliases.size()), str(b.aliases.size()));
  for (size_t i = 0; i < a.aliases.size(); ++i)
    if (!sameAlias(a.aliases[i], b.aliases[i]))
      return differ(str("the ", ordinal(i + 1), " alias"), "#" + a.aliases[i].name + " = " + a.aliases[i].spec.text(),
                    "#" + b.aliases[i].name + " = " + b.aliases[i].spec.text());
  if (a.kernels.size() != b.kernels.size())
    return differ("the number of kernels", str(a.kernels.size()), str(b.kernels.size()));
  for (size_t i = 0; i < a.kernels.size(); ++i)
    if (Difference d = KernelComparison(&a.context() == &b.context()).kernels(*a.kernels[i], *b.kernels[i]))
      return str("kernel ", symbolText(a.kernels[i]->name), ": ", *d);
  if (a.tests.size() != b.tests.size()) return differ("the number of tests", str(a.tests.size()), str(b.tests.size()));
  for (size_t i = 0; i < a.tests.size(); ++i)
    if (Difference d = testDifference(a.tests[i], b.tests[i])) return str("test ", quotedText(a.tests[i].name), ": ", *d);
  return std::nullopt;
}

} // namespace xt
