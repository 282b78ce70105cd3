// The operand types decide between several rows that have one name.
#include "lang/lower/op_choice.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/infer/type_rules.h"
#include "lang/lower/operators.h"
#include "lang/parse/foreign_names.h"
#include "lang/parse/rank_words.h"

#include <algorithm>

namespace xt {
namespace {

const Operator *operatorCalled(std::string_view word) {
  for (const Operator &op : kArithmetic)
    if (op.word == word) return &op;
  return nullptr;
}

std::vector<std::string_view> opNames() {
  std::vector<std::string_view> names;
  for (std::span<const OpInfo> table : {allOps(), allComposites()})
    for (const OpInfo &op : table)
      if (op.clause != Clause::Structure) names.push_back(op.name);
  return names;
}

bool hasAttributes(const OpInfo &row, const ast::OpClause &clause) {
  auto known = [&](std::string_view key) {
    if (key.starts_with("$")) key.remove_prefix(1);
    for (const AttrSpec &spec : row.attrs)
      if (key == spec.name || (!spec.spelling.empty() && key == spec.spelling)) return true;
    return false;
  };
  for (const ast::Attr &group : clause.attrs)
    for (const ast::Attr::Entry &entry : group.entries)
      if (entry.key && !known(entry.key.text)) return false;
  return true;
}

// The expected type of an operand before it is lowered: that of the first known name in the expression; null if unknown.
Type foreseenType(const KernelState &state, const ast::Expr &expr) {
  if (expr.is(ast::Expr::Kind::Value) || expr.is(ast::Expr::Kind::Values)) {
    std::string name = expr.is(ast::Expr::Kind::Values) ? str(expr.text, "#0") : expr.text;
    const BoundName *bound = state.names.find(name);
    return bound && bound->value ? bound->value->type() : Type();
  }
  for (const ast::Expr &child : expr.children) {
    if (Type type = foreseenType(state, child)) return type;
  }
  return {};
}

// Returns the first row, in the table's order, that accepts the operand types and has all attributes. If there is none, the
// first that accepts the operand types, else the first row. At lane scope vectors are fragments, so rows of XeGPU come first:
// `dpas` is the XeGPU op there and not an alias of tile_mma.
const OpInfo *chooseByOperands(const KernelState &state, const OpMatches &matches, const ast::OpClause &clause) {
  const OpInfo *first = nullptr;
  std::vector<const OpInfo *> rows(matches.items.begin(), matches.items.begin() + static_cast<ptrdiff_t>(matches.count));
  if (state.lanes > 0)
    std::stable_partition(rows.begin(), rows.end(), [](const OpInfo *row) { return row->dialect == Dialect::XeGpu; });
  for (const OpInfo *candidate : rows) {
    const OpInfo &row = *candidate;
    bool fits = row.operands.size() > 0;
    for (size_t i = 0; fits && i < clause.operands.size(); ++i) {
      Type type = foreseenType(state, clause.operands[i]);
      const OperandSpec &spec = row.operands[std::min(i, row.operands.size() - 1)];
      fits = (i < row.operands.size() || spec.arity == Arity::Variadic) && (!type || acceptsOperand(spec.type, type));
    }
    if (!fits) continue;
    if (hasAttributes(row, clause)) return &row;
    if (!first) first = &row;
  }
  return first ? first : rows[0];
}

const OpInfo *findRow(KernelState &state, const ast::OpClause &clause) {
  std::string_view spelled = clause.op.text;
  // The parser has reported host statements outside of tests.
  if (spelled == "launch" || spelled == "check" || spelled == "save") return nullptr;
  OpMatches matches = findOps(spelled);
  if (matches.count == 1) return matches.items[0];
  if (matches.count > 1) return chooseByOperands(state, matches, clause);
  if (const Operator *op = operatorCalled(spelled)) {
    Type type;
    for (size_t i = 0; !type && i < clause.operands.size(); ++i) type = foreseenType(state, clause.operands[i]);
    return &opInfo(op->of(type ? type.elem() : Elem::Index));
  }
  size_t dot = spelled.rfind('.');
  std::string_view bare = dot == std::string_view::npos ? spelled : spelled.substr(dot + 1);
  auto &diagnostic = state.diagnostics().report(DiagCode::UnknownOp, clause.op.range, str("unknown op `", spelled, "`"));
  if (dot != std::string_view::npos && findOp(bare) && !spelled.starts_with("tl."))
    diagnostic.note(str("`", bare, "` belongs to the dialect ", dialectName(findOp(bare)->dialect)));
  else if (std::string_view note = noteOnForeignName(spelled); !note.empty())
    diagnostic.note(std::string(note));
  else if (findRankWord(spelled))
    diagnostic.note(str("`", spelled, "` begins a statement of a test"));
  else
    suggestName(diagnostic, clause.op.range, 0, bare, opNames());
  return nullptr;
}

} // namespace

const OpInfo *chooseRow(KernelState &state, const ast::OpClause &clause) {
  const OpInfo *row = findRow(state, clause);
  if (NameIndex *index = state.params.symbols().index(); index && row) index->op(clause.op.range, *row);
  return row;
}

} // namespace xt
