// The IR evaluates the condition of a `while` before the loop and at the end of its body (loops.cc), so the first block is
// lowered twice.
#include "lang/lower/while_do.h"

#include "ir/base/text.h"
#include "ir/op_kinds.h"
#include "lang/lower/bindings.h"
#include "lang/lower/carried_values.h"
#include "lang/lower/expr_lowering.h"
#include "lang/lower/statements.h"
#include "lang/lower/written_types.h"

namespace xt {
namespace {

// Lowers the first block with these values for the names that the loop's parentheses bind. Returns the condition, followed by
// the values that `scf.condition` passes on; nullopt if an error was reported.
std::optional<RegionYield> lowerConditionBlock(KernelState &state, const ast::Stmt &stmt, const std::vector<Value *> &values) {
  size_t before = state.diagnostics().errorCount();
  state.names.push();
  state.yields.emplace_back();
  state.yields.back().ofCondition = true;
  for (size_t i = 0; i < values.size(); ++i)
    state.names.bind(stmt.iterArgs[i].name.text, {values[i], false, stmt.iterArgs[i].name.range});
  lowerBlock(state, *stmt.body);
  RegionYield passed = std::move(state.yields.back());
  state.yields.pop_back();
  state.names.pop();
  if (!passed.written) {
    if (!passed.lost && !state.file.repeatedTooMuch)
      state.diagnostics().report(DiagCode::NotHere, stmt.body->range.endPoint(),
                                 "the first block of a `while … do` must end in `scf.condition`");
    return std::nullopt;
  }
  // The block is lowered twice; a mistake in it is reported once.
  bool ok = state.diagnostics().errorCount() == before;
  for (const Value *value : passed.values) ok &= value != nullptr;
  return ok ? std::optional(std::move(passed)) : std::nullopt;
}

// Computes the initial values of the loop. Returns false if an error was reported.
bool whileInits(KernelState &state, const ast::Stmt &stmt, std::vector<Value *> &inits) {
  const std::vector<ast::TypeExpr> &types = stmt.signature->left;
  if (types.size() != stmt.iterArgs.size()) {
    state.diagnostics().report(DiagCode::SignatureCount, stmt.signature->range,
                               str("the signature lists ", types.size(), " type", types.size() == 1 ? "" : "s", " for ",
                                   stmt.iterArgs.size(), " value", stmt.iterArgs.size() == 1 ? "" : "s"));
    return false;
  }
  bool ok = true;
  for (size_t i = 0; i < types.size(); ++i) {
    inits.push_back(lowerExpr(state, stmt.iterArgs[i].init, typeForLiterals(state, types[i])));
    ok &= inits.back() && agreesWith(state, types[i], inits.back()->type(), str("`%", stmt.iterArgs[i].name.text, "`"));
  }
  for (const CarriedName &carried : carriedNames(state, {&*stmt.body, &*stmt.orElse})) {
    state.diagnostics().report(
        DiagCode::NotHere, carried.range,
        str("`%", carried.name, "` is bound before this loop, but `while … do` can rebind only the values in its parentheses"));
    ok = false;
  }
  return ok;
}

// Whether the values that `scf.condition` passes on are those that the loop's signature and its second block declare. If not,
// an error was reported.
bool passesOn(KernelState &state, const ast::Stmt &stmt, const std::vector<Value *> &passed) {
  if (!agreesWith(state, stmt.signature->right, passed, stmt.signature->range, "value that `scf.condition` passes on"))
    return false;
  const ast::Block &block = *stmt.orElse;
  if (block.params.size() == passed.size()) return true;
  state.diagnostics().report(DiagCode::ResultCount, block.label ? block.label.range : block.range.startPoint(),
                             str("`scf.condition` passes on ", passed.size(), " value", passed.size() == 1 ? "" : "s",
                                 ", but the block after `do` has ", block.params.size(), " parameter",
                                 block.params.size() == 1 ? "" : "s"));
  return false;
}

// Lowers the second block. Returns the values for the next iteration of the loop; nullopt if an error was reported.
std::optional<RegionYield> lowerBody(KernelState &state, const ast::Stmt &stmt, Block &region,
                                     const std::vector<Value *> &passed) {
  state.names.push();
  state.yields.emplace_back();
  bool ok = true;
  for (size_t i = 0; i < passed.size(); ++i) {
    const ast::Param &param = stmt.orElse->params[i];
    Type type = passed[i]->type();
    ok &= agreesWith(state, param.type, type, str("`%", param.name.text, "`"));
    state.names.bind(param.name.text, {region.addParam(type, param.name.text, param.name.range), false, param.name.range});
  }
  lowerBlock(state, *stmt.orElse);
  RegionYield next = std::move(state.yields.back());
  state.yields.pop_back();
  state.names.pop();
  return ok && !next.lost ? std::optional(std::move(next)) : std::nullopt;
}

// Whether the second block yields values of the same types as the initial ones. If not, an error was reported.
bool goesOnWith(KernelState &state, const ast::Stmt &stmt, const RegionYield &next, const std::vector<Value *> &inits,
                SourceRange header) {
  if (next.values.size() != inits.size()) {
    state.diagnostics().report(DiagCode::ResultCount, header,
                               str("this loop starts with ", inits.size(), " value", inits.size() == 1 ? "" : "s",
                                   ", but its body yields ", next.values.size()));
    return false;
  }
  for (size_t i = 0; i < inits.size(); ++i) {
    const ast::IterArg &arg = stmt.iterArgs[i];
    if (!next.values[i] || !sameCarriedType(state, inits[i]->type(), next.values[i], next.ranges[i],
                                            str("`%", arg.name.text, "`"), arg.init.range))
      return false;
  }
  return true;
}

} // namespace

void lowerConditionEnd(KernelState &state, const ast::Stmt &stmt) {
  if (state.yields.empty() || !state.yields.back().ofCondition) {
    state.diagnostics().report(DiagCode::NotHere, stmt.range,
                               "`scf.condition` is allowed only at the end of the first block of a `while … do`");
    return poison(state, stmt);
  }
  Value *condition = stmt.expr ? lowerCondition(state, *stmt.expr, "while") : nullptr;
  std::vector<Value *> values;
  for (const ast::Expr &expr : stmt.values) values.push_back(lowerExpr(state, expr));
  bool agrees = !stmt.signature || agreesWith(state, stmt.signature->left, values, stmt.signature->range, "value");
  if (!condition || !agrees) poison(state, stmt);
  RegionYield &passed = state.yields.back();
  passed.written = true;
  passed.values = {condition};
  passed.ranges = {stmt.expr ? stmt.expr->range : stmt.range};
  passed.values.insert(passed.values.end(), values.begin(), values.end());
  for (const ast::Expr &expr : stmt.values) passed.ranges.push_back(expr.range);
}

void lowerWhileDo(KernelState &state, const ast::Stmt &stmt) {
  SourceRange header = headerOf(stmt);
  std::vector<Value *> inits;
  if (!whileInits(state, stmt, inits)) return poison(state, stmt);
  std::optional<RegionYield> first = lowerConditionBlock(state, stmt, inits);
  if (!first) return poison(state, stmt);
  std::vector<Value *> passed(first->values.begin() + 1, first->values.end());
  if (!passesOn(state, stmt, passed)) return poison(state, stmt);
  std::vector<Type> types;
  for (const Value *value : passed) types.push_back(value->type());
  state.builder.setRange(header);
  Op *loop = state.builder.create(OpKind::While, first->values, types, 1);
  loop->setOperandRanges(first->ranges);
  Builder outer = state.builder;
  state.builder.setEnd(*loop->region());
  std::optional<RegionYield> next = lowerBody(state, stmt, *loop->region(), passed);
  std::optional<RegionYield> again;
  if (next && goesOnWith(state, stmt, *next, inits, header)) {
    ++state.repeats;
    again = lowerConditionBlock(state, stmt, next->values);
    --state.repeats;
  }
  emitYield(state, again, stmt.orElse->range.endPoint());
  state.builder = outer;
  if (!again) return poison(state, stmt);
  bindOpResults(state, stmt, *loop, loop->resultCount(), "while");
}

} // namespace xt
