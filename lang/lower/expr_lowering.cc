#include "ir/base/depth.h"
#include "ir/base/text.h"
#include "ir/call_names.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "lang/check/literals.h"
#include "lang/lower/kernel_lowering.h"
#include "lang/lower/operators.h"

#include <algorithm>

namespace xt {
namespace {

struct Comparison {
  std::string_view text, floats, ints, unsignedInts;
};
// Each unknown name is compared with all known ones. After this many errors in a file, no similar names are suggested.
constexpr size_t kMostSuggestions = 100;

constexpr Comparison kComparisons[] = {{"==", "oeq", "eq", "eq"},   {"!=", "une", "ne", "ne"},  {"<", "olt", "slt", "ult"},
                                       {"<=", "ole", "sle", "ule"}, {">", "ogt", "sgt", "ugt"}, {">=", "oge", "sge", "uge"}};

} // namespace

Value *KernelLowering::emit(OpKind kind, std::vector<Value *> operands, std::vector<SourceRange> ranges, SourceRange range,
                            std::vector<Attr> attrs, Type written) {
  OpDraft draft;
  draft.info = &opInfo(kind);
  draft.operands = std::move(operands);
  draft.operandRanges = std::move(ranges);
  draft.range = draft.writtenRange = range;
  draft.attrs = std::move(attrs);
  draft.written = written;
  Op *op = emitDraft(draft, {});
  return op ? op->result() : nullptr;
}

Value *KernelLowering::lowerIndex(const ast::Expr &expr, std::string_view what) {
  Value *value = lowerExpr(expr, context_.index());
  if (!value || value->type().isIndex()) return value;
  diagnostics()
      .report(DiagCode::OperandType, expr.range, str(what, " is an index, but this is ", shapedText(value->type())))
      .note("`index_cast` turns an integer into an index");
  return nullptr;
}

Value *KernelLowering::lowerValue(const ast::Expr &expr) {
  const BoundName *bound = names_.find(expr.text);
  if (NameIndex *index = params_.symbols().index(); index && bound) index->use(expr.range, bound->value, bound->range);
  if (bound) return bound->value;
  if (namesLost_) return nullptr;
  auto &diagnostic = diagnostics().report(DiagCode::UnknownValue, expr.range, str("unknown value `%", expr.text, "`"));
  if (const SourceRange *lost = names_.lost(expr.text)) {
    diagnostic.at(*lost, "bound here, inside a block that has ended");
    diagnostic.note("a name that is first bound in a loop or a branch does not exist after it; bind it before to use it here");
  } else if (diagnostics().errorCount() <= kMostSuggestions) {
    suggestName(diagnostic, expr.range, '%', expr.text, names_.names());
  }
  names_.forget(expr.text, expr.range); // one message per name
  return nullptr;
}

Value *KernelLowering::lowerConst(const ConstValue &value, Type like, SourceRange range) {
  builder_.setRange(range);
  if (value.kind == ConstValue::Kind::Type) {
    diagnostics().report(DiagCode::ExpressionType, range, "a type is not a value here");
    return nullptr;
  }
  // Without `like`, an integer literal is an index, or a u64 if it does not fit an index.
  bool index = value.literal && value.kind == ConstValue::Kind::Int && !isWideLiteral(value);
  Elem own = index ? Elem::Index : value.elem;
  Type type = value.literal && like && (like.isScalar() || like.isVector()) ? like : context_.scalar(own);
  if (type.isVector()) type = context_.withLayout(type, nullptr);
  if (type.elem() == Elem::I1 && value.kind != ConstValue::Kind::Bool) type = context_.scalar(own);
  if (isFloat(type.elem())) return builder_.constantFloat(type, constNumber(value));
  if (value.kind == ConstValue::Kind::Float) {
    diagnostics()
        .report(DiagCode::LiteralValue, range,
                str("a literal with a decimal point and an integer operand (", elemName(type.elem()), ")"))
        .note("write an integer, or cast the other operand with `sitofp`");
    return nullptr;
  }
  if (!fitsType(type.elem(), value)) {
    diagnostics().report(DiagCode::LiteralValue, range, str(constText(value), " does not fit ", elemName(type.elem())));
    return nullptr;
  }
  return builder_.constantInt(type, value.integer);
}

Value *KernelLowering::lowerLiteral(const ast::Expr &expr, Type like) {
  std::optional<ConstValue> value = params_.eval(expr);
  return value ? lowerConst(*value, like, expr.range) : nullptr;
}

Value *KernelLowering::lowerExpr(const ast::Expr &expr, Type like) {
  DepthGuard guard(depth_);
  if (guard.exceeds(kMaxExpressionDepth)) {
    diagnostics().report(DiagCode::NotSupported, expr.range, str("expression nested deeper than ", kMaxExpressionDepth));
    return nullptr;
  }
  if (isLiteral(expr)) return lowerLiteral(expr, like);
  switch (expr.kind) {
  case ast::Expr::Kind::Error: return nullptr;
  case ast::Expr::Kind::Int:
  case ast::Expr::Kind::Float:
  case ast::Expr::Kind::Bool:
  case ast::Expr::Kind::Param: return lowerLiteral(expr, like);
  case ast::Expr::Kind::Value: return lowerValue(expr);
  case ast::Expr::Kind::Unary: return lowerUnary(expr, like);
  case ast::Expr::Kind::Binary: return lowerBinary(expr, like);
  case ast::Expr::Kind::Call: return lowerCall(expr, like);
  case ast::Expr::Kind::List:
    if (expr.children.size() == 1) return lowerExpr(expr.children[0], like);
    break;
  case ast::Expr::Kind::Ident: {
    auto &diagnostic = diagnostics().report(DiagCode::UnknownValue, expr.range, str("unknown name `", expr.text, "`"));
    if (names_.find(expr.text)) diagnostic.fix(str("write `%", expr.text, "`"), expr.range, "%" + expr.text);
    return nullptr;
  }
  case ast::Expr::Kind::Text:
  case ast::Expr::Kind::Values:
  case ast::Expr::Kind::Symbol:
  case ast::Expr::Kind::Index:
  case ast::Expr::Kind::Slice: break;
  }
  diagnostics().report(DiagCode::ExpressionType, expr.range, "this is not a scalar or vector value");
  return nullptr;
}

Value *KernelLowering::lowerUnary(const ast::Expr &expr, Type like) {
  Value *value = lowerExpr(expr.children[0], like);
  if (!value) return nullptr;
  Type type = value->type();
  bool number = type.isScalar() || type.isVector();
  Type open = type.isVector() ? context_.withLayout(type, nullptr) : type;
  builder_.setRange(expr.range);
  if (expr.text == "not" && number && type.elem() == Elem::I1)
    return emit(OpKind::XorI, {value, builder_.constantInt(open, 1)}, {expr.children[0].range, expr.range}, expr.range);
  if (expr.text == "-" && number && isFloat(type.elem()))
    return emit(OpKind::NegF, {value}, {expr.children[0].range}, expr.range);
  if (expr.text == "-" && number && type.elem() != Elem::I1)
    return emit(OpKind::SubI, {builder_.constantInt(open, 0), value}, {expr.range, expr.children[0].range}, expr.range);
  diagnostics().report(DiagCode::ExpressionType, expr.range, str("`", expr.text, "` is not defined for ", shapedText(type)));
  return nullptr;
}

// Lowers operands that must have the same type. Literals take the element type of the other operands.
bool KernelLowering::lowerAlike(std::span<const ast::Expr *const> exprs, Type like, std::vector<Value *> &values) {
  values.assign(exprs.size(), nullptr);
  bool ok = true;
  Type first;
  for (size_t i = 0; i < exprs.size(); ++i) {
    if (isLiteral(*exprs[i])) continue;
    values[i] = lowerExpr(*exprs[i], like);
    ok &= values[i] != nullptr;
    // Prefer the type of a vector to that of a scalar.
    if (values[i] && (!first || (values[i]->type().isVector() && !first.isVector()))) first = values[i]->type();
  }
  if (!ok) return false;
  if (first && first.isVector()) first = context_.scalar(first.elem());
  for (size_t i = 0; i < exprs.size(); ++i)
    if (!values[i]) {
      values[i] = lowerLiteral(*exprs[i], first ? first : like);
      ok &= values[i] != nullptr;
    }
  return ok;
}

// If there is a vector among the operands, broadcasts the scalars to its shape. With `alike`, leaves scalars of another
// element type unchanged, so that the type rule reports them.
bool KernelLowering::broadcastScalars(std::vector<Value *> &values, SourceRange range, bool alike) {
  Type vector;
  for (Value *value : values)
    if (value->type().isVector() && !vector) vector = value->type();
  if (!vector) return true;
  for (Value *&value : values) {
    if (!value->type().isScalar() || (alike && value->type().elem() != vector.elem())) continue;
    Type type = context_.withLayout(context_.withElem(vector, value->type().elem()), nullptr);
    builder_.setRange(value->range());
    if (Op *op = value->definingOp(); op && op->kind() == OpKind::Constant) {
      Op *copy = builder_.create(OpKind::Constant, {}, {type});
      ConstantOp(*copy).setValue(ConstantOp(*op).value(), op->range());
      // The scalar of a literal has no other use; a named one may be used later.
      if (value->uses().empty() && value->name().empty() && op->block()) op->block()->erase(op);
      value = copy->result();
      continue;
    }
    value = emit(OpKind::Splat, {value}, {range}, range, {}, type);
    if (!value) return false;
  }
  return true;
}

Value *KernelLowering::lowerBinary(const ast::Expr &expr, Type like) {
  const ast::Expr *sides[] = {&expr.children[0], &expr.children[1]};
  const Comparison *comparison = findText<Comparison>(kComparisons, expr.text);
  std::vector<Value *> values;
  if (!lowerAlike(sides, comparison ? Type() : like, values)) return nullptr;
  std::vector<SourceRange> ranges = {sides[0]->range, sides[1]->range};
  for (size_t i = 0; i < 2; ++i)
    if (!values[i]->type().isScalar() && !values[i]->type().isVector()) {
      diagnostics().report(DiagCode::ExpressionType, ranges[i],
                           str("`", expr.text, "` is not defined for ", shapedText(values[i]->type())));
      return nullptr;
    }
  if (!broadcastScalars(values, expr.range)) return nullptr;
  Elem elem = values[0]->type().elem();
  const ElemInfo &info = elemInfo(elem);
  if (comparison) {
    std::string_view kind = info.isFloat ? comparison->floats : info.isUnsigned ? comparison->unsignedInts : comparison->ints;
    return emit(info.isFloat ? OpKind::CmpF : OpKind::CmpI, values, ranges, expr.range,
                {{"kind", std::string(kind), expr.textRange}});
  }
  if (expr.text == "and" || expr.text == "or") {
    if (elem == Elem::I1) return emit(expr.text == "and" ? OpKind::AndI : OpKind::OrI, values, ranges, expr.range);
  } else if (const Operator *op = findText<Operator>(kArithmetic, expr.text); op && elem != Elem::I1) {
    return emit(op->of(elem), values, ranges, expr.range);
  }
  auto &diagnostic = diagnostics().report(DiagCode::ExpressionType, expr.range,
                                          str("`", expr.text, "` is not defined for ", shapedText(values[0]->type())));
  if (expr.text == "and" || expr.text == "or") diagnostic.note("both sides are i1, such as comparisons");
  return nullptr;
}

// Reports a call of something that is no function. For an op, such as `tile_mma(%a, %b)`, offers to remove the parentheses.
Value *KernelLowering::noFunction(const ast::Expr &expr) {
  std::string_view name = expr.text;
  const OpInfo *op = findOp(name);
  if (!op || op->clause == Clause::Structure || expr.children.empty()) {
    auto &diagnostic = diagnostics().report(DiagCode::UnknownFunction, expr.textRange, str("unknown function `", name, "`"));
    suggestName(diagnostic, expr.textRange, 0, name, functionNames());
    return nullptr;
  }
  FixIt fix;
  fix.title = "remove the parentheses";
  fix.candidate = true; // fails inside an expression, where ops are not allowed
  auto between = [&](uint32_t begin, uint32_t end) { return SourceRange{expr.range.file, begin, end}; };
  fix.edits.push_back({between(expr.textRange.end, expr.children.front().range.begin), " "});
  for (const ast::Expr &child : expr.children) {
    bool simple = child.parenthesised ||
                  !(child.is(ast::Expr::Kind::Binary) || child.is(ast::Expr::Kind::Call) || child.is(ast::Expr::Kind::Unary));
    if (simple || isLiteral(child)) continue;
    fix.edits.push_back({child.range.startPoint(), "("});
    fix.edits.push_back({child.range.endPoint(), ")"});
  }
  fix.edits.push_back({between(expr.children.back().range.end, expr.range.end), ""});
  diagnostics()
      .report(DiagCode::UnknownFunction, expr.textRange,
              str("`", name, "` is an op, not a function: write its operands without parentheses"))
      .note(str("for example `", op->example, "`"))
      .fixits.push_back(std::move(fix));
  return nullptr;
}

Value *KernelLowering::lowerCall(const ast::Expr &expr, Type like) {
  std::string_view name = expr.text;
  if (expr.symbolCall) {
    std::optional<std::vector<Value *>> values = lowerFunctionCall(expr);
    if (!values) return nullptr;
    if (values->size() == 1) return values->front();
    diagnostics().report(DiagCode::ResultCount, expr.range,
                         str("`@", name, "` returns ", values->size(), " values, but one is needed here"));
    return nullptr;
  }
  for (const ast::Name &argName : expr.argNames)
    if (argName) {
      diagnostics().report(DiagCode::HostArguments, argName.range, "arguments cannot be named in kernels");
      return nullptr;
    }
  auto count = [&](size_t n) {
    if (expr.children.size() == n) return true;
    diagnostics().report(DiagCode::OperandCount, expr.range,
                         str("`", name, "` takes ", n, " argument", n == 1 ? "" : "s", ", not ", expr.children.size()));
    return false;
  };
  std::vector<SourceRange> ranges;
  for (const ast::Expr &child : expr.children) ranges.push_back(child.range);
  if (name == "dim") {
    if (!count(2)) return nullptr;
    Value *source = lowerExpr(expr.children[0]);
    Value *dimension = lowerIndex(expr.children[1], "a dimension");
    if (!source || !dimension) return nullptr;
    if (isLiteral(expr.children[1]) && source->type().isMemRef())
      if (auto d = params_.evalInt(expr.children[1], "a dimension"); d && (*d < 0 || *d >= source->type().rank())) {
        diagnostics().report(DiagCode::AttributeValue, ranges[1], str(shapedText(source->type()), " has no dimension ", *d));
        return nullptr;
      }
    return emit(OpKind::Dim, {source, dimension}, ranges, expr.range);
  }
  if (name == "subgroup_id") return count(0) ? emit(OpKind::SubgroupId, {}, {}, expr.range) : nullptr;
  if (name == "lane_id") return count(0) ? emit(OpKind::LaneId, {}, {}, expr.range) : nullptr;
  if (name == "workgroup_id" || name == "block_id") {
    if (!count(1)) return nullptr;
    if (name == "workgroup_id" && !kernel_->grid.empty()) {
      diagnostics()
          .report(DiagCode::NotHere, expr.range, "`workgroup_id` is not available in a kernel with a grid")
          .note("use the grid variables, or `block_id`, which numbers the values of a grid variable");
      return nullptr;
    }
    std::optional<int64_t> d = params_.evalInt(expr.children[0], "a grid dimension");
    if (!d) return nullptr;
    if (*d < 0 || *d > 2) {
      diagnostics().report(DiagCode::AttributeValue, ranges[0], str("a grid has the dimensions 0 (x), 1 (y), 2 (z), not ", *d));
      return nullptr;
    }
    return emit(OpKind::BlockId, {}, {}, expr.range, {{"dimension", std::string(1, static_cast<char>('x' + *d)), ranges[0]}});
  }
  const Operator *op = findText<Operator>(kArithmetic, name); // min, max
  const OpInfo *info = name == "ceildiv" ? &opInfo(OpKind::CeilDivSI) : name == "abs" ? &opInfo(OpKind::AbsF) : findOp(name);
  if (!isFunctionName(name)) return noFunction(expr);
  if (!count(op ? 2 : info->operands.size())) return nullptr;
  if (NameIndex *index = params_.symbols().index(); index && info) index->op(expr.textRange, *info);
  std::vector<const ast::Expr *> args;
  for (const ast::Expr &child : expr.children) args.push_back(&child);
  std::vector<Value *> values;
  if (info && info->kind == OpKind::Select && !op) {
    Value *condition = lowerExpr(*args[0]);
    if (!lowerAlike(std::span(args).subspan(1), like, values) || !condition) return nullptr;
    bool vector = condition->type().isVector();
    if (vector) values.insert(values.begin(), condition);
    if (!broadcastScalars(values, expr.range, false)) return nullptr;
    if (!vector) values.insert(values.begin(), condition);
    return emit(OpKind::Select, values, ranges, expr.range);
  }
  if (!lowerAlike(args, like, values) || !broadcastScalars(values, expr.range)) return nullptr;
  Elem elem = values[0]->type().isMemRef() ? Elem::Index : values[0]->type().elem();
  if (op) return emit(op->of(elem), values, ranges, expr.range);
  OpKind kind = name == "abs" && !isFloat(elem) ? OpKind::AbsI : info->kind;
  return emit(kind, values, ranges, expr.range);
}

} // namespace xt
