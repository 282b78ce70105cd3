#include "lang/lower/expr_lowering.h"

#include "ir/base/depth.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "lang/check/literals.h"
#include "lang/lower/alike_operands.h"
#include "lang/lower/call_lowering.h"
#include "lang/lower/named_calls.h"
#include "lang/lower/op_lowering.h"
#include "lang/lower/operators.h"
#include "lang/parse/foreign_names.h"

#include <algorithm>

namespace xt {
namespace {

struct Comparison {
  std::string_view text, floats, ints, unsignedInts;
};

constexpr Comparison kComparisons[] = {{"==", "oeq", "eq", "eq"},   {"!=", "une", "ne", "ne"},  {"<", "olt", "slt", "ult"},
                                       {"<=", "ole", "sle", "ule"}, {">", "ogt", "sgt", "ugt"}, {">=", "oge", "sge", "uge"}};

// Each unknown name is compared with all known ones. After this many errors in a file, no similar names are suggested.
constexpr size_t kMostSuggestions = 100;

Value *lowerConst(KernelState &state, const ConstValue &value, Type like, SourceRange range) {
  state.builder.setRange(range);
  if (value.kind == ConstValue::Kind::Type) {
    state.diagnostics().report(DiagCode::ExpressionType, range, "a type is not a value here");
    return nullptr;
  }
  // Without `like`, an integer literal is an index, or a u64 if it does not fit an index.
  bool index = value.literal && value.kind == ConstValue::Kind::Int && !isWide(value);
  Elem own = index ? Elem::Index : value.elem;
  Type type = value.literal && like && (like.isScalar() || like.isVector()) ? like : state.context.scalar(own);
  if (type.isVector()) type = state.context.withLayout(type, nullptr);
  if (type.elem() == Elem::I1 && value.kind != ConstValue::Kind::Bool) type = state.context.scalar(own);
  if (isFloat(type.elem())) {
    warnIfInfinite(state.diagnostics(), type.elem(), value, range);
    return state.builder.constantFloat(type, constNumber(value));
  }
  if (value.kind == ConstValue::Kind::Float) {
    state.diagnostics()
        .report(DiagCode::LiteralValue, range,
                str("a literal with a decimal point and an integer operand (", elemName(type.elem()), ")"))
        .note("write an integer, or cast the other operand with `sitofp`");
    return nullptr;
  }
  if (!fitsType(type.elem(), value)) {
    state.diagnostics().report(DiagCode::LiteralValue, range, str(constText(value), " does not fit ", elemName(type.elem())));
    return nullptr;
  }
  return state.builder.constantInt(type, value.integer);
}

Value *lowerUnary(KernelState &state, const ast::Expr &expr, Type like) {
  if (NameIndex *index = state.params.symbols().index())
    if (const HostFnInfo *meaning = findHostOperator(expr.text, 1)) index->host(expr.textRange, *meaning); // as in tests
  Value *value = lowerExpr(state, expr.children[0], like);
  if (!value) return nullptr;
  Type type = value->type();
  bool number = type.isScalar() || type.isVector();
  Type open = type.isVector() ? state.context.withLayout(type, nullptr) : type;
  state.builder.setRange(expr.range);
  if (expr.text == "not" && number && type.elem() == Elem::I1)
    return emitOp(state, OpKind::XorI, {value, state.builder.constantInt(open, 1)}, {expr.children[0].range, expr.range},
                  expr.range);
  if (expr.text == "~" && number && !isFloat(type.elem()))
    return emitOp(state, OpKind::XorI, {value, state.builder.constantInt(open, type.elem() == Elem::I1 ? 1 : -1)},
                  {expr.children[0].range, expr.range}, expr.range);
  if (expr.text == "-" && number && isFloat(type.elem()))
    return emitOp(state, OpKind::NegF, {value}, {expr.children[0].range}, expr.range);
  if (expr.text == "-" && number && type.elem() != Elem::I1)
    return emitOp(state, OpKind::SubI, {state.builder.constantInt(open, 0), value}, {expr.range, expr.children[0].range},
                  expr.range);
  auto &diagnostic = state.diagnostics().report(DiagCode::ExpressionType, expr.range,
                                                str("`", expr.text, "` is not defined for ", shapedText(type)));
  if (expr.text == "not" && number && !isFloat(type.elem())) {
    SourceRange word{expr.range.file, expr.range.begin, expr.range.begin + static_cast<uint32_t>(expr.text.size())};
    diagnostic.note("the operand is i1, such as a comparison").fix("write `~`, which inverts the bits of integers", word, "~");
  }
  return nullptr;
}

Value *lowerBinary(KernelState &state, const ast::Expr &expr, Type like) {
  const ast::Expr *sides[] = {&expr.children[0], &expr.children[1]};
  const Comparison *comparison = findText<Comparison>(kComparisons, expr.text);
  std::vector<Value *> values;
  if (!lowerAlike(state, sides, comparison ? Type() : like, values)) return nullptr;
  std::vector<SourceRange> ranges = {sides[0]->range, sides[1]->range};
  for (size_t i = 0; i < 2; ++i)
    if (!values[i]->type().isScalar() && !values[i]->type().isVector()) {
      state.diagnostics().report(DiagCode::ExpressionType, ranges[i],
                                 str("`", expr.text, "` is not defined for ", shapedText(values[i]->type())));
      return nullptr;
    }
  if (!stretchOperands(state, values, expr.range)) return nullptr;
  Elem elem = values[0]->type().elem();
  const ElemInfo &info = elemInfo(elem);
  auto emit = [&](OpKind kind, std::vector<Attr> attrs) {
    if (NameIndex *index = state.params.symbols().index()) index->op(expr.textRange, opInfo(kind));
    return emitOp(state, kind, values, ranges, expr.range, std::move(attrs));
  };
  if (comparison) {
    std::string_view kind = info.isFloat ? comparison->floats : info.isUnsigned ? comparison->unsignedInts : comparison->ints;
    return emit(info.isFloat ? OpKind::CmpF : OpKind::CmpI, {{"kind", std::string(kind), expr.textRange}});
  }
  if (expr.text == "and" || expr.text == "or") {
    if (elem == Elem::I1) return emit(expr.text == "and" ? OpKind::AndI : OpKind::OrI, {});
  } else if (const BitOperator *bits = findText<BitOperator>(kBitOperators, expr.text)) {
    if (!info.isFloat && !(bits->shifts && elem == Elem::I1))
      return emit(info.isUnsigned ? bits->unsignedInts : bits->ints, {});
  } else if (const Operator *op = findText<Operator>(kArithmetic, expr.text); op && elem != Elem::I1) {
    return emit(op->of(elem), {});
  }
  auto &diagnostic = state.diagnostics().report(DiagCode::ExpressionType, expr.range,
                                                str("`", expr.text, "` is not defined for ", shapedText(values[0]->type())));
  if (expr.text == "and" || expr.text == "or") {
    diagnostic.note("both sides are i1, such as comparisons");
    if (!info.isFloat)
      diagnostic.fix(str("write `", expr.text == "and" ? "&" : "|", "`, which works on the bits of integers"), expr.textRange,
                     expr.text == "and" ? "&" : "|");
  }
  return nullptr;
}

// Lowers a call of a function that must have one result.
Value *lowerFunctionValue(KernelState &state, const ast::Expr &expr) {
  std::optional<std::vector<Value *>> values = lowerFunctionCall(state, expr);
  if (!values) return nullptr;
  if (values->size() == 1) return values->front();
  state.diagnostics().report(DiagCode::ResultCount, expr.range,
                             str("`@", expr.text, "` returns ", values->size(), " values, but one is needed here"));
  return nullptr;
}

// What the language has instead of a member of a value, as in `%x.T`; "" if the text before the last dot is no known name.
std::string_view noteOnMember(const KernelState &state, const std::string &name) {
  size_t dot = name.rfind('.');
  bool member = dot != std::string::npos && state.names.find(name.substr(0, dot));
  return member ? noteOnForeignName(std::string_view(name).substr(dot + 1)) : "";
}

// Reports `%x[0, 0]` or `%x[0:4, 0:8]`, and names the op that takes an element or a part of the value.
void reportIndexed(KernelState &state, const ast::Expr &expr) {
  Value *base = lowerExpr(state, expr.children[0]);
  if (!base) return;
  bool part = std::ranges::any_of(expr.children, [](const ast::Expr &e) { return e.is(ast::Expr::Kind::Slice); });
  auto &diagnostic = state.diagnostics().report(
      DiagCode::ExpressionType, expr.range, part ? "a slice is no value in a kernel" : "this is not a scalar or vector value");
  if (base->type().isVector() && part)
    diagnostic.note(std::string(noteOnForeignName("slice")));
  else if (base->type().isVector())
    diagnostic.note("an op takes one element of a vector: `vector.extract %x[%i, %j]`");
  else if (base->type().isMemRef())
    diagnostic.note(part ? "an op names a part of a memref: `init_tile %A[0, 8] -> tile<8x8xf32>`; `load_tile` reads it"
                         : "an op reads an element of a memref: `memref.load %A[%i, %j]`");
}

} // namespace

Value *lowerLiteral(KernelState &state, const ast::Expr &expr, Type like) {
  std::optional<ConstValue> value = state.params.eval(expr);
  return value ? lowerConst(state, *value, like, expr.range) : nullptr;
}

Value *lowerValue(KernelState &state, const ast::Expr &expr) {
  const BoundName *bound = state.names.find(expr.text);
  if (NameIndex *index = state.params.symbols().index(); index && bound) index->use(expr.range, bound->value, bound->range);
  if (bound) return bound->value;
  if (state.namesLost) return nullptr;
  auto &diagnostic = state.diagnostics().report(DiagCode::UnknownValue, expr.range, str("unknown value `%", expr.text, "`"));
  if (const SourceRange *lost = state.names.lost(expr.text)) {
    diagnostic.at(*lost, "bound here, inside a block that has ended");
    diagnostic.note("a name that is first bound in a loop or a branch does not exist after it; bind it before to use it here");
  } else if (std::string_view note = noteOnMember(state, expr.text); !note.empty()) {
    diagnostic.note(std::string(note));
  } else if (state.diagnostics().errorCount() <= kMostSuggestions) {
    suggestName(diagnostic, expr.range, '%', expr.text, state.names.names());
  }
  state.names.forget(expr.text, expr.range); // one message per name
  return nullptr;
}

Value *lowerExpr(KernelState &state, const ast::Expr &expr, Type like) {
  DepthGuard guard(state.depth);
  if (guard.exceeds(kMaxExpressionDepth)) {
    state.diagnostics().report(DiagCode::NotSupported, expr.range, str("expression nested deeper than ", kMaxExpressionDepth));
    return nullptr;
  }
  if (isLiteral(expr)) return lowerLiteral(state, expr, like);
  switch (expr.kind) {
  case ast::Expr::Kind::Error: return nullptr;
  case ast::Expr::Kind::Int:
  case ast::Expr::Kind::Float:
  case ast::Expr::Kind::Bool:
  case ast::Expr::Kind::Param: return lowerLiteral(state, expr, like);
  case ast::Expr::Kind::Value: return lowerValue(state, expr);
  case ast::Expr::Kind::Unary: return lowerUnary(state, expr, like);
  case ast::Expr::Kind::Binary: return lowerBinary(state, expr, like);
  case ast::Expr::Kind::Call: return expr.symbolCall ? lowerFunctionValue(state, expr) : lowerNamedCall(state, expr, like);
  case ast::Expr::Kind::List:
    if (expr.children.size() == 1) return lowerExpr(state, expr.children[0], like);
    break;
  case ast::Expr::Kind::Ident: {
    auto &diagnostic = state.diagnostics().report(DiagCode::UnknownValue, expr.range, str("unknown name `", expr.text, "`"));
    if (state.names.find(expr.text)) diagnostic.fix(str("write `%", expr.text, "`"), expr.range, "%" + expr.text);
    return nullptr;
  }
  case ast::Expr::Kind::Text:
  case ast::Expr::Kind::Values:
  case ast::Expr::Kind::Symbol:
  case ast::Expr::Kind::Alias:
  case ast::Expr::Kind::Slice: break;
  case ast::Expr::Kind::Index: reportIndexed(state, expr); return nullptr;
  }
  state.diagnostics().report(DiagCode::ExpressionType, expr.range, "this is not a scalar or vector value");
  return nullptr;
}

Value *asIndex(KernelState &state, Value *value, SourceRange range) {
  if (!value || !(value->type().isScalar() || value->type().isVector()) || !value->type().isPlain()) return value;
  Elem elem = value->type().elem();
  if (isFloat(elem) || elem == Elem::I1 || elem == Elem::Index) return value;
  Type type = state.context.withElem(value->type(), Elem::Index);
  if (type.isVector()) type = state.context.withLayout(type, nullptr);
  return emitOp(state, OpKind::IndexCast, {value}, {range}, range, {}, type);
}

Value *lowerIndex(KernelState &state, const ast::Expr &expr, std::string_view what) {
  Value *value = asIndex(state, lowerExpr(state, expr, state.context.index()), expr.range);
  if (!value || value->type().isIndex()) return value;
  Type type = value->type();
  auto &diagnostic =
      state.diagnostics().report(DiagCode::OperandType, expr.range, str(what, " is an index, but this is ", shapedText(type)));
  if (type.isScalar())
    diagnostic.note(isFloat(type.elem()) ? "`cast(%x, index)` rounds a float towards zero"
                                         : "`index_cast` turns an integer into an index");
  return nullptr;
}

Value *lowerCondition(KernelState &state, const ast::Expr &expr, std::string_view what) {
  Value *condition = lowerExpr(state, expr);
  if (!condition || condition->type().isScalar(Elem::I1)) return condition;
  auto &diagnostic =
      state.diagnostics().report(DiagCode::ConditionType, expr.range,
                                 str("the condition of `", what, "` must be a scalar i1, not ", shapedText(condition->type())));
  if (condition->type().isVector()) diagnostic.note("`select(%condition, %a, %b)` chooses for each element");
  return nullptr;
}

} // namespace xt
