#include "lang/lower/test_expressions.h"

#include "ir/base/depth.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "lang/check/literals.h"

#include <algorithm>

namespace xt {
namespace {

HostExpr integer(int64_t value, SourceRange range) {
  HostExpr e;
  e.integer = value;
  e.range = range;
  return e;
}

// Whether this is a literal with a minus sign before it.
bool isNegativeLiteral(const ast::Expr &expr) {
  if (!expr.is(ast::Expr::Kind::Unary) || expr.text != "-") return false;
  const ast::Expr &operand = expr.children[0];
  return isLiteral(operand) && !operand.parenthesised && !operand.is(ast::Expr::Kind::Binary);
}

} // namespace

bool TestScope::isSize(std::string_view name) const {
  return std::any_of(test->sizes.begin(), test->sizes.end(), [&](const HostSize &size) { return size.name == name; });
}

bool HostExprLowering::lower(const ast::Expr &expr, HostExpr &out) {
  DepthGuard guard(depth_);
  out.range = expr.range;
  if (guard.exceeds(kMaxExpressionDepth)) {
    diagnostics().report(DiagCode::NotSupported, expr.range, str("expression nested deeper than ", kMaxExpressionDepth));
    return false;
  }
  if (!calls_.frames.empty() && !mayInline(1, expr.range)) return false;
  switch (expr.kind) {
  case ast::Expr::Kind::Error: return false;
  case ast::Expr::Kind::Int:
    if (expr.overflows) return params_.eval(expr).has_value();
    out.kind = HostExpr::Kind::Int;
    out.integer = expr.integer;
    if (expr.integer < 0) out.elem = Elem::U64; // a value of 2^63 or more, as bits
    return true;
  case ast::Expr::Kind::Float:
    if (expr.overflows) return params_.eval(expr).has_value();
    out.kind = HostExpr::Kind::Float;
    out.number = expr.number;
    return true;
  case ast::Expr::Kind::Bool: out = integer(expr.integer, expr.range); return true;
  case ast::Expr::Kind::Text:
    out.kind = HostExpr::Kind::Text;
    out.text = expr.text;
    return true;
  case ast::Expr::Kind::Param: return lowerParam(expr, out);
  case ast::Expr::Kind::Value: return lowerName(expr, out);
  case ast::Expr::Kind::Ident: return lowerWord(expr, out);
  case ast::Expr::Kind::Unary:
  case ast::Expr::Kind::Binary: return isNegativeLiteral(expr) ? lowerNegative(expr, out) : lowerOperator(expr, out);
  case ast::Expr::Kind::Call: return lowerNamedCall(expr, out);
  case ast::Expr::Kind::List: out.kind = HostExpr::Kind::List; return lowerChildren(expr, out);
  case ast::Expr::Kind::Index: return lowerSlice(expr, out);
  case ast::Expr::Kind::Values:
  case ast::Expr::Kind::Symbol:
  case ast::Expr::Kind::Alias:
  case ast::Expr::Kind::Slice:
    diagnostics().report(DiagCode::ExpressionType, expr.range, "this is not a value in a test");
    return false;
  }
  return false;
}

// Lowers the operands of an expression to the arguments of `out`.
bool HostExprLowering::lowerChildren(const ast::Expr &expr, HostExpr &out) {
  bool ok = true;
  for (const ast::Expr &child : expr.children) {
    out.args.emplace_back();
    ok &= lower(child, out.args.back());
  }
  return ok;
}

// Lowers `$N`: a size of the test, or a parameter of the file.
bool HostExprLowering::lowerParam(const ast::Expr &expr, HostExpr &out) {
  if (calls_.frames.empty() && scope_.isSize(expr.text)) {
    out.kind = HostExpr::Kind::Size;
    out.text = expr.text;
    return true;
  }
  std::optional<ConstValue> value = params_.get({expr.text, expr.range});
  if (!value) return false;
  out.kind = value->kind == ConstValue::Kind::Float  ? HostExpr::Kind::Float
             : value->kind == ConstValue::Kind::Type ? HostExpr::Kind::Elem
                                                     : HostExpr::Kind::Int;
  out.integer = value->integer;
  out.number = value->number;
  out.elem = value->elem;
  if (out.kind == HostExpr::Kind::Int && fitsType(Elem::I64, *value)) out.elem = Elem::I64;
  return true;
}

// Lowers `%A`, a name that the test binds, or in a function one that the function binds.
bool HostExprLowering::lowerName(const ast::Expr &expr, HostExpr &out) {
  if (!calls_.frames.empty()) return lowerNameInFunction(expr, out);
  out.kind = HostExpr::Kind::Buffer;
  out.text = expr.text;
  auto known = scope_.names.find(expr.text);
  if (NameIndex *index = params_.symbols().index(); index && known != scope_.names.end())
    index->use(expr.range, nullptr, known->second.range);
  if (known != scope_.names.end()) {
    if (known->second.isCounter) out.kind = HostExpr::Kind::Counter;
    return true;
  }
  auto &diagnostic = diagnostics().report(DiagCode::UnknownValue, expr.range, str("unknown value `%", expr.text, "`"));
  std::vector<std::string_view> names;
  for (const auto &[name, bound] : scope_.names) names.push_back(name);
  suggestName(diagnostic, expr.range, '%', expr.text, names);
  return false;
}

// Lowers a word: an index of the formula that initialises a buffer, or an element type.
bool HostExprLowering::lowerWord(const ast::Expr &expr, HostExpr &out) {
  auto var = std::find(scope_.indexVars.begin(), scope_.indexVars.end(), expr.text);
  if (calls_.frames.empty() && var != scope_.indexVars.end()) {
    out.kind = HostExpr::Kind::Index;
    out.text = expr.text;
    out.integer = var - scope_.indexVars.begin();
    return true;
  }
  if (std::optional<Elem> elem = elemFromName(expr.text)) {
    out.kind = HostExpr::Kind::Elem;
    out.elem = *elem;
    return true;
  }
  auto &unknown = diagnostics().report(DiagCode::UnknownValue, expr.range, str("unknown name `", expr.text, "`"));
  if ((calls_.frames.empty() && scope_.isSize(expr.text)) || params_.symbols().param(expr.text))
    unknown.note(str("did you mean `$", expr.text, "`?"))
        .fix(str("replace by `$", expr.text, "`"), expr.range, "$" + expr.text);
  else if (scope_.names.count(expr.text))
    unknown.note(str("did you mean `%", expr.text, "`?"))
        .fix(str("replace by `%", expr.text, "`"), expr.range, "%" + expr.text);
  return false;
}

// Lowers a negative literal to a literal and not to a negation, so that it adds nothing to the error bound and prints as
// written.
bool HostExprLowering::lowerNegative(const ast::Expr &expr, HostExpr &out) {
  if (!lower(expr.children[0], out)) return false;
  out.range = expr.range;
  if (out.kind == HostExpr::Kind::Int && out.elem == Elem::U64 && out.integer != INT64_MIN) {
    diagnostics().report(DiagCode::LiteralValue, expr.range, "the value does not fit 64 bits");
    return false;
  }
  if (out.kind == HostExpr::Kind::Int) out.elem = Elem::I64;
  out.integer = static_cast<int64_t>(0 - static_cast<uint64_t>(out.integer));
  out.number = -out.number;
  return true;
}

bool HostExprLowering::lowerOperator(const ast::Expr &expr, HostExpr &out) {
  const HostFnInfo *fn = findHostOperator(expr.text, expr.children.size());
  if (!fn) {
    diagnostics().report(DiagCode::UnknownFunction, expr.textRange, str("unknown operator `", expr.text, "`"));
    return false;
  }
  out.kind = HostExpr::Kind::Call;
  out.fn = fn->fn;
  return lowerChildren(expr, out);
}

// Lowers a call of a host function by its name.
bool HostExprLowering::lowerNamedCall(const ast::Expr &expr, HostExpr &out) {
  if (expr.symbolCall) {
    const ast::KernelDecl *decl = functionOfTests(expr);
    return decl && lowerFunctionCall(expr, *decl, out);
  }
  const HostFnInfo *fn = findHostFn(expr.text, false);
  if (!fn && expr.text == "mod") fn = findHostOperator("mod", 2);
  if (fn) return lowerCall(expr, *fn, out);
  auto &diagnostic =
      diagnostics().report(DiagCode::UnknownFunction, expr.textRange, str("unknown host function `", expr.text, "`"));
  if (findHostFn(expr.text, true)) {
    diagnostic.note(
        str("`", expr.text, "` is an initialiser: write it on its own line, `%name = ", expr.text, "(…) : memref<…>`"));
    return false;
  }
  std::vector<std::string_view> known;
  for (const HostFnInfo &f : allHostFns())
    if (f.cls != HostFnClass::Initializer && !f.name.empty()) known.push_back(f.name);
  if (const ast::KernelDecl *own = params_.symbols().kernel(expr.text); own && own->ofTests)
    diagnostic.note(str("did you mean `@", expr.text, "`?"))
        .fix(str("replace by `@", expr.text, "`"), expr.textRange, "@" + expr.text);
  else if (!suggestName(diagnostic, expr.textRange, 0, expr.text, known))
    diagnostic.note("`xtc --list-ops` lists all functions, after the ops");
  return false;
}

bool HostExprLowering::lowerSlice(const ast::Expr &expr, HostExpr &out) {
  out.kind = HostExpr::Kind::Slice;
  out.args.emplace_back();
  bool ok = lower(expr.children[0], out.args[0]);
  for (size_t i = 1; i < expr.children.size(); ++i) {
    const ast::Expr &item = expr.children[i];
    HostExpr::Range range;
    auto add = [&](const ast::Expr &e, std::vector<HostExpr> &list) {
      if (e.is(ast::Expr::Kind::Error) && e.range.begin == e.range.end) return; // an omitted bound of a slice
      list.emplace_back();
      ok &= lower(e, list.back());
    };
    if (item.is(ast::Expr::Kind::Slice)) {
      add(item.children[0], range.begin);
      add(item.children[1], range.end);
      if (item.children.size() > 2) add(item.children[2], range.step);
    } else {
      range.single = true;
      add(item, range.begin);
    }
    out.ranges.push_back(std::move(range));
  }
  return ok;
}

bool HostExprLowering::lowerCall(const ast::Expr &expr, const HostFnInfo &fn, HostExpr &out) {
  if (NameIndex *index = params_.symbols().index()) index->host(expr.textRange.file ? expr.textRange : expr.range, fn);
  out.kind = HostExpr::Kind::Call;
  out.fn = fn.fn;
  out.range = expr.range;
  bool ok = true;
  int unknown = 0; // number of unknown arguments, which are reported separately
  std::vector<std::string_view> names = argumentNames(fn.named);
  for (size_t i = 0; i < expr.children.size(); ++i) {
    HostExpr arg;
    ok &= lower(expr.children[i], arg);
    const ast::Name *name = i < expr.argNames.size() && expr.argNames[i] ? &expr.argNames[i] : nullptr;
    if (!name) {
      if (!out.named.empty()) {
        diagnostics().report(DiagCode::HostArguments, expr.children[i].range,
                             "a positional argument must come before the named ones");
        ok = false;
      }
      out.args.push_back(std::move(arg));
      continue;
    }
    if (std::find(names.begin(), names.end(), name->text) == names.end()) {
      auto &diagnostic =
          diagnostics().report(DiagCode::HostArguments, name->range, str("`", fn.name, "` has no argument `", name->text, "`"));
      if (!names.empty()) diagnostic.note("its arguments are " + join(names, ", "));
      ok = false;
      ++unknown;
    }
    out.named.push_back({name->text, std::move(arg)});
  }
  int given = static_cast<int>(out.args.size() + out.named.size()) - unknown;
  if ((given < fn.minArgs && !unknown) || given > fn.maxArgs) {
    std::string range = fn.minArgs == fn.maxArgs ? str(fn.minArgs) : str(fn.minArgs, " to ", fn.maxArgs);
    diagnostics()
        .report(DiagCode::HostArguments, expr.range,
                str("`", fn.name.empty() ? std::string_view(expr.text) : fn.name, "` takes ", range, " argument",
                    range == "1" ? "" : "s", ", not ", given))
        .note(str("for example `", fn.example, "`"));
    ok = false;
  }
  return ok;
}

} // namespace xt
