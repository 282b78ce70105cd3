#include "lang/lower/statements.h"

#include "ir/base/text.h"
#include "ir/call_names.h"
#include "ir/infer/type_rules.h"
#include "lang/lower/bindings.h"
#include "lang/lower/branches.h"
#include "lang/lower/call_lowering.h"
#include "lang/lower/expr_lowering.h"
#include "lang/lower/loops.h"
#include "lang/lower/named_calls.h"
#include "lang/lower/op_lowering.h"
#include "lang/lower/while_do.h"
#include "lang/lower/written_types.h"

namespace xt {
namespace {

// Recognises an op that was parsed as a call because its operand is parenthesised, as in `truncf (%f * 2.0) : f32 -> f16`:
// function calls have neither signature nor attributes.
std::optional<ast::OpClause> opWithParentheses(const ast::Stmt &stmt) {
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

void lowerYield(KernelState &state, const ast::Stmt &stmt) {
  if (state.yields.empty()) {
    state.diagnostics().report(DiagCode::NotHere, stmt.range,
                               "`yield` is allowed only at the end of the body of a `for` or `if` that returns values");
    return;
  }
  if (state.yields.back().ofCondition) {
    state.diagnostics().report(DiagCode::NotHere, stmt.range, "the first block of a `while … do` must end in `scf.condition`");
    state.yields.back().lost = true;
    return poison(state, stmt);
  }
  RegionYield &yield = state.yields.back();
  yield.written = true;
  for (const ast::Expr &expr : stmt.values) {
    yield.values.push_back(lowerExpr(state, expr));
    yield.ranges.push_back(expr.range);
  }
  if (stmt.signature) agreesWith(state, stmt.signature->left, yield.values, stmt.signature->range, "value");
}

using Results = std::optional<std::vector<Value *>>;

void bindOrPoison(KernelState &state, const ast::Stmt &stmt, const Results &values, std::string_view what) {
  if (values)
    bindResults(state, stmt, *values, what);
  else
    poison(state, stmt);
}

const ast::Signature *signatureOf(const ast::Stmt &stmt) { return stmt.signature ? &*stmt.signature : nullptr; }

void lowerAssign(KernelState &state, const ast::Stmt &stmt) {
  if (std::optional<ast::OpClause> clause = opWithParentheses(stmt))
    return bindOrPoison(state, stmt, lowerOp(state, *clause, clause->op.range.to(stmt.range)), clause->op.text);
  Type like = stmt.type ? writtenType(state, *stmt.type) : Type();
  if (stmt.type && !like) return poison(state, stmt);
  if (hasOpenExtents(like)) like = {};
  if (stmt.expr->is(ast::Expr::Kind::Call) && stmt.expr->symbolCall &&
      (stmt.signature || stmt.results.size() != 1 || stmt.results[0].count != 1))
    return bindOrPoison(state, stmt, lowerFunctionCall(state, *stmt.expr, signatureOf(stmt)), "@" + stmt.expr->text);
  Value *value = lowerExpr(state, *stmt.expr, like);
  if (!value) return poison(state, stmt);
  if (stmt.signature) {
    state.diagnostics().report(DiagCode::SignatureCount, stmt.signature->range, "an expression has one type: `… : T`");
    return poison(state, stmt);
  }
  if (stmt.type) like = statedType(state, *stmt.type, value->type());
  if (like && !writtenAgrees(like, value->type())) {
    state.diagnostics().report(DiagCode::TypeMismatch, stmt.type->range,
                               str("the value is ", shapedText(value->type()), ", not ", shapedText(like)));
    return poison(state, stmt);
  }
  if (stmt.results.size() == 1 && !stmt.results[0].name) return;
  bindResults(state, stmt, {value}, "the expression");
}

// Lowers a call whose results are not bound.
void lowerCallStmt(KernelState &state, const ast::Stmt &stmt) {
  if (std::optional<ast::OpClause> clause = opWithParentheses(stmt)) {
    if (!lowerOp(state, *clause, stmt.range)) poison(state, stmt);
    return;
  }
  if (!stmt.expr->symbolCall && !isFunctionName(stmt.expr->text)) {
    reportNoFunction(state, *stmt.expr);
    return poison(state, stmt);
  }
  Results values = lowerFunctionCall(state, *stmt.expr, signatureOf(stmt));
  if (!values) return poison(state, stmt);
  if (!values->empty())
    state.diagnostics().report(DiagCode::ResultCount, stmt.range,
                               str("the value of `@", stmt.expr->text, "` is not used: give it a name"));
}

void lowerStmt(KernelState &state, const ast::Stmt &stmt) {
  state.builder.setRange(stmt.range);
  switch (stmt.kind) {
  case ast::Stmt::Kind::Error: return poison(state, stmt);
  case ast::Stmt::Kind::Op:
    return bindOrPoison(state, stmt, lowerOp(state, *stmt.op, stmt.op->op.range.to(stmt.range)), stmt.op->op.text);
  case ast::Stmt::Kind::Assign: return lowerAssign(state, stmt);
  case ast::Stmt::Kind::For: return lowerFor(state, stmt);
  case ast::Stmt::Kind::If: return lowerIf(state, stmt);
  case ast::Stmt::Kind::Yield: return lowerYield(state, stmt);
  case ast::Stmt::Kind::While: return stmt.orElse && stmt.body ? lowerWhileDo(state, stmt) : lowerWhile(state, stmt);
  case ast::Stmt::Kind::Condition: return lowerConditionEnd(state, stmt);
  case ast::Stmt::Kind::Return: return lowerReturn(state, stmt);
  case ast::Stmt::Kind::Call: return lowerCallStmt(state, stmt);
  case ast::Stmt::Kind::Buffer:
  case ast::Stmt::Kind::Launch:
  case ast::Stmt::Kind::Check:
  case ast::Stmt::Kind::Save:
  case ast::Stmt::Kind::Mesh:
  case ast::Stmt::Kind::Shard:
  case ast::Stmt::Kind::Communicate:
  case ast::Stmt::Kind::Wait:
    state.diagnostics().report(DiagCode::NotHere, stmt.range, "this statement belongs in a `test` block");
    return poison(state, stmt);
  }
}

} // namespace

void lowerBlock(KernelState &state, const ast::Block &block) {
  for (const ast::Stmt &stmt : block.stmts) {
    if (!state.yields.empty() && state.yields.back().written) {
      state.diagnostics().report(DiagCode::NotHere, stmt.range, "nothing may follow the `yield` of a block");
      return;
    }
    lowerStatement(state, stmt);
  }
}

void lowerStatement(KernelState &state, const ast::Stmt &stmt) {
  if ((!state.calls.empty() || state.repeats > 0) && !mayRepeat(state, stmt.range)) return;
  ++state.file.statements;
  lowerStmt(state, stmt);
}

} // namespace xt
