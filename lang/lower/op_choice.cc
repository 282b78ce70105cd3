// Which op a name means: a row of the op table, or what an operator's word stands for. Operand types choose between
// several.
#include "ir/base/text.h"
#include "ir/infer/type_rules.h"
#include "lang/lower/kernel_lowering.h"
#include "lang/lower/operators.h"

namespace xt {
namespace {

const Operator *operatorCalled(std::string_view word) {
  for (const Operator &op : kArithmetic)
    if (op.word == word) return &op;
  return nullptr;
}

std::vector<std::string_view> opNames() {
  std::vector<std::string_view> names;
  for (const OpInfo &op : allOps())
    if (op.clause != Clause::Structure) names.push_back(op.name);
  return names;
}

} // namespace

// The type of an operand before it is lowered: of a name, or of the first name in an expression; null where unknown.
Type KernelLowering::foreseenType(const ast::Expr &expr) const {
  if (expr.is(ast::Expr::Kind::Value) || expr.is(ast::Expr::Kind::Values)) {
    std::string name = expr.is(ast::Expr::Kind::Values) ? str(expr.text, "#0") : expr.text;
    const BoundName *bound = names_.find(name);
    return bound && bound->value ? bound->value->type() : Type();
  }
  for (const ast::Expr &child : expr.children) {
    if (Type type = foreseenType(child)) return type;
  }
  return {};
}

// The row whose operands can be what these are; the first in the table's order where several can, or none.
const OpInfo *KernelLowering::chooseByOperands(const OpMatches &matches, const ast::OpClause &clause) const {
  for (size_t m = 0; m < matches.count; ++m) {
    const OpInfo &row = *matches.items[m];
    bool fits = clause.operands.size() <= row.operands.size() || row.operands.size() == 0;
    for (size_t i = 0; fits && i < clause.operands.size() && i < row.operands.size(); ++i) {
      Type type = foreseenType(clause.operands[i]);
      fits = !type || acceptsOperand(row.operands[i].type, type);
    }
    if (fits) return &row;
  }
  return matches.items[0];
}

const OpInfo *KernelLowering::chooseRow(const ast::OpClause &clause) {
  std::string_view spelled = clause.op.text;
  // The parser has said that host statements stand in tests.
  if (spelled == "launch" || spelled == "check" || spelled == "save") return nullptr;
  OpMatches matches = findOps(spelled);
  if (matches.count == 1) return matches.items[0];
  if (matches.count > 1) return chooseByOperands(matches, clause);
  if (const Operator *op = operatorCalled(spelled)) {
    Type type;
    for (size_t i = 0; !type && i < clause.operands.size(); ++i) type = foreseenType(clause.operands[i]);
    return &opInfo(op->of(type ? type.elem() : Elem::Index));
  }
  size_t dot = spelled.rfind('.');
  std::string_view bare = dot == std::string_view::npos ? spelled : spelled.substr(dot + 1);
  auto &diagnostic = diagnostics().report(DiagCode::UnknownOp, clause.op.range, str("unknown op `", spelled, "`"));
  if (dot != std::string_view::npos && findOp(bare))
    diagnostic.note(str("`", bare, "` belongs to the dialect ", dialectName(findOp(bare)->dialect)));
  else suggestName(diagnostic, clause.op.range, 0, bare, opNames());
  return nullptr;
}

} // namespace xt
