#include "lang/lower/named_calls.h"

#include "ir/base/text.h"
#include "ir/call_names.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "lang/lower/alike_operands.h"
#include "lang/lower/cast_calls.h"
#include "lang/lower/expr_lowering.h"
#include "lang/lower/op_lowering.h"
#include "lang/lower/operators.h"
#include "lang/lower/requirements.h"
#include "lang/parse/foreign_names.h"

namespace xt {
namespace {

// Lowers one call. The functions return null or false if an error was reported.
class NamedCall {
public:
  NamedCall(KernelState &state, const ast::Expr &expr, Type like) : state_(state), expr_(expr), name_(expr.text), like_(like) {
    for (const ast::Expr &child : expr.children) ranges_.push_back(child.range);
  }
  Value *lower();

private:
  bool takes(size_t count);
  Value *lowerDim(OpKind kind);
  Value *lowerSameShape();
  Value *lowerBlockId();
  Value *lowerOpCall();
  Value *lowerSelect();
  void index(OpKind kind);
  Diagnostics &diagnostics() const { return state_.diagnostics(); }

  KernelState &state_;
  const ast::Expr &expr_;
  std::string_view name_;
  Type like_;
  std::vector<SourceRange> ranges_; // the ranges of the arguments
};

// Records for the language server that the name means this op.
void NamedCall::index(OpKind kind) {
  if (NameIndex *index = state_.params.symbols().index()) index->op(expr_.textRange, opInfo(kind));
}

// Whether the call has this number of arguments; otherwise reports an error.
bool NamedCall::takes(size_t count) {
  if (expr_.children.size() == count) return true;
  diagnostics().report(DiagCode::OperandCount, expr_.range,
                       str("`", name_, "` takes ", count, " argument", count == 1 ? "" : "s", ", not ", expr_.children.size()));
  return false;
}

Value *NamedCall::lowerDim(OpKind kind) {
  index(kind);
  if (!takes(2)) return nullptr;
  const ast::Expr &which = expr_.children[1];
  Value *source = lowerExpr(state_, expr_.children[0]);
  Value *dimension = lowerIndex(state_, which, "a dimension");
  if (!source || !dimension) return nullptr;
  if (isLiteral(which) && source->type().isMemRef())
    if (auto d = state_.params.evalInt(which, "a dimension"); d && (*d < 0 || *d >= source->type().rank())) {
      diagnostics().report(DiagCode::AttributeValue, ranges_[1], str(shapedText(source->type()), " has no dimension ", *d));
      return nullptr;
    }
  return emitOp(state_, kind, {source, dimension}, ranges_, expr_.range);
}

Value *NamedCall::lowerSameShape() {
  std::optional<std::vector<Value *>> conditions = xt::lowerSameShape(state_, expr_);
  if (!conditions) return nullptr;
  Value *all = nullptr;
  for (Value *condition : *conditions)
    all = all ? emitOp(state_, OpKind::AndI, {all, condition}, ranges_, expr_.range) : condition;
  return all ? all : state_.builder.constantInt(state_.context.scalar(Elem::I1), 1);
}

Value *NamedCall::lowerBlockId() {
  index(OpKind::BlockId);
  if (!takes(1)) return nullptr;
  if (name_ == "workgroup_id" && !state_.kernel->grid.empty()) {
    diagnostics()
        .report(DiagCode::NotHere, expr_.range, "`workgroup_id` is not available in a kernel with a grid")
        .note("use the grid variables, or `block_id`, which numbers the values of a grid variable");
    return nullptr;
  }
  std::optional<int64_t> d = state_.params.evalInt(expr_.children[0], "a grid dimension");
  if (!d) return nullptr;
  if (*d < 0 || *d > 2) {
    diagnostics().report(DiagCode::AttributeValue, ranges_[0], str("a grid has the dimensions 0 (x), 1 (y), 2 (z), not ", *d));
    return nullptr;
  }
  Attr dimension{"dimension", std::string(1, static_cast<char>('x' + *d)), ranges_[0]};
  return emitOp(state_, OpKind::BlockId, {}, {}, expr_.range, {std::move(dimension)});
}

Value *NamedCall::lowerSelect() {
  const std::vector<ast::Expr> &args = expr_.children;
  std::vector<Value *> values;
  Value *condition = lowerExpr(state_, args[0]);
  const ast::Expr *sides[] = {&args[1], &args[2]};
  if (!lowerAlike(state_, sides, like_, values) || !condition) return nullptr;
  bool vector = condition->type().isVector();
  if (vector) values.insert(values.begin(), condition);
  if (!stretchOperands(state_, values, expr_.range, false)) return nullptr;
  if (!vector) values.insert(values.begin(), condition);
  return emitOp(state_, OpKind::Select, values, ranges_, expr_.range);
}

// Lowers a call of an op of the table, or of a function such as `min`, whose op depends on the operands' type.
Value *NamedCall::lowerOpCall() {
  const Operator *op = findText<Operator>(kArithmetic, name_);
  const OpInfo *info = name_ == "ceildiv" ? &opInfo(OpKind::CeilDivSI) : name_ == "abs" ? &opInfo(OpKind::AbsF) : findOp(name_);
  if (!isFunctionName(name_)) return reportNoFunction(state_, expr_), nullptr;
  if (!takes(op ? 2 : info->operands.size())) return nullptr;
  if (info && !op && name_ != "abs") index(info->kind);
  if (info && info->kind == OpKind::Select && !op) return lowerSelect();
  std::vector<const ast::Expr *> args;
  for (const ast::Expr &child : expr_.children) args.push_back(&child);
  std::vector<Value *> values;
  if (!lowerAlike(state_, args, like_, values) || !stretchOperands(state_, values, expr_.range)) return nullptr;
  Elem elem = values[0]->type().isMemRef() ? Elem::Index : values[0]->type().elem();
  OpKind kind = op ? op->of(elem) : name_ == "abs" && !isFloat(elem) ? OpKind::AbsI : info->kind;
  if (op || name_ == "abs") index(kind);
  return emitOp(state_, kind, values, ranges_, expr_.range);
}

Value *NamedCall::lower() {
  for (const ast::Name &argName : expr_.argNames)
    if (argName) {
      auto &diagnostic = diagnostics().report(DiagCode::HostArguments, argName.range, "arguments cannot be named in kernels");
      if (std::string_view note = isFunctionName(name_) ? "" : noteOnForeignName(name_); !note.empty())
        diagnostic.note(std::string(note));
      return nullptr;
    }
  if (name_ == "dim") return lowerDim(OpKind::Dim);
  if (name_ == "stride") return lowerDim(OpKind::Stride);
  if (isSameShape(expr_)) return lowerSameShape();
  if (name_ == "index_cast" || name_ == "bitcast") index(name_ == "bitcast" ? OpKind::Bitcast : OpKind::IndexCast);
  if (name_ == "cast" || name_ == "index_cast" || name_ == "bitcast") return lowerCastCall(state_, expr_);
  if (name_ == "subgroup_id" || name_ == "lane_id") {
    OpKind kind = name_ == "lane_id" ? OpKind::LaneId : OpKind::SubgroupId;
    index(kind);
    return takes(0) ? emitOp(state_, kind, {}, {}, expr_.range) : nullptr;
  }
  if (name_ == "workgroup_id" || name_ == "block_id") return lowerBlockId();
  return lowerOpCall();
}

} // namespace

Value *lowerNamedCall(KernelState &state, const ast::Expr &expr, Type like) { return NamedCall(state, expr, like).lower(); }

namespace {

// The names of functions that take this number of arguments, as far as the op table says.
std::vector<std::string_view> functionsOf(size_t arguments) {
  std::vector<std::string_view> names = functionNames();
  std::erase_if(names, [&](std::string_view name) {
    const OpInfo *op = findOp(name);
    return op && op->elementwise && op->operands.size() != arguments;
  });
  return names;
}

} // namespace

void reportNoFunction(KernelState &state, const ast::Expr &expr) {
  std::string_view name = expr.text;
  const OpInfo *op = findOp(name);
  if (!op || op->clause == Clause::Structure || expr.children.empty()) {
    auto &diagnostic =
        state.diagnostics().report(DiagCode::UnknownFunction, expr.textRange, str("unknown function `", name, "`"));
    if (const ast::KernelDecl *decl = state.params.symbols().kernel(name); decl && decl->isFunction)
      diagnostic.fix(str("replace with `@", name, "`"), expr.textRange, "@" + expr.text);
    else if (std::string_view note = noteOnForeignName(name); !note.empty())
      diagnostic.note(std::string(note));
    else
      suggestName(diagnostic, expr.textRange, 0, name, functionsOf(expr.children.size()));
    return;
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
  state.diagnostics()
      .report(DiagCode::UnknownFunction, expr.textRange,
              str("`", name, "` is an op, not a function: write its operands without parentheses"))
      .note(str("for example `", op->example, "`"))
      .note("in an expression, use the name that its result is bound to")
      .fixits.push_back(std::move(fix));
}

} // namespace xt
