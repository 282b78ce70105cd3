#include "lang/check/const_eval.h"

#include "ir/base/depth.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/integer_text.h"
#include "lang/check/literals.h"
#include "lang/check/param_targets.h"

#include <charconv>
#include <cmath>

namespace xt {
namespace {

ConstValue intValue(int64_t v) { return {.kind = ConstValue::Kind::Int, .integer = v, .elem = Elem::Index}; }
ConstValue boolValue(bool v) { return {.kind = ConstValue::Kind::Bool, .integer = v, .elem = Elem::I1, .literal = false}; }
ConstValue floatValue(double v) { return {.kind = ConstValue::Kind::Float, .number = v, .elem = Elem::F32}; }

// Whether this is a value of type i1; a parameter of this type may have been given as 0 or 1.
bool isTruth(const ConstValue &v) { return v.kind != ConstValue::Kind::Type && v.elem == Elem::I1; }

// Wide enough for every 64-bit integer and for the exact sum or difference of two of them.
using Exact = __int128;

// The value of an Int or Bool. A hexadecimal literal of 2^63 or more is signed, except beside a u64.
Exact exactValue(const ConstValue &v, bool besideU64) {
  bool isUnsigned = isWide(v) || (besideU64 && isWideHex(v));
  return isUnsigned ? Exact{static_cast<uint64_t>(v.integer)} : Exact{v.integer};
}

std::optional<ConstValue> fromExact(Exact v) {
  if (v < INT64_MIN || v > UINT64_MAX) return std::nullopt;
  ConstValue out = intValue(static_cast<int64_t>(static_cast<uint64_t>(v)));
  if (v > INT64_MAX) out.elem = Elem::U64;
  return out;
}

// Evaluates a comparison, `and` or `or`. Nullopt for any other operator.
std::optional<bool> truthOf(std::string_view op, Exact a, Exact b) {
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  if (op == ">=") return a >= b;
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "and") return a && b;
  if (op == "or") return a || b;
  return std::nullopt;
}

ConstValue intLiteral(const ast::Expr &expr) {
  ConstValue value = intValue(expr.integer);
  bool hex = expr.text.starts_with("0x") || expr.text.starts_with("0X");
  if (expr.integer < 0) value.elem = hex ? Elem::I64 : Elem::U64;
  return value;
}

std::optional<Elem> declaredElem(const ast::ParamDecl &param) {
  return param.type.kind == ast::TypeExpr::Kind::Word ? elemFromName(param.type.name.text) : std::nullopt;
}
template <class T> std::optional<T> fromText(std::string_view text) {
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}
bool isTypeParam(const ast::ParamDecl &param) {
  return param.type.kind == ast::TypeExpr::Kind::Word && param.type.name.text == "type";
}
std::optional<ConstValue> typeValue(const ast::TypeExpr &type, Diagnostics &diagnostics) {
  if (type.range.begin == type.range.end) return std::nullopt; // a syntax error, which has been reported
  if (type.kind == ast::TypeExpr::Kind::Word)
    if (std::optional<Elem> elem = elemFromName(type.name.text))
      return ConstValue{.kind = ConstValue::Kind::Type, .elem = *elem, .literal = false};
  diagnostics.report(DiagCode::UnknownType, type.range, "the value of a `type` parameter must be an element type");
  return std::nullopt;
}

} // namespace

std::string constText(const ConstValue &value) {
  switch (value.kind) {
  case ConstValue::Kind::Int: return integerText(value.elem, value.integer);
  case ConstValue::Kind::Bool: return value.integer ? "true" : "false";
  case ConstValue::Kind::Float: return floatText(value.number);
  case ConstValue::Kind::Type: return std::string(elemName(value.elem));
  }
  return {};
}

bool isLiteral(const ast::Expr &expr) {
  using Kind = ast::Expr::Kind;
  if (expr.is(Kind::Int) || expr.is(Kind::Float)) return true;
  if (expr.is(Kind::Unary) && (expr.text == "-" || expr.text == "~")) return isLiteral(expr.children[0]);
  if (!expr.is(Kind::Binary) || expr.children.size() != 2) return false;
  for (std::string_view op : {"+", "-", "*", "/", "mod", "<<", ">>", "&", "^", "|"})
    if (expr.text == op) return isLiteral(expr.children[0]) && isLiteral(expr.children[1]);
  return false;
}

std::optional<ConstValue> paramValue(const ast::ParamDecl &param, ConstValue value, SourceRange range,
                                     Diagnostics &diagnostics) {
  if (isTypeParam(param)) {
    if (value.kind == ConstValue::Kind::Type) return value;
    diagnostics.report(DiagCode::LiteralValue, range, str("parameter `$", param.name.text, "` is a type"));
    return std::nullopt;
  }
  if (param.type.kind == ast::TypeExpr::Kind::Error) return std::nullopt; // reported by the parser
  std::optional<Elem> elem = declaredElem(param);
  if (!elem) {
    diagnostics.report(DiagCode::UnknownType, param.type.range, "a parameter is a scalar or a `type`");
    return std::nullopt;
  }
  bool fits = value.kind != ConstValue::Kind::Type && fitsType(*elem, value);
  if (!fits) {
    diagnostics.report(
        DiagCode::LiteralValue, range,
        str("parameter `$", param.name.text, "` is ", elemName(*elem), ", which cannot hold ", constText(value)));
    return std::nullopt;
  }
  if (isFloat(*elem)) value = floatValue(roundTo(*elem, constNumber(value)));
  value.elem = *elem;
  value.literal = false;
  return value;
}

std::optional<ConstValue> paramFromText(const ast::ParamDecl &param, std::string_view text) {
  Diagnostics scratch;
  ConstValue value;
  if (isTypeParam(param)) {
    std::optional<Elem> elem = elemFromName(text);
    if (!elem) return std::nullopt;
    return ConstValue{.kind = ConstValue::Kind::Type, .elem = *elem, .literal = false};
  }
  if (text == "true" || text == "false") {
    value = boolValue(text == "true");
  } else if (std::optional<int64_t> integer = fromText<int64_t>(text)) {
    value = intValue(*integer);
  } else if (std::optional<uint64_t> wide = fromText<uint64_t>(text)) {
    value = *fromExact(*wide);
  } else if (std::optional<double> number = fromText<double>(text)) {
    value = floatValue(*number);
  } else {
    return std::nullopt;
  }
  return paramValue(param, value, {}, scratch);
}

std::optional<ConstValue> ParamScope::get(const ast::Name &name) {
  const ast::ParamDecl *param = symbols_.param(name.text);
  if (NameIndex *index = symbols_.index(); index && param) index->use(NameKind::Param, name.range, param->name.range);
  if (const ConstValue *own = generic(name.text)) return *own;
  if (auto it = values_.find(name.text); it != values_.end()) return it->second;
  if (!param) {
    if (!symbols_.complete()) return values_[name.text] = std::nullopt;
    auto &diagnostic = diagnostics_.report(DiagCode::UnknownParam, name.range, str("unknown parameter `$", name.text, "`"));
    suggestName(diagnostic, name.range, '$', name.text, symbols_.paramNames());
    return values_[name.text] = std::nullopt;
  }
  for (const std::string &outer : evaluating_)
    if (outer == name.text) {
      diagnostics_.report(DiagCode::CircularDefinition, param->name.range,
                          str("parameter `$", name.text, "` depends on itself"));
      return values_[name.text] = std::nullopt;
    }
  DepthGuard guard(depth_);
  if (guard.exceeds(kMaxExpressionDepth)) {
    diagnostics_.report(DiagCode::NotConstant, param->name.range,
                        str("parameters depend on one another in a chain longer than ", kMaxExpressionDepth));
    return values_[name.text] = std::nullopt;
  }
  evaluating_.push_back(name.text);
  Generics names = setGenerics({}); // a parameter of the file knows none of a function's names
  const ast::TargetChoice *forTarget = choiceFor(*param, target_);
  std::optional<ConstValue> value =
      forTarget ? declared(*param, forTarget->value, forTarget->typeValue) : declared(*param, param->value, param->typeValue);
  setGenerics(std::move(names));
  evaluating_.pop_back();
  return values_[name.text] = value;
}

std::optional<ConstValue> ParamScope::declared(const ast::ParamDecl &param, const std::optional<ast::Expr> &value,
                                               const std::optional<ast::TypeExpr> &type) {
  if (type && type->kind == ast::TypeExpr::Kind::Param) { // another parameter's type
    std::optional<ConstValue> other = get(type->name);
    return other && other->kind != ConstValue::Kind::Type ? typeValue(*type, diagnostics_) : other;
  }
  if (type) return typeValue(*type, diagnostics_);
  if (param.type.kind == ast::TypeExpr::Kind::Error) return std::nullopt; // the parser has reported the error
  if (!value) {
    // Report it at the declaration, so that it is reported only once.
    diagnostics_.report(DiagCode::NotConstant, param.name.range, str("parameter `$", param.name.text, "` has no value"))
        .note(str("give it one where it is declared, or with `-D ", param.name.text, "=…`"));
    return std::nullopt;
  }
  std::optional<ConstValue> result = eval(*value);
  return result ? paramValue(param, *result, value->range, diagnostics_) : result;
}

const ConstValue *ParamScope::generic(std::string_view name) const {
  auto found = generics_.find(name);
  return found == generics_.end() ? nullptr : &found->second;
}

std::vector<ConstValue> ParamScope::choices(const ast::ParamDecl &param) {
  std::vector<ConstValue> list;
  for (const ast::TypeExpr &type : param.typeChoices)
    if (std::optional<ConstValue> value = typeValue(type, diagnostics_)) list.push_back(*value);
  for (const ast::Expr &choice : param.choices) {
    std::optional<ConstValue> value = eval(choice);
    if (value) value = paramValue(param, *value, choice.range, diagnostics_);
    if (value) list.push_back(*value);
  }
  return list;
}

std::optional<ConstValue> ParamScope::notConstant(const ast::Expr &expr) {
  diagnostics_.report(DiagCode::NotConstant, expr.range, "this is not a compile-time constant")
      .note("use literals, parameters ($name) and arithmetic on them");
  return std::nullopt;
}

Diagnostic &ParamScope::notDefined(const ast::Expr &expr, const ConstValue &operand) {
  return diagnostics_.report(DiagCode::ExpressionType, expr.range,
                             str("`", expr.text, "` is not defined for ", constText(operand)));
}

std::optional<ConstValue> ParamScope::eval(const ast::Expr &expr) {
  DepthGuard guard(depth_);
  if (guard.exceeds(kMaxExpressionDepth)) {
    diagnostics_.report(DiagCode::NotConstant, expr.range, str("expression nested deeper than ", kMaxExpressionDepth));
    return std::nullopt;
  }
  switch (expr.kind) {
  case ast::Expr::Kind::Error: return std::nullopt;
  case ast::Expr::Kind::Int:
    if (expr.overflows) {
      diagnostics_.report(DiagCode::LiteralValue, expr.range, "this integer does not fit 64 bits");
      return std::nullopt;
    }
    return intLiteral(expr);
  case ast::Expr::Kind::Float:
    if (expr.overflows) {
      diagnostics_.report(DiagCode::LiteralValue, expr.range, str(expr.text, " is larger than any f64"))
          .fix("replace with `inf`", expr.range, "inf");
      return std::nullopt;
    }
    return floatValue(expr.number);
  case ast::Expr::Kind::Bool: return boolValue(expr.integer != 0);
  case ast::Expr::Kind::Param: return get({expr.text, expr.range});
  case ast::Expr::Kind::Ident:
    if (const ConstValue *own = generic(expr.text)) return *own;
    if (std::optional<Elem> elem = elemFromName(expr.text))
      return ConstValue{.kind = ConstValue::Kind::Type, .elem = *elem, .literal = false};
    return notConstant(expr);
  case ast::Expr::Kind::Unary: return evalUnary(expr);
  case ast::Expr::Kind::Binary: return evalBinary(expr);
  case ast::Expr::Kind::Call: return evalCall(expr);
  case ast::Expr::Kind::List:
    if (expr.children.size() == 1) return eval(expr.children[0]);
    return notConstant(expr);
  case ast::Expr::Kind::Text:
  case ast::Expr::Kind::Value:
  case ast::Expr::Kind::Values:
  case ast::Expr::Kind::Symbol:
  case ast::Expr::Kind::Alias:
  case ast::Expr::Kind::Index:
  case ast::Expr::Kind::Slice: return notConstant(expr);
  }
  return std::nullopt;
}

std::optional<ConstValue> ParamScope::evalUnary(const ast::Expr &expr) {
  if (const ast::Expr &inner = expr.children[0];
      expr.text == "-" && inner.is(ast::Expr::Kind::Int) && !inner.overflows && inner.integer == INT64_MIN)
    return intValue(INT64_MIN);
  std::optional<ConstValue> v = eval(expr.children[0]);
  if (!v) return std::nullopt;
  bool isNot = expr.text == "not" || (expr.text == "~" && isTruth(*v));
  if (v->kind == ConstValue::Kind::Type || isNot != isTruth(*v) || (expr.text == "~" && v->kind == ConstValue::Kind::Float)) {
    notDefined(expr, *v);
    return std::nullopt;
  }
  if (isNot) return boolValue(v->integer == 0);
  if (v->kind == ConstValue::Kind::Float) {
    v->number = -v->number;
    return v;
  }
  Exact exact = exactValue(*v, false), result = expr.text == "~" ? -1 - exact : -exact;
  if (expr.text == "~" && !v->literal && elemInfo(v->elem).isUnsigned) result &= (Exact{1} << elemInfo(v->elem).bits) - 1;
  std::optional<ConstValue> negated = fromExact(result);
  if (!negated) return beyond64Bits(expr);
  if (!v->literal && fitsType(v->elem, *negated)) negated->elem = v->elem, negated->literal = false;
  return negated;
}

std::optional<ConstValue> ParamScope::beyond64Bits(const ast::Expr &expr) {
  diagnostics_.report(DiagCode::LiteralValue, expr.range, "the value does not fit 64 bits");
  return std::nullopt;
}

std::optional<ConstValue> ParamScope::evalInts(const ast::Expr &expr, const ConstValue &left, const ConstValue &right) {
  std::string_view op = expr.text;
  bool besideU64 = left.elem == Elem::U64 || right.elem == Elem::U64;
  Exact a = exactValue(left, besideU64), b = exactValue(right, besideU64), r = 0;
  if (std::optional<bool> truth = truthOf(op, a, b)) return boolValue(*truth);
  bool divides = op == "/" || op == "mod" || op == "ceildiv";
  if (divides && b == 0) {
    diagnostics_.report(DiagCode::LiteralValue, expr.range, "division by zero");
    return std::nullopt;
  }
  if (op == "+")
    r = a + b;
  else if (op == "-")
    r = a - b;
  else if (op == "*") {
    if (__builtin_mul_overflow(a, b, &r)) return beyond64Bits(expr);
  } else if (op == "min")
    r = std::min(a, b);
  else if (op == "max")
    r = std::max(a, b);
  else if (op == "/")
    r = a / b;
  else if (op == "mod")
    r = a % b;
  else if (op == "ceildiv")
    r = a / b + ((a % b != 0 && (a % b > 0) == (b > 0)) ? 1 : 0);
  else if (op == "&")
    r = a & b;
  else if (op == "^")
    r = a ^ b;
  else if (op == "|")
    r = a | b;
  else if (op == "<<" || op == ">>") {
    if (b < 0 || b > 63) {
      diagnostics_.report(DiagCode::LiteralValue, expr.range, str("`", op, "` can shift only by 0 to 63 bits"));
      return std::nullopt;
    }
    r = op == ">>" ? a >> b : a * (Exact{1} << b);
  } else
    return notConstant(expr);
  std::optional<ConstValue> value = fromExact(r);
  return value ? value : beyond64Bits(expr);
}

std::optional<ConstValue> ParamScope::evalBinary(const ast::Expr &expr) {
  std::optional<ConstValue> a = eval(expr.children[0]), b = eval(expr.children[1]);
  if (!a || !b) return std::nullopt;
  if (a->kind == ConstValue::Kind::Type || b->kind == ConstValue::Kind::Type) {
    if (a->kind != b->kind || (expr.text != "==" && expr.text != "!=")) return notConstant(expr);
    return boolValue((a->elem == b->elem) == (expr.text == "=="));
  }
  if ((expr.text == "and" || expr.text == "or") && !(isTruth(*a) && isTruth(*b))) {
    notDefined(expr, isTruth(*a) ? *b : *a).note("both sides are i1, such as comparisons");
    return std::nullopt;
  }
  bool bits = expr.text == "&" || expr.text == "|" || expr.text == "^";
  if (bits && isTruth(*a) && isTruth(*b)) {
    int64_t x = a->integer, y = b->integer;
    return boolValue((expr.text == "&" ? x & y : expr.text == "|" ? x | y : x ^ y) != 0);
  }
  if (a->kind != ConstValue::Kind::Float && b->kind != ConstValue::Kind::Float) return evalInts(expr, *a, *b);
  double x = constNumber(*a), y = constNumber(*b);
  if (expr.text == "+") return floatValue(x + y);
  if (expr.text == "-") return floatValue(x - y);
  if (expr.text == "*") return floatValue(x * y);
  if (expr.text == "/") return floatValue(x / y);
  if (expr.text == "mod") return floatValue(std::fmod(x, y));
  if (expr.text == "<") return boolValue(x < y);
  if (expr.text == "<=") return boolValue(x <= y);
  if (expr.text == ">") return boolValue(x > y);
  if (expr.text == ">=") return boolValue(x >= y);
  if (expr.text == "==") return boolValue(x == y);
  if (expr.text == "!=") return boolValue(x != y);
  return notConstant(expr);
}

std::optional<ConstValue> ParamScope::evalCall(const ast::Expr &expr) {
  bool known =
      !expr.symbolCall && expr.children.size() == 2 && (expr.text == "min" || expr.text == "max" || expr.text == "ceildiv");
  if (!known) return notConstant(expr);
  std::optional<ConstValue> a = eval(expr.children[0]), b = eval(expr.children[1]);
  if (!a || !b) return std::nullopt;
  if (a->kind != ConstValue::Kind::Int || b->kind != ConstValue::Kind::Int) return notConstant(expr);
  return evalInts(expr, *a, *b);
}

std::optional<int64_t> ParamScope::evalInt(const ast::Expr &expr, std::string_view what) {
  std::optional<ConstValue> value = eval(expr);
  if (!value) return std::nullopt;
  if (value->kind == ConstValue::Kind::Int && !isWide(*value)) return value->integer;
  if (value->kind == ConstValue::Kind::Int)
    diagnostics_.report(DiagCode::LiteralValue, expr.range, str(what, " is at most ", INT64_MAX));
  else
    diagnostics_.report(DiagCode::LiteralValue, expr.range, str(what, " is an integer, not ", constText(*value)));
  return std::nullopt;
}

const ParamScope::GivenLayout *ParamScope::givenLayout(std::string_view name, SourceRange place) {
  auto given = layouts_.find(name);
  if (given == layouts_.end()) return nullptr;
  if (NameIndex *index = symbols_.index()) index->use(NameKind::Alias, place, given->second.declared);
  return &given->second;
}

const ast::AttrAlias *ParamScope::attrAlias(std::string_view name, SourceRange place) {
  if (const GivenLayout *given = givenLayout(name, place)) return given->alias;
  const ast::AttrAlias *alias = symbols_.attrAlias(name);
  if (NameIndex *index = symbols_.index(); alias && index) index->use(NameKind::Alias, place, alias->name.range);
  if (alias || !symbols_.complete()) return alias;
  Diagnostic &diagnostic = diagnostics_.report(DiagCode::UnknownAlias, place, str("unknown alias `#", name, "`"));
  std::vector<std::string_view> known = symbols_.attrAliasNames();
  for (const auto &[layout, given] : layouts_) known.push_back(layout);
  suggestName(diagnostic, place, '#', name, known);
  return nullptr;
}

} // namespace xt
