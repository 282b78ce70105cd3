#include "ir/base/text.h"
#include "ir/call_names.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "lang/lower/kernel_lowering.h"

#include <algorithm>

namespace xt {
namespace {

// The search for bindings stops at this depth. The parser's own limit is lower, so this only guards other callers.
constexpr int kMaxBlockDepth = 512;

// Collects the names that the statements of a block and of its nested blocks bind; names in a nested block come before
// those of the statement that contains it.
void collectBindings(const ast::Block &block, std::vector<ast::Name> &names, int depth = 0) {
  if (depth > kMaxBlockDepth) return;
  for (const ast::Stmt &stmt : block.stmts) {
    if (stmt.body) collectBindings(*stmt.body, names, depth + 1);
    if (stmt.orElse) collectBindings(*stmt.orElse, names, depth + 1);
    for (const ast::Binding &binding : stmt.results) names.push_back(binding.name);
  }
}

} // namespace

void KernelLowering::lowerBlock(const ast::Block &block) {
  for (const ast::Stmt &stmt : block.stmts) {
    if (!yields_.empty() && yields_.back().written) {
      diagnostics().report(DiagCode::NotHere, stmt.range, "nothing may follow the `yield` of a block");
      return;
    }
    if ((!calls_.empty() || repeats_ > 0) && !mayRepeat(stmt.range)) return;
    ++state_.statements;
    lowerStmt(stmt);
  }
}

void KernelLowering::lowerStmt(const ast::Stmt &stmt) {
  builder_.setRange(stmt.range);
  switch (stmt.kind) {
  case ast::Stmt::Kind::Error: return poison(stmt);
  case ast::Stmt::Kind::Op: {
    std::optional<std::vector<Value *>> values = lowerOp(*stmt.op, stmt.op->op.range.to(stmt.range));
    if (values)
      bindResults(stmt, *values, stmt.op->op.text);
    else
      poison(stmt);
    return;
  }
  case ast::Stmt::Kind::Assign: {
    if (std::optional<ast::OpClause> clause = opWithParentheses(stmt)) {
      std::optional<std::vector<Value *>> values = lowerOp(*clause, clause->op.range.to(stmt.range));
      return values ? bindResults(stmt, *values, clause->op.text) : poison(stmt);
    }
    Type like = stmt.type ? writtenType(*stmt.type) : Type();
    if (stmt.type && !like) return poison(stmt);
    if (hasOpenExtents(like)) like = {};
    if (stmt.expr->is(ast::Expr::Kind::Call) && stmt.expr->symbolCall &&
        (stmt.signature || stmt.results.size() != 1 || stmt.results[0].count != 1)) {
      std::optional<std::vector<Value *>> values = lowerFunctionCall(*stmt.expr, stmt.signature ? &*stmt.signature : nullptr);
      return values ? bindResults(stmt, *values, "@" + stmt.expr->text) : poison(stmt);
    }
    Value *value = lowerExpr(*stmt.expr, like);
    if (!value) return poison(stmt);
    if (stmt.signature) {
      diagnostics().report(DiagCode::SignatureCount, stmt.signature->range, "an expression has one type: `… : T`");
      return poison(stmt);
    }
    if (stmt.type) like = statedType(*stmt.type, value->type());
    if (like && !writtenAgrees(like, value->type())) {
      diagnostics().report(DiagCode::TypeMismatch, stmt.type->range,
                           str("the value is ", shapedText(value->type()), ", not ", shapedText(like)));
      return poison(stmt);
    }
    if (stmt.results.size() == 1 && !stmt.results[0].name) return;
    return bindResults(stmt, {value}, "the expression");
  }
  case ast::Stmt::Kind::For: return lowerFor(stmt);
  case ast::Stmt::Kind::If: return lowerIf(stmt);
  case ast::Stmt::Kind::Yield: return lowerYield(stmt);
  case ast::Stmt::Kind::While: return stmt.orElse && stmt.body ? lowerWhileDo(stmt) : lowerWhile(stmt);
  case ast::Stmt::Kind::Condition: return lowerConditionEnd(stmt);
  case ast::Stmt::Kind::Return: return lowerReturn(stmt);
  case ast::Stmt::Kind::Call: {
    if (std::optional<ast::OpClause> clause = opWithParentheses(stmt)) {
      if (!lowerOp(*clause, stmt.range)) poison(stmt);
      return;
    }
    if (!stmt.expr->symbolCall && !isFunctionName(stmt.expr->text)) {
      noFunction(*stmt.expr);
      return poison(stmt);
    }
    std::optional<std::vector<Value *>> values = lowerFunctionCall(*stmt.expr, stmt.signature ? &*stmt.signature : nullptr);
    if (!values) return poison(stmt);
    if (!values->empty())
      diagnostics().report(DiagCode::ResultCount, stmt.range,
                           str("the value of `@", stmt.expr->text, "` is not used: give it a name"));
    return;
  }
  case ast::Stmt::Kind::Buffer:
  case ast::Stmt::Kind::Launch:
  case ast::Stmt::Kind::Check:
  case ast::Stmt::Kind::Save:
    diagnostics().report(DiagCode::NotHere, stmt.range, "this statement belongs in a `test` block");
    return poison(stmt);
  }
}

// Recognises an op that was parsed as a call because its operand is parenthesised, as in `truncf (%f * 2.0) : f32 -> f16`:
// function calls have neither signature nor attributes.
std::optional<ast::OpClause> KernelLowering::opWithParentheses(const ast::Stmt &stmt) const {
  if (!stmt.expr || !stmt.expr->is(ast::Expr::Kind::Call) || stmt.expr->symbolCall) return std::nullopt;
  const OpInfo *info = findOp(stmt.expr->text);
  // `barrier()` is parsed as a call as well.
  bool bare = stmt.kind == ast::Stmt::Kind::Call && info && info->results == 0 && stmt.expr->children.empty();
  bool written = info && info->clause == Clause::Operands && (stmt.signature || stmt.attrs || stmt.type);
  if (!bare && !written) return std::nullopt;
  ast::OpClause clause;
  clause.op = {stmt.expr->text, stmt.expr->textRange};
  clause.operands = stmt.expr->children;
  if (stmt.attrs) clause.attrs.push_back(*stmt.attrs);
  if (stmt.signature) clause.signature = stmt.signature;
  if (stmt.type) {
    clause.signature.emplace();
    clause.signature->left.push_back(*stmt.type);
    clause.signature->range = stmt.type->range;
  }
  return clause;
}

void KernelLowering::poison(const ast::Stmt &stmt) {
  poisoned_ = true;
  namesLost_ |= stmt.kind == ast::Stmt::Kind::Error && stmt.results.empty();
  if (stmt.kind == ast::Stmt::Kind::Error && !yields_.empty()) yields_.back().lost = true;
  for (const ast::Binding &binding : stmt.results)
    if (binding.name) names_.bind(binding.name.text, {nullptr, false, binding.name.range});
}

void KernelLowering::bindName(const ast::Name &name, Value *value) {
  if (const BoundName *bound = names_.find(name.text); bound && bound->fixed) {
    diagnostics()
        .report(DiagCode::RebindFixed, name.range, str("`%", name.text, "` is a loop or grid variable; it cannot be rebound"))
        .at(bound->range, "bound here");
    return;
  }
  // The value gets the name for dumps, unless it already has one.
  if (value->name().empty()) value->setName(name.text), value->setRange(name.range);
  names_.bind(name.text, {value, false, name.range});
}

void KernelLowering::bindResults(const ast::Stmt &stmt, const std::vector<Value *> &values, std::string_view what) {
  // The counts come from the source text, so their sum may overflow.
  int64_t named = 0;
  for (const ast::Binding &binding : stmt.results)
    if (__builtin_add_overflow(named, binding.count, &named)) named = INT64_MAX;
  if (named != static_cast<int64_t>(values.size())) {
    SourceRange range = stmt.results.empty() ? stmt.range : stmt.results.front().name.range;
    // The result of an op that writes memory may stay unnamed; for any other op that is a mistake.
    if (named == 0 && values.size() == 1) {
      const Op *op = values[0]->definingOp();
      if (op && has(op->info().effects, Effect::Writes)) return;
      diagnostics().report(DiagCode::ResultCount, range, str("the value of `", what, "` is not used: give it a name"));
      return;
    }
    if (named != 0 || !values.empty())
      diagnostics().report(DiagCode::ResultCount, range,
                           str("`", what, "` returns ", values.size(), " value", values.size() == 1 ? "" : "s", ", but ", named,
                               named == 1 ? " name is" : " names are", " bound"));
    return poison(stmt);
  }
  size_t next = 0;
  for (const ast::Binding &binding : stmt.results) {
    if (binding.count == 1) {
      bindName(binding.name, values[next++]);
      continue;
    }
    for (int64_t i = 0; i < binding.count; ++i) bindName({str(binding.name.text, "#", i), binding.name.range}, values[next++]);
  }
}

std::vector<KernelLowering::Carried> KernelLowering::carriedNames(const std::vector<const ast::Block *> &blocks) {
  std::vector<ast::Name> bound;
  for (const ast::Block *block : blocks) collectBindings(*block, bound);
  std::vector<Carried> carried;
  for (const ast::Name &name : bound) {
    const BoundName *outer = names_.find(name.text);
    if (!outer || outer->fixed || !outer->value) continue;
    if (std::any_of(carried.begin(), carried.end(), [&](const Carried &c) { return c.name == name.text; })) continue;
    carried.push_back({name.text, outer->value, name.range});
  }
  return carried;
}

Value *KernelLowering::currentValue(const Carried &carried, const BoundName **bound) {
  *bound = names_.find(carried.name);
  return *bound ? (*bound)->value : nullptr;
}

bool KernelLowering::sameCarriedType(Type type, Value *value, SourceRange range, std::string_view what, SourceRange initRange) {
  if (sameTypeButLayout(type, value->type())) return true;
  diagnostics()
      .report(
          DiagCode::LoopType, range,
          str(what, " was ", shapedText(type), " and becomes ", shapedText(value->type()), "; a carried value keeps its type"))
      .at(initRange, shapedText(type));
  return false;
}

void KernelLowering::emitYield(const std::vector<Value *> &values, const std::vector<SourceRange> &ranges, SourceRange range) {
  builder_.setRange(range);
  Op *yield = builder_.create(OpKind::Yield, values, {});
  yield->setOperandRanges(ranges);
}

void KernelLowering::lowerYield(const ast::Stmt &stmt) {
  if (yields_.empty()) {
    diagnostics().report(DiagCode::NotHere, stmt.range, "`yield` ends the body of a `for` or `if` that returns values");
    return;
  }
  if (yields_.back().ofCondition) {
    diagnostics().report(DiagCode::NotHere, stmt.range, "the first block of a `while … do` ends in `scf.condition`");
    yields_.back().lost = true;
    return poison(stmt);
  }
  RegionYield &yield = yields_.back();
  yield.written = true;
  for (const ast::Expr &expr : stmt.values) {
    yield.values.push_back(lowerExpr(expr));
    yield.ranges.push_back(expr.range);
  }
  if (stmt.signature) agreesWith(stmt.signature->left, yield.values, stmt.signature->range, "value");
}

// Lowers a bound or the step of a loop to an index. MLIR prints `: i32` after a loop whose variable is no index.
Value *KernelLowering::lowerBound(const ast::Expr &expr, const ast::Stmt &loop, std::string_view what) {
  Type type = loop.type ? writtenType(*loop.type) : Type();
  if (!loop.type || type == context_.index()) return lowerIndex(expr, what);
  Value *value = type ? lowerExpr(expr, type) : nullptr;
  if (!value || !agreesWith(*loop.type, value->type(), what)) return nullptr;
  return emit(OpKind::IndexCast, {value}, {expr.range}, expr.range, {}, context_.index());
}

void KernelLowering::lowerFor(const ast::Stmt &stmt) {
  SourceRange header = stmt.range.startPoint();
  header.end = stmt.body ? stmt.body->range.begin : stmt.range.end;
  if (Type type = stmt.type ? writtenType(*stmt.type) : Type(); stmt.type && !(type.isScalar() && isInteger(type.elem()))) {
    if (type)
      diagnostics().report(DiagCode::TypeMismatch, stmt.type->range,
                           str("a loop variable must be an integer, not ", shapedText(type)));
    return poison(stmt);
  }
  Value *lower = stmt.lower ? lowerBound(*stmt.lower, stmt, "a loop bound") : nullptr;
  Value *upper = stmt.upper ? lowerBound(*stmt.upper, stmt, "a loop bound") : nullptr;
  builder_.setRange(header);
  Value *step = stmt.step ? lowerBound(*stmt.step, stmt, "a loop step") : builder_.index(1);
  if (stmt.step && isLiteral(*stmt.step))
    if (std::optional<int64_t> value = params_.evalInt(*stmt.step, "a loop step"); value && *value <= 0)
      diagnostics().report(DiagCode::GridRange, stmt.step->range, "the step of a loop must be positive");
  if (!lower || !upper || !step || !stmt.body) poison(stmt);
  if (!stmt.body) return;
  // Use placeholder operands for an invalid header, so that the body is still checked.
  auto standIn = [&](Value *value) { return value ? value : builder_.index(0); };
  LoopHead head{OpKind::For, header, {standIn(lower), standIn(upper), standIn(step)}, {}, false};
  head.ranges = {stmt.lower ? stmt.lower->range : header, stmt.upper ? stmt.upper->range : header,
                 stmt.step ? stmt.step->range : header};
  lowerLoop(stmt, std::move(head));
}

// Evaluates the condition before the loop and again at the end of the body, unless the body ends in a `yield`. In that form,
// which the IR prints, the first value of the `yield` is the next condition.
void KernelLowering::lowerWhile(const ast::Stmt &stmt) {
  SourceRange header = stmt.range.startPoint();
  header.end = stmt.body ? stmt.body->range.begin : stmt.range.end;
  Value *condition = stmt.expr ? lowerCondition(*stmt.expr, "while") : nullptr;
  bool broken = !condition;
  if (broken || !stmt.body) poison(stmt);
  if (!stmt.body) return;
  builder_.setRange(header);
  if (broken) condition = builder_.constantInt(context_.i1(), 0);
  lowerLoop(stmt, {OpKind::While, header, {condition}, {stmt.expr ? stmt.expr->range : header}, broken});
}

Value *KernelLowering::lowerCondition(const ast::Expr &expr, std::string_view what) {
  Value *condition = lowerExpr(expr);
  if (!condition || condition->type().isScalar(Elem::I1)) return condition;
  diagnostics().report(DiagCode::ConditionType, expr.range,
                       str("the condition of `", what, "` must be a scalar i1, not ", shapedText(condition->type())));
  return nullptr;
}

// Appends the initial values of a loop to its operands: those of iter_args, then those of the names that the body rebinds.
// Returns the rebound names.
std::vector<KernelLowering::Carried> KernelLowering::loopInits(const ast::Stmt &stmt, LoopHead &head) {
  if (!stmt.resultTypes.empty() && stmt.resultTypes.size() != stmt.iterArgs.size())
    diagnostics().report(DiagCode::SignatureCount, stmt.resultTypes.front().range.to(stmt.resultTypes.back().range),
                         str("the signature lists ", stmt.resultTypes.size(), " type", stmt.resultTypes.size() == 1 ? "" : "s",
                             " for ", stmt.iterArgs.size(), " carried value", stmt.iterArgs.size() == 1 ? "" : "s"));
  for (size_t i = 0; i < stmt.iterArgs.size(); ++i) {
    const ast::TypeExpr *written = i < stmt.resultTypes.size() ? &stmt.resultTypes[i] : nullptr;
    Value *init = lowerExpr(stmt.iterArgs[i].init, written ? typeForLiterals(*written) : Type());
    Type like = init && written ? statedType(*written, init->type()) : Type();
    if (like && !writtenAgrees(like, init->type()))
      diagnostics().report(DiagCode::SignatureMismatch, stmt.resultTypes[i].range,
                           str("the signature gives ", shapedText(like), ", but `%", stmt.iterArgs[i].name.text, "` starts as ",
                               shapedText(init->type())));
    head.operands.push_back(init ? init : builder_.index(0));
    head.ranges.push_back(stmt.iterArgs[i].init.range);
  }
  std::vector<Carried> carried = carriedNames({&*stmt.body});
  std::erase_if(carried, [&](const Carried &c) {
    return c.name == stmt.variable.text || std::any_of(stmt.iterArgs.begin(), stmt.iterArgs.end(),
                                                       [&](const ast::IterArg &a) { return a.name.text == c.name; });
  });
  for (const Carried &c : carried) head.operands.push_back(c.init), head.ranges.push_back(c.range);
  return carried;
}

void KernelLowering::bindLoopParams(const ast::Stmt &stmt, Op *loop, const std::vector<Carried> &carried) {
  if (loop->kind() == OpKind::For) {
    Value *variable = loop->region()->addParam(context_.index(), stmt.variable.text, stmt.variable.range);
    Type written = stmt.type ? writtenType(*stmt.type) : Type();
    if (written && written != context_.index()) {
      builder_.setRange(stmt.variable.range);
      variable = emit(OpKind::IndexCast, {variable}, {stmt.variable.range}, stmt.variable.range, {}, written);
    }
    names_.bind(stmt.variable.text, {variable, true, stmt.variable.range});
  }
  size_t explicitCount = stmt.iterArgs.size();
  for (size_t i = 0; i < loop->resultCount(); ++i) {
    bool written = i < explicitCount;
    const std::string &name = written ? stmt.iterArgs[i].name.text : carried[i - explicitCount].name;
    const BoundName *outer = written ? nullptr : names_.find(name);
    SourceRange range = written ? stmt.iterArgs[i].name.range : outer ? outer->range : carried[i - explicitCount].init->range();
    Value *param = loop->region()->addParam(loop->result(i)->type(), name, range);
    names_.bind(name, {param, false, range});
  }
}

// Returns the checked values that the body yields; nullopt has been reported. `first` is the number of values before the
// carried ones: 1 if the loop has a next condition, else 0.
std::optional<KernelLowering::RegionYield> KernelLowering::loopYield(const ast::Stmt &stmt, Op *loop, const LoopHead &head,
                                                                     const std::vector<Carried> &carried) {
  RegionYield yield = std::move(yields_.back());
  size_t explicitCount = stmt.iterArgs.size(), first = carriedAt(*loop).yield;
  if (first && !yield.written) {
    // If the condition is invalid, which has been reported, yield the placeholder.
    yield.values.insert(yield.values.begin(), head.broken ? loop->operand(0) : lowerCondition(*stmt.expr, "while"));
    yield.ranges.insert(yield.ranges.begin(), stmt.expr->range);
  }
  if (yield.lost && yield.values.size() != explicitCount + first) return std::nullopt;
  if (yield.values.size() != explicitCount + first) {
    diagnostics().report(DiagCode::ResultCount, head.range,
                         str("this loop carries ", explicitCount, " value", explicitCount == 1 ? "" : "s",
                             " in iter_args, but its body yields ", yield.values.size(),
                             first ? ", the next condition among them" : ""));
    return std::nullopt;
  }
  for (Value *value : yield.values)
    if (!value) return std::nullopt;
  if (first && !yield.values[0]->type().isScalar(Elem::I1)) {
    diagnostics().report(DiagCode::ConditionType, yield.ranges[0],
                         str("the body of a `while` must yield its next condition first, a scalar i1, not ",
                             shapedText(yield.values[0]->type())));
    return std::nullopt;
  }
  bool ok = true;
  for (size_t i = 0; i < explicitCount; ++i)
    ok &= sameCarriedType(loop->result(i)->type(), yield.values[i + first], yield.ranges[i + first],
                          str("`%", stmt.iterArgs[i].name.text, "`"), stmt.iterArgs[i].init.range);
  for (const Carried &c : carried) {
    const BoundName *bound = nullptr;
    Value *value = currentValue(c, &bound);
    if (!value)
      ok = false;
    else
      ok &= sameCarriedType(c.init->type(), value, bound->range, str("`%", c.name, "`"), c.init->range());
    yield.values.push_back(value);
    yield.ranges.push_back(bound ? bound->range : c.range);
  }
  return ok ? std::optional(std::move(yield)) : std::nullopt;
}

void KernelLowering::lowerLoop(const ast::Stmt &stmt, LoopHead head) {
  size_t controls = head.operands.size();
  std::vector<Carried> carried = loopInits(stmt, head);
  std::vector<Type> types;
  for (size_t i = controls; i < head.operands.size(); ++i) types.push_back(head.operands[i]->type());
  builder_.setRange(head.range);
  Op *loop = builder_.create(head.kind, head.operands, types, 1);
  loop->setOperandRanges(head.ranges);

  Builder outer = builder_;
  builder_.setEnd(*loop->region());
  names_.push();
  yields_.emplace_back();
  bindLoopParams(stmt, loop, carried);
  lowerBlock(*stmt.body);
  std::optional<RegionYield> yield = loopYield(stmt, loop, head, carried);
  yields_.pop_back();
  names_.pop();
  if (yield)
    emitYield(yield->values, yield->ranges, stmt.body->range.endPoint());
  else
    emitYield({}, {}, stmt.body->range.endPoint());
  builder_ = outer;
  if (!yield) {
    for (const Carried &c : carried) names_.bind(c.name, {nullptr, false, c.range});
    return poison(stmt);
  }
  size_t explicitCount = stmt.iterArgs.size();
  for (size_t i = 0; i < carried.size(); ++i) {
    Value *result = loop->result(explicitCount + i);
    result->setName(carried[i].name);
    names_.bind(carried[i].name, {result, false, carried[i].range});
  }
  std::vector<Value *> results;
  for (size_t i = 0; i < explicitCount; ++i) results.push_back(loop->result(i));
  if (!results.empty() || !stmt.results.empty()) bindResults(stmt, results, loop->info().name);
}

void KernelLowering::lowerIf(const ast::Stmt &stmt) {
  SourceRange header = stmt.range.startPoint();
  header.end = stmt.body ? stmt.body->range.begin : stmt.range.end;
  Value *condition = stmt.expr ? lowerCondition(*stmt.expr, "if") : nullptr;
  if (!stmt.body) return poison(stmt);
  builder_.setRange(header);
  if (!condition) condition = builder_.constantInt(context_.i1(), 1);
  std::vector<const ast::Block *> blocks = {&*stmt.body};
  if (stmt.orElse) blocks.push_back(&*stmt.orElse);
  std::vector<Carried> carried = carriedNames(blocks);
  bool failed = false;

  builder_.setRange(header);
  Op *branch = builder_.create(OpKind::If, {condition}, {}, 2);
  if (stmt.expr) branch->setOperandRanges({stmt.expr->range});
  Builder outer = builder_;
  std::vector<RegionYield> yields;
  for (size_t r = 0; r < 2; ++r) {
    builder_.setEnd(*branch->region(r));
    names_.push();
    yields_.emplace_back();
    const ast::Block *block = r < blocks.size() ? blocks[r] : nullptr;
    if (block) lowerBlock(*block);
    yields.push_back(std::move(yields_.back()));
    yields_.pop_back();
    for (const Carried &c : carried) {
      const BoundName *bound = nullptr;
      Value *value = currentValue(c, &bound);
      if (!value || !sameCarriedType(c.init->type(), value, bound->range, str("`%", c.name, "`"), c.init->range()))
        failed = true;
      yields.back().values.push_back(value);
      yields.back().ranges.push_back(bound ? bound->range : c.range);
    }
    names_.pop();
  }
  size_t explicitCount = yields[0].values.size() - carried.size();
  if (yields[1].values.size() != yields[0].values.size() && (yields[0].lost || yields[1].lost)) {
    failed = true;
  } else if (yields[1].values.size() != yields[0].values.size()) {
    diagnostics().report(
        DiagCode::ResultCount, header,
        str("one branch of this `if` yields ", explicitCount, " values, the other ", yields[1].values.size() - carried.size()));
    failed = true;
  }
  for (size_t i = 0; !failed && i < explicitCount; ++i) {
    Value *first = yields[0].values[i], *second = yields[1].values[i];
    if (!first || !second)
      failed = true;
    else
      failed |= !sameCarriedType(first->type(), second, yields[1].ranges[i], "the value of this `if`", yields[0].ranges[i]);
  }
  if (!failed && !stmt.resultTypes.empty()) {
    std::vector<Value *> given(yields[0].values.begin(), yields[0].values.begin() + static_cast<ptrdiff_t>(explicitCount));
    failed = !agreesWith(stmt.resultTypes, given, stmt.resultTypes.front().range.to(stmt.resultTypes.back().range), "value");
  }
  for (size_t r = 0; r < 2; ++r) {
    builder_.setEnd(*branch->region(r));
    SourceRange end = (r < blocks.size() ? blocks[r]->range : stmt.body->range).endPoint();
    if (failed)
      emitYield({}, {}, end);
    else
      emitYield(yields[r].values, yields[r].ranges, end);
  }
  builder_ = outer;
  if (failed) {
    for (const Carried &c : carried) names_.bind(c.name, {nullptr, false, c.range});
    return poison(stmt);
  }
  for (Value *value : yields[0].values) branch->addResult(value->type())->setRange(header);
  for (size_t i = 0; i < carried.size(); ++i) {
    Value *result = branch->result(explicitCount + i);
    result->setName(carried[i].name);
    names_.bind(carried[i].name, {result, false, carried[i].range});
  }
  std::vector<Value *> results;
  for (size_t i = 0; i < explicitCount; ++i) results.push_back(branch->result(i));
  if (!results.empty() || !stmt.results.empty()) bindResults(stmt, results, "if");
}

} // namespace xt
