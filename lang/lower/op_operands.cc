#include "lang/lower/op_operands.h"

#include "ir/base/text.h"
#include "ir/op_kinds.h"
#include "ir/views/names.h"
#include "lang/lower/alike_operands.h"
#include "lang/lower/expr_lowering.h"
#include "lang/lower/op_lowering.h"
#include "lang/lower/written_types.h"

#include <algorithm>

namespace xt {
namespace {

// Number of items in a list; %x:2 counts as two.
size_t itemCount(const ast::Expr &list) {
  size_t count = 0;
  for (const ast::Expr &item : list.children) count += item.is(ast::Expr::Kind::Values) ? static_cast<size_t>(item.integer) : 1;
  return count;
}

// Whether the lists have one item per dimension, and a literal stride agrees with the tile's order. If not, an error was
// reported.
bool explicitViewFits(KernelState &state, const ast::OpClause &clause, const OpDraft &draft) {
  Type base = draft.operands[0]->type();
  if (!base.isMemRef() && !base.isAddress()) return true; // the type rule reports this base
  int rank = base.isMemRef() ? base.rank() : 2; // an address is the base of a matrix
  std::vector<const ast::Expr *> lists{&*clause.offsets, &*clause.shapeList, &*clause.strides};
  if (draft.info->kind == OpKind::View) { // the type rule compares sizes and strides with the result's type
    rank = 1;
    lists = {&*clause.offsets};
  }
  for (const ast::Expr *list : lists)
    if (itemCount(*list) != static_cast<size_t>(rank)) {
      state.diagnostics().report(DiagCode::OffsetCount, list->range,
                                 str("this list has ", itemCount(*list), itemCount(*list) == 1 ? " item" : " items",
                                     " for a base of ", rank, rank == 1 ? " dimension" : " dimensions"));
      return false;
    }
  if (!clause.signature || clause.signature->right.size() != 1) return true;
  Type tile = writtenType(state, clause.signature->right[0]);
  if (!tile || !tile.isTile() || rank < 2) return static_cast<bool>(tile);
  bool columnMajor = tile.data().order == Order::ColumnMajor;
  size_t fromLast = columnMajor ? 2 : 1;
  if (clause.strides->children.size() < fromLast) return true; // the strides are written as `%s:2`
  const ast::Expr &innermost = *(clause.strides->children.end() - static_cast<ptrdiff_t>(fromLast));
  if (!isLiteral(innermost)) return true;
  std::optional<int64_t> stride = state.params.evalInt(innermost, "a stride");
  if (!stride || *stride == 1) return stride.has_value();
  // With an extent of 1 the stride is not used.
  if (clause.shapeList->children.size() == clause.strides->children.size()) {
    const ast::Expr &extent = *(clause.shapeList->children.end() - static_cast<ptrdiff_t>(fromLast));
    if (isLiteral(extent) && state.params.evalInt(extent, "an extent") == 1) return true;
  }
  state.diagnostics()
      .report(DiagCode::OrderMismatch, innermost.range,
              str("the tile is ", columnMajor ? "column" : "row", "-major, so this stride must be 1, not ", *stride))
      .at(clause.signature->right[0].range, columnMajor ? "order = [0, 1]" : "order = [1, 0], the default");
  return false;
}

class OperandLowering {
public:
  OperandLowering(KernelState &state, const ast::OpClause &clause, OpDraft &draft)
      : state_(state), clause_(clause), draft_(draft) {}
  bool gather();

private:
  OperandClass wanted(size_t index) const;
  bool add(Value *value, SourceRange range);
  bool lower(const ast::Expr &expr);
  bool lowerSeveral(const ast::Expr &expr);
  bool lowerItems(const ast::Expr &list);
  Type literalType(size_t index);
  bool lowerView();

  KernelState &state_;
  const ast::OpClause &clause_;
  OpDraft &draft_;
};

OperandClass OperandLowering::wanted(size_t index) const {
  const auto &specs = draft_.info->operands;
  return specs.size() ? specs[std::min(index, specs.size() - 1)].type : OperandClass::Any;
}

// Adds an operand. Returns false if the value is null.
bool OperandLowering::add(Value *value, SourceRange range) {
  draft_.operands.push_back(value);
  draft_.operandRanges.push_back(range);
  return value != nullptr;
}

// Returns the type that a literal takes as operand `index`, if the operand is not an index; null: the literal's own type.
Type OperandLowering::literalType(size_t index) {
  const auto &specs = draft_.info->operands;
  OperandClass cls = wanted(index);
  Type like;
  // Offsets, counts and lanes do not take their type from other operands.
  bool own = cls == OperandClass::AnyInt && !draft_.info->elementwise;
  // A literal takes the type of the signature if that is a single type for all operands.
  if (!own && clause_.signature && draft_.info->signature == Signature::Same && !clause_.signature->left.empty())
    like = typeForLiterals(state_, clause_.signature->left[0]);
  // Otherwise it takes the type for this operand, if the signature has one type per operand; or else the type of another
  // operand. `index` counts the indices in brackets after an operand as operands, clause_.operands does not.
  if (!like && clause_.signature && clause_.signature->left.size() == clause_.operands.size() &&
      index < clause_.signature->left.size() && clause_.signature->hasArrow)
    like = typeForLiterals(state_, clause_.signature->left[index]);
  auto isCondition = [&](const ast::Expr &other) {
    auto at = static_cast<size_t>(&other - clause_.operands.data());
    return cls != OperandClass::Bool && at < specs.size() && specs[at].type == OperandClass::Bool;
  };
  for (const ast::Expr &other : clause_.operands)
    if (!like && !own && !isLiteralOperand(other) && !isCondition(other))
      if (Value *value = lowerExpr(state_, other.is(ast::Expr::Kind::Index) ? other.children[0] : other)) like = value->type();
  if (like && (cls == OperandClass::Scalar || cls == OperandClass::Vector || like.isMemRef() || like.isTile()))
    like = state_.context.scalar(like.elem());
  return like;
}

// Lowers `%x:2`, which stands for `%x#0, %x#1`.
bool OperandLowering::lowerSeveral(const ast::Expr &expr) {
  bool ok = true;
  if (!state_.names.find(str(expr.text, "#0"))) { // report the unknown name itself, once
    ast::Expr whole = expr;
    whole.kind = ast::Expr::Kind::Value;
    lowerValue(state_, whole);
    return add(nullptr, expr.range);
  }
  for (int64_t i = 0; i < expr.integer; ++i) {
    ast::Expr one = expr;
    one.kind = ast::Expr::Kind::Value;
    one.text = str(expr.text, "#", i);
    if (!state_.names.find(one.text)) { // report only the first missing value
      state_.diagnostics().report(DiagCode::ResultCount, expr.range,
                                  str("`%", expr.text, "` stands for ", i, " values, not ", expr.integer));
      return false;
    }
    ok &= add(lowerValue(state_, one), expr.range);
  }
  return ok;
}

bool OperandLowering::lower(const ast::Expr &expr) {
  size_t index = draft_.operands.size();
  OperandClass cls = wanted(index);
  bool isIndex = cls == OperandClass::Index || cls == OperandClass::Offsets;
  Type like;
  if (isIndex)
    like = state_.context.index();
  else if (isLiteralOperand(expr))
    like = literalType(index);
  if (expr.is(ast::Expr::Kind::Values)) return lowerSeveral(expr);
  Value *value = lowerExpr(state_, expr, like);
  return add(isIndex ? asIndex(state_, value, expr.range) : value, expr.range);
}

bool OperandLowering::lowerItems(const ast::Expr &list) {
  bool ok = true;
  for (const ast::Expr &item : list.children) ok &= lower(item);
  return ok;
}

// Lowers the explicit shape and strides of a base, if there are any.
bool OperandLowering::lowerView() {
  if (clause_.offsets && clause_.shapeList && clause_.strides) {
    bool ok = lowerItems(*clause_.shapeList);
    return lowerItems(*clause_.strides) && ok;
  }
  if (!clause_.shapeList && !clause_.strides) return true;
  bool both = clause_.operands.size() > 1; // an offset is given without brackets
  state_.diagnostics().report(DiagCode::ExplicitShape, (clause_.shapeList ? *clause_.shapeList : *clause_.strides).range,
                              both ? "a scatter tile cannot have an explicit shape or strides: it uses those of its base"
                                   : "an explicit shape needs explicit strides, and the reverse: `[shape], [strides]`");
  return false;
}

bool OperandLowering::gather() {
  bool ok = true;
  for (const ast::Expr &operand : clause_.operands) {
    // For `%v[%i, %j]`, lower the base, then its indices.
    bool indexed = operand.is(ast::Expr::Kind::Index);
    ok &= lower(indexed ? operand.children[0] : operand);
    for (size_t k = 1; indexed && k < operand.children.size(); ++k) ok &= lower(operand.children[k]);
  }
  if (clause_.offsets) ok &= lowerItems(*clause_.offsets);
  ok &= lowerView();
  if (ok && clause_.shapeList) ok = explicitViewFits(state_, clause_, draft_);
  // Swap the operands of `store_tile %tile, %value`. Their types distinguish the two orders.
  if (ok && draft_.info->kind == OpKind::StoreTile && draft_.operands.size() >= 2 && draft_.operands[0]->type().isTile() &&
      draft_.operands[1]->type().isVector()) {
    std::swap(draft_.operands[0], draft_.operands[1]);
    std::swap(draft_.operandRanges[0], draft_.operandRanges[1]);
  }
  return ok;
}

} // namespace

bool isLiteralOperand(const ast::Expr &expr) { return isLiteral(expr) || expr.is(ast::Expr::Kind::Bool); }

bool gatherOperands(KernelState &state, const ast::OpClause &clause, OpDraft &draft) {
  return OperandLowering(state, clause, draft).gather();
}

bool stretchMask(KernelState &state, OpDraft &draft) {
  auto named = [&](std::string_view name) {
    const auto &specs = draft.info->operands;
    return static_cast<size_t>(std::ranges::find(specs, name, &OperandSpec::name) - specs.begin());
  };
  const size_t mask = named("mask"), tile = named("tile"), count = draft.operands.size();
  if (mask >= count || tile >= count) return true;
  Type given = draft.operands[mask]->type(), of = draft.operands[tile]->type();
  if (!given.isVector() || !of.isTile()) return true;
  std::vector<int64_t> shape(of.shape().begin(), of.shape().end());
  if (std::ranges::find(draft.attrs, attr_names::kTranspose, &Attr::name) != draft.attrs.end()) std::ranges::reverse(shape);
  if (std::ranges::equal(given.shape(), shape) || !stretchesTo(given, shape)) return true;
  return (draft.operands[mask] = stretchTo(state, draft.operands[mask], shape, draft.operandRanges[mask])) != nullptr;
}

void linesAsMatrices(KernelState &state, OpDraft &draft) {
  bool makes = draft.info->typeRule == TypeRule::InitTile, scatter = makes;
  for (const Value *operand : draft.operands) scatter |= operand->type().isTile() && operand->type().data().scatter;
  if (!scatter) return;
  for (size_t i = makes ? 1 : 0; i < draft.operands.size(); ++i) {
    Type line = draft.operands[i]->type();
    if (!line.isVector() || line.rank() != 1) continue;
    Type matrix = state.context.vector({1, line.extent(0)}, line.elem());
    draft.operands[i] =
        emitOp(state, OpKind::Reshape, {draft.operands[i]}, {draft.operandRanges[i]}, draft.operandRanges[i], {}, matrix);
  }
  if (draft.written && draft.written.isVector() && draft.written.rank() == 1)
    draft.written = state.context.vector({1, draft.written.extent(0)}, draft.written.elem());
}

} // namespace xt
