#include "lang/lower/loops.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/infer/type_rules.h"
#include "ir/op_kinds.h"
#include "lang/lower/bindings.h"
#include "lang/lower/carried_values.h"
#include "lang/lower/expr_lowering.h"
#include "lang/lower/op_lowering.h"
#include "lang/lower/statements.h"
#include "lang/lower/written_types.h"

#include <algorithm>

namespace xt {
namespace {

// The op of a loop and its operands before the carried ones: bounds and step, or a condition.
struct LoopHead {
  OpKind kind;
  SourceRange range;
  std::vector<Value *> operands;
  std::vector<SourceRange> ranges;
  bool broken; // its condition is invalid, which has been reported
};

// Makes the op of a loop whose head has been lowered.
class LoopLowering {
public:
  LoopLowering(KernelState &state, const ast::Stmt &stmt, LoopHead head)
      : state_(state), stmt_(stmt), head_(std::move(head)), explicitCount_(stmt.iterArgs.size()) {}
  void lower();

private:
  std::vector<Type> lowerInits();
  void lowerInit(size_t i);
  void findCarried();
  void bindParams();
  void bindVariable();
  std::optional<RegionYield> checkedYield();
  bool yieldsWhatItCarries(const RegionYield &yield, size_t first);
  Diagnostics &diagnostics() const { return state_.diagnostics(); }

  KernelState &state_;
  const ast::Stmt &stmt_;
  LoopHead head_;
  size_t explicitCount_; // number of values in iter_args, which come before the carried names
  std::vector<CarriedName> carried_;
  Op *loop_ = nullptr;
};

// Lowers the initial value of iter_args[i] to an operand.
void LoopLowering::lowerInit(size_t i) {
  const ast::IterArg &arg = stmt_.iterArgs[i];
  const ast::TypeExpr *written = i < stmt_.resultTypes.size() ? &stmt_.resultTypes[i] : nullptr;
  Value *init = lowerExpr(state_, arg.init, written ? typeForLiterals(state_, *written) : Type());
  Type like = init && written ? statedType(state_, *written, init->type()) : Type();
  if (like && !writtenAgrees(like, init->type()))
    diagnostics().report(
        DiagCode::SignatureMismatch, written->range,
        str("the signature gives ", shapedText(like), ", but `%", arg.name.text, "` starts as ", shapedText(init->type())));
  head_.operands.push_back(init ? init : state_.builder.index(0));
  head_.ranges.push_back(arg.init.range);
}

// Finds the outer names that the body rebinds. The loop variable and the names of iter_args belong to the body and are not
// among them.
void LoopLowering::findCarried() {
  carried_ = carriedNames(state_, {&*stmt_.body});
  std::erase_if(carried_, [&](const CarriedName &c) {
    return c.name == stmt_.variable.text || std::any_of(stmt_.iterArgs.begin(), stmt_.iterArgs.end(),
                                                        [&](const ast::IterArg &a) { return a.name.text == c.name; });
  });
}

// Appends the initial values of the loop to its operands: those of iter_args, then those of the names that the body rebinds.
// Returns their types, which are those of the results.
std::vector<Type> LoopLowering::lowerInits() {
  size_t controls = head_.operands.size();
  if (!stmt_.resultTypes.empty() && stmt_.resultTypes.size() != explicitCount_)
    diagnostics().report(DiagCode::SignatureCount, stmt_.resultTypes.front().range.to(stmt_.resultTypes.back().range),
                         str("the signature lists ", stmt_.resultTypes.size(), " type",
                             stmt_.resultTypes.size() == 1 ? "" : "s", " for ", explicitCount_, " carried value",
                             explicitCount_ == 1 ? "" : "s"));
  for (size_t i = 0; i < explicitCount_; ++i) lowerInit(i);
  findCarried();
  for (const CarriedName &c : carried_) head_.operands.push_back(c.init), head_.ranges.push_back(c.range);
  std::vector<Type> types;
  for (size_t i = controls; i < head_.operands.size(); ++i) types.push_back(head_.operands[i]->type());
  return types;
}

void LoopLowering::bindVariable() {
  Value *variable = loop_->region()->addParam(state_.context.index(), stmt_.variable.text, stmt_.variable.range);
  Type written = stmt_.type ? writtenType(state_, *stmt_.type) : Type();
  if (written && written != state_.context.index()) {
    state_.builder.setRange(stmt_.variable.range);
    variable = emitOp(state_, OpKind::IndexCast, {variable}, {stmt_.variable.range}, stmt_.variable.range, {}, written);
  }
  state_.names.bind(stmt_.variable.text, {variable, true, stmt_.variable.range});
}

void LoopLowering::bindParams() {
  if (loop_->kind() == OpKind::For) bindVariable();
  for (size_t i = 0; i < loop_->resultCount(); ++i) {
    const CarriedName *name = i < explicitCount_ ? nullptr : &carried_[i - explicitCount_];
    const std::string &text = name ? name->name : stmt_.iterArgs[i].name.text;
    const BoundName *outer = name ? state_.names.find(text) : nullptr;
    SourceRange range = !name ? stmt_.iterArgs[i].name.range : outer ? outer->range : name->init->range();
    Value *param = loop_->region()->addParam(loop_->result(i)->type(), text, range);
    state_.names.bind(text, {param, false, range});
  }
}

// Whether the body yields valid values for iter_args, after the next condition if `first` is 1. If not, an error was reported.
bool LoopLowering::yieldsWhatItCarries(const RegionYield &yield, size_t first) {
  if (yield.values.size() != explicitCount_ + first) {
    if (!yield.lost)
      diagnostics().report(DiagCode::ResultCount, head_.range,
                           str("this loop carries ", explicitCount_, " value", explicitCount_ == 1 ? "" : "s",
                               " in iter_args, but its body yields ", yield.values.size(),
                               first ? ", including the next condition" : ""));
    return false;
  }
  for (Value *value : yield.values)
    if (!value) return false;
  if (first && !yield.values[0]->type().isScalar(Elem::I1)) {
    diagnostics().report(DiagCode::ConditionType, yield.ranges[0],
                         str("the body of a `while` must yield its next condition first, a scalar i1, not ",
                             shapedText(yield.values[0]->type())));
    return false;
  }
  return true;
}

// Checks the values that the body yields and returns them, including those of the carried names. Nullopt if an error was
// reported.
std::optional<RegionYield> LoopLowering::checkedYield() {
  RegionYield yield = std::move(state_.yields.back());
  // The number of values before those of iter_args: 1 if the loop has a next condition, else 0.
  size_t first = carriedAt(*loop_).yield;
  if (first && !yield.written) {
    // If the condition is invalid, which has been reported, yield the placeholder.
    yield.values.insert(yield.values.begin(), head_.broken ? loop_->operand(0) : lowerCondition(state_, *stmt_.expr, "while"));
    yield.ranges.insert(yield.ranges.begin(), stmt_.expr->range);
  }
  if (!yieldsWhatItCarries(yield, first)) return std::nullopt;
  bool ok = true;
  for (size_t i = 0; i < explicitCount_; ++i)
    ok &= sameCarriedType(state_, loop_->result(i)->type(), yield.values[i + first], yield.ranges[i + first],
                          str("`%", stmt_.iterArgs[i].name.text, "`"), stmt_.iterArgs[i].init.range);
  ok &= appendCarried(state_, carried_, yield);
  return ok ? std::optional(std::move(yield)) : std::nullopt;
}

void LoopLowering::lower() {
  std::vector<Type> types = lowerInits();
  state_.builder.setRange(head_.range);
  loop_ = state_.builder.create(head_.kind, head_.operands, types, 1);
  loop_->setOperandRanges(head_.ranges);

  Builder outer = state_.builder;
  state_.builder.setEnd(*loop_->region());
  state_.names.push();
  state_.yields.emplace_back();
  bindParams();
  lowerBlock(state_, *stmt_.body);
  std::optional<RegionYield> yield = checkedYield();
  state_.yields.pop_back();
  state_.names.pop();
  emitYield(state_, yield, stmt_.body->range.endPoint());
  state_.builder = outer;
  if (!yield) {
    loseCarried(state_, carried_);
    return poison(state_, stmt_);
  }
  bindCarried(state_, carried_, *loop_, explicitCount_);
  bindOpResults(state_, stmt_, *loop_, explicitCount_, loop_->info().name);
}

// Lowers a bound or the step of a loop to an index. MLIR prints `: i32` after a loop whose variable is no index.
Value *lowerBound(KernelState &state, const ast::Expr &expr, const ast::Stmt &loop, std::string_view what) {
  Type type = loop.type ? writtenType(state, *loop.type) : Type();
  if (!loop.type || type == state.context.index()) return lowerIndex(state, expr, what);
  Value *value = type ? lowerExpr(state, expr, type) : nullptr;
  if (!value || !agreesWith(state, *loop.type, value->type(), what)) return nullptr;
  return emitOp(state, OpKind::IndexCast, {value}, {expr.range}, expr.range, {}, state.context.index());
}

} // namespace

void lowerFor(KernelState &state, const ast::Stmt &stmt) {
  SourceRange header = headerOf(stmt);
  if (Type type = stmt.type ? writtenType(state, *stmt.type) : Type();
      stmt.type && !(type.isScalar() && isInteger(type.elem()))) {
    if (type)
      state.diagnostics().report(DiagCode::TypeMismatch, stmt.type->range,
                                 str("a loop variable must be an integer, not ", shapedText(type)));
    return poison(state, stmt);
  }
  Value *lower = stmt.lower ? lowerBound(state, *stmt.lower, stmt, "a loop bound") : nullptr;
  Value *upper = stmt.upper ? lowerBound(state, *stmt.upper, stmt, "a loop bound") : nullptr;
  state.builder.setRange(header);
  Value *step = stmt.step ? lowerBound(state, *stmt.step, stmt, "a loop step") : state.builder.index(1);
  if (stmt.step && isLiteral(*stmt.step))
    if (std::optional<int64_t> value = state.params.evalInt(*stmt.step, "a loop step"); value && *value <= 0)
      state.diagnostics().report(DiagCode::GridRange, stmt.step->range, "the step of a loop must be positive");
  if (!lower || !upper || !step || !stmt.body) poison(state, stmt);
  if (!stmt.body) return;
  // Use placeholder operands for an invalid header, so that the body is still checked.
  auto standIn = [&](Value *value) { return value ? value : state.builder.index(0); };
  LoopHead head{OpKind::For, header, {standIn(lower), standIn(upper), standIn(step)}, {}, false};
  head.ranges = {stmt.lower ? stmt.lower->range : header, stmt.upper ? stmt.upper->range : header,
                 stmt.step ? stmt.step->range : header};
  LoopLowering(state, stmt, std::move(head)).lower();
}

// Lowers the condition before the loop and again at the end of the body. If the body ends in a `yield`, as the IR is printed,
// the first value of the `yield` is the next condition instead.
void lowerWhile(KernelState &state, const ast::Stmt &stmt) {
  SourceRange header = headerOf(stmt);
  Value *condition = stmt.expr ? lowerCondition(state, *stmt.expr, "while") : nullptr;
  bool broken = !condition;
  if (broken || !stmt.body) poison(state, stmt);
  if (!stmt.body) return;
  state.builder.setRange(header);
  if (broken) condition = state.builder.constantInt(state.context.i1(), 0);
  LoopHead head{OpKind::While, header, {condition}, {stmt.expr ? stmt.expr->range : header}, broken};
  LoopLowering(state, stmt, std::move(head)).lower();
}

} // namespace xt
