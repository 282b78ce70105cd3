// Lowers MLIR's while loop, whose condition has a block of its own:
// `scf.while (%x = %init) : (A) -> B { … scf.condition(%c) %y : B } do { ^bb0(%z: B): … }`.
// The IR evaluates the condition of a `while` before the loop and at the end of its body (control_flow.cc), so the first block is
// lowered twice.
#include "ir/base/text.h"
#include "ir/op_kinds.h"
#include "lang/lower/kernel_lowering.h"

namespace xt {

// Lowers the first block with these values for the names that the loop's parentheses bind. The result has the condition first, then
// the values that `scf.condition` passes on; nullopt: a mistake has been reported.
std::optional<KernelLowering::RegionYield> KernelLowering::lowerConditionBlock(const ast::Stmt &stmt,
                                                                               const std::vector<Value *> &values) {
  size_t before = diagnostics().errorCount();
  names_.push();
  yields_.emplace_back();
  yields_.back().ofCondition = true;
  for (size_t i = 0; i < values.size(); ++i)
    names_.bind(stmt.iterArgs[i].name.text, {values[i], false, stmt.iterArgs[i].name.range});
  lowerBlock(*stmt.body);
  RegionYield passed = std::move(yields_.back());
  yields_.pop_back();
  names_.pop();
  if (!passed.written) {
    if (!passed.lost && !state_.repeatedTooMuch)
      diagnostics().report(DiagCode::NotHere, stmt.body->range.endPoint(),
                           "the first block of a `while … do` ends in `scf.condition`");
    return std::nullopt;
  }
  // The block is lowered twice; a mistake in it is reported once.
  bool ok = diagnostics().errorCount() == before;
  for (const Value *value : passed.values) ok &= value != nullptr;
  return ok ? std::optional(std::move(passed)) : std::nullopt;
}

void KernelLowering::lowerConditionEnd(const ast::Stmt &stmt) {
  if (yields_.empty() || !yields_.back().ofCondition) {
    diagnostics().report(DiagCode::NotHere, stmt.range, "`scf.condition` ends the first block of a `while … do`");
    return poison(stmt);
  }
  Value *condition = stmt.expr ? lowerCondition(*stmt.expr, "while") : nullptr;
  std::vector<Value *> values;
  for (const ast::Expr &expr : stmt.values) values.push_back(lowerExpr(expr));
  bool agrees = !stmt.signature || agreesWith(stmt.signature->left, values, stmt.signature->range, "value");
  if (!condition || !agrees) poison(stmt);
  RegionYield &passed = yields_.back();
  passed.written = true;
  passed.values = {condition};
  passed.ranges = {stmt.expr ? stmt.expr->range : stmt.range};
  passed.values.insert(passed.values.end(), values.begin(), values.end());
  for (const ast::Expr &expr : stmt.values) passed.ranges.push_back(expr.range);
}

// Computes the initial values of the loop; false: a mistake has been reported.
bool KernelLowering::whileInits(const ast::Stmt &stmt, std::vector<Value *> &inits) {
  const std::vector<ast::TypeExpr> &types = stmt.signature->left;
  if (types.size() != stmt.iterArgs.size()) {
    diagnostics().report(DiagCode::SignatureCount, stmt.signature->range,
                         str("the signature lists ", types.size(), " type", types.size() == 1 ? "" : "s", " for ",
                             stmt.iterArgs.size(), " value", stmt.iterArgs.size() == 1 ? "" : "s"));
    return false;
  }
  bool ok = true;
  for (size_t i = 0; i < types.size(); ++i) {
    inits.push_back(lowerExpr(stmt.iterArgs[i].init, typeForLiterals(types[i])));
    ok &= inits.back() && agreesWith(types[i], inits.back()->type(), str("`%", stmt.iterArgs[i].name.text, "`"));
  }
  for (const Carried &carried : carriedNames({&*stmt.body, &*stmt.orElse})) {
    diagnostics().report(
        DiagCode::NotHere, carried.range,
        str("`%", carried.name, "` is bound before this loop, but `while … do` can rebind only the values in its parentheses"));
    ok = false;
  }
  return ok;
}

void KernelLowering::lowerWhileDo(const ast::Stmt &stmt) {
  SourceRange header{stmt.range.file, stmt.range.begin, stmt.body->range.begin};
  std::vector<Value *> inits;
  if (!whileInits(stmt, inits)) return poison(stmt);
  std::optional<RegionYield> first = lowerConditionBlock(stmt, inits);
  if (!first) return poison(stmt);
  std::vector<Value *> passed(first->values.begin() + 1, first->values.end());
  const std::vector<ast::Param> &params = stmt.orElse->params;
  if (!agreesWith(stmt.signature->right, passed, stmt.signature->range, "value that `scf.condition` passes on"))
    return poison(stmt);
  if (params.size() != passed.size()) {
    diagnostics().report(DiagCode::ResultCount, stmt.orElse->label ? stmt.orElse->label.range : stmt.orElse->range.startPoint(),
                         str("`scf.condition` passes on ", passed.size(), " value", passed.size() == 1 ? "" : "s",
                             ", but the block after `do` has ", params.size(), " parameter", params.size() == 1 ? "" : "s"));
    return poison(stmt);
  }
  std::vector<Type> types;
  for (const Value *value : passed) types.push_back(value->type());
  builder_.setRange(header);
  Op *loop = builder_.create(OpKind::While, first->values, types, 1);
  loop->setOperandRanges(first->ranges);
  Builder outer = builder_;
  builder_.setEnd(*loop->region());
  names_.push();
  yields_.emplace_back();
  bool ok = true;
  for (size_t i = 0; i < params.size(); ++i) {
    ok &= agreesWith(params[i].type, types[i], str("`%", params[i].name.text, "`"));
    Value *param = loop->region()->addParam(types[i], params[i].name.text, params[i].name.range);
    names_.bind(params[i].name.text, {param, false, params[i].name.range});
  }
  lowerBlock(*stmt.orElse);
  RegionYield next = std::move(yields_.back());
  yields_.pop_back();
  names_.pop();
  ok &= !next.lost;
  if (ok && next.values.size() != inits.size()) {
    diagnostics().report(DiagCode::ResultCount, header,
                         str("this loop starts with ", inits.size(), " value", inits.size() == 1 ? "" : "s",
                             ", but its body yields ", next.values.size()));
    ok = false;
  }
  for (size_t i = 0; ok && i < inits.size(); ++i)
    ok &= next.values[i] && sameCarriedType(inits[i]->type(), next.values[i], next.ranges[i],
                                            str("`%", stmt.iterArgs[i].name.text, "`"), stmt.iterArgs[i].init.range);
  ++repeats_;
  std::optional<RegionYield> again = ok ? lowerConditionBlock(stmt, next.values) : std::nullopt;
  --repeats_;
  if (again)
    emitYield(again->values, again->ranges, stmt.orElse->range.endPoint());
  else
    emitYield({}, {}, stmt.orElse->range.endPoint());
  builder_ = outer;
  if (!again) return poison(stmt);
  std::vector<Value *> results;
  for (size_t i = 0; i < loop->resultCount(); ++i) results.push_back(loop->result(i));
  if (!results.empty() || !stmt.results.empty()) bindResults(stmt, results, "while");
}

} // namespace xt
