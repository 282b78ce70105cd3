#include "ir/base/text.h"
#include "ir/op_kinds.h"
#include "lang/lower/kernel_lowering.h"

#include <algorithm>

namespace xt {
namespace {

// Number of items in a list; %x:2 counts as two.
size_t itemCount(const ast::Expr &list) {
  size_t count = 0;
  for (const ast::Expr &item : list.children) count += item.is(ast::Expr::Kind::Values) ? static_cast<size_t>(item.integer) : 1;
  return count;
}

bool isLiteralOperand(const ast::Expr &expr) { return isLiteral(expr) || expr.is(ast::Expr::Kind::Bool); }

} // namespace

std::optional<std::vector<Value *>> KernelLowering::lowerOp(const ast::OpClause &clause, SourceRange range) {
  OpDraft draft;
  draft.info = chooseRow(clause);
  // The statement's range includes its results; the op's range starts at its name.
  draft.range = {range.file, clause.op.range.begin, range.end};
  if (!draft.info) {
    // The parser has reported host statements outside of tests.
    for (std::string_view host : {"launch", "check", "save"})
      if (clause.op.text == host) return std::nullopt;
    for (const ast::Expr &operand : clause.operands)
      if (!isLiteralOperand(operand)) lowerExpr(operand); // report unknown names in the operands too
    return std::nullopt;
  }
  std::vector<const ast::Attr *> layouts;
  bool ok = gatherOperands(clause, draft);
  ok &= takeFlags(clause, draft);
  ok &= gatherAttrs(clause, draft, layouts);
  if (!ok) return std::nullopt;
  accumulatorLast(clause, draft);
  if (!matchSignature(clause, draft) || !dimsFollow(clause, draft)) return std::nullopt;
  if (draft.info->clause == Clause::Literal && !(clause.literal && literalAttr(*clause.literal, draft.written, draft)))
    return std::nullopt;
  linesAsMatrices(draft);
  Op *op = emitDraft(draft, layouts);
  if (!op) return std::nullopt;
  std::vector<Value *> results;
  for (size_t i = 0; i < op->resultCount(); ++i) results.push_back(op->result(i));
  return results;
}

// --- operands --------------------------------------------------------------------------------------------------------

bool KernelLowering::lowerOperand(const ast::Expr &expr, size_t index, const ast::OpClause &clause, OpDraft &draft) {
  const auto &specs = draft.info->operands;
  OperandClass wanted = specs.size() ? specs[std::min(index, specs.size() - 1)].type : OperandClass::Any;
  bool wantsIndex = wanted == OperandClass::Index || wanted == OperandClass::Offsets;
  Type like;
  if (isLiteralOperand(expr) && !wantsIndex) {
    // Offsets, counts and lanes do not take their type from other operands.
    bool own = wanted == OperandClass::AnyInt && !draft.info->elementwise;
    // A literal takes the single type of the signature, or the type of another operand.
    if (!own && clause.signature && draft.info->signature == Signature::Same && !clause.signature->left.empty())
      like = typeForLiterals(clause.signature->left[0]);
    // … or where it has types for all operands, the one for this. Indices of operands count as operands here, but not there.
    if (!like && clause.signature && clause.signature->left.size() == clause.operands.size() &&
        index < clause.signature->left.size() && clause.signature->hasArrow)
      like = typeForLiterals(clause.signature->left[index]);
    auto isCondition = [&](const ast::Expr &other) {
      auto at = static_cast<size_t>(&other - clause.operands.data());
      return wanted != OperandClass::Bool && at < specs.size() && specs[at].type == OperandClass::Bool;
    };
    for (const ast::Expr &other : clause.operands)
      if (!like && !own && !isLiteralOperand(other) && !isCondition(other))
        if (Value *value = lowerExpr(other.is(ast::Expr::Kind::Index) ? other.children[0] : other)) like = value->type();
    if (like && (wanted == OperandClass::Scalar || wanted == OperandClass::Vector || like.isMemRef() || like.isTile()))
      like = context_.scalar(like.elem());
  }
  if (wantsIndex) like = context_.index();
  if (expr.is(ast::Expr::Kind::Values)) { // %x:2
    bool ok = true;
    if (!names_.find(str(expr.text, "#0"))) { // report the unknown name itself, once
      ast::Expr whole = expr;
      whole.kind = ast::Expr::Kind::Value;
      lowerValue(whole);
      draft.operands.push_back(nullptr);
      draft.operandRanges.push_back(expr.range);
      return false;
    }
    for (int64_t i = 0; i < expr.integer; ++i) {
      ast::Expr one = expr;
      one.kind = ast::Expr::Kind::Value;
      one.text = str(expr.text, "#", i);
      if (!names_.find(one.text)) { // report only the first missing value
        diagnostics().report(DiagCode::ResultCount, expr.range,
                             str("`%", expr.text, "` stands for ", i, " values, not ", expr.integer));
        return false;
      }
      Value *value = lowerValue(one);
      ok &= value != nullptr;
      draft.operands.push_back(value);
      draft.operandRanges.push_back(expr.range);
    }
    return ok;
  }
  Value *value = lowerExpr(expr, like);
  draft.operands.push_back(value);
  draft.operandRanges.push_back(expr.range);
  return value != nullptr;
}

bool KernelLowering::gatherOperands(const ast::OpClause &clause, OpDraft &draft) {
  bool ok = true;
  for (const ast::Expr &operand : clause.operands) {
    // `%v[%i, %j]`: the base, then its indices.
    bool indexed = operand.is(ast::Expr::Kind::Index);
    ok &= lowerOperand(indexed ? operand.children[0] : operand, draft.operands.size(), clause, draft);
    for (size_t k = 1; indexed && k < operand.children.size(); ++k)
      ok &= lowerOperand(operand.children[k], draft.operands.size(), clause, draft);
  }
  if (clause.offsets)
    for (const ast::Expr &offset : clause.offsets->children) ok &= lowerOperand(offset, draft.operands.size(), clause, draft);
  if (clause.offsets && clause.shapeList && clause.strides) {
    for (const auto *list : {&*clause.shapeList, &*clause.strides})
      for (const ast::Expr &item : list->children) ok &= lowerOperand(item, draft.operands.size(), clause, draft);
    ok = ok && explicitViewFits(clause, draft);
  } else if (clause.shapeList || clause.strides) {
    bool both = clause.operands.size() > 1; // an offset without brackets
    diagnostics().report(DiagCode::ExplicitShape, (clause.shapeList ? *clause.shapeList : *clause.strides).range,
                         both ? "a scatter tile cannot have an explicit shape or strides: it uses those of its base"
                              : "an explicit shape needs explicit strides, and the reverse: `[shape], [strides]`");
    ok = false;
  }
  // `store_tile %tile, %value`: swap the operands, which their types distinguish.
  if (ok && draft.info->kind == OpKind::StoreTile && draft.operands.size() == 2 && draft.operands[0]->type().isTile() &&
      draft.operands[1]->type().isVector()) {
    std::swap(draft.operands[0], draft.operands[1]);
    std::swap(draft.operandRanges[0], draft.operandRanges[1]);
  }
  return ok;
}

// A scatter tile whose offsets are a vector of N elements has shape 1xN. Reshapes the vectors of N elements among its masks,
// values and deltas to 1xN as well.
void KernelLowering::linesAsMatrices(OpDraft &draft) {
  bool makes = draft.info->typeRule == TypeRule::InitTile, scatter = makes;
  for (const Value *operand : draft.operands) scatter |= operand->type().isTile() && operand->type().data().scatter;
  if (!scatter) return;
  for (size_t i = makes ? 1 : 0; i < draft.operands.size(); ++i) {
    Type line = draft.operands[i]->type();
    if (!line.isVector() || line.rank() != 1) continue;
    Type matrix = context_.vector({1, line.extent(0)}, line.elem());
    draft.operands[i] =
        emit(OpKind::Reshape, {draft.operands[i]}, {draft.operandRanges[i]}, draft.operandRanges[i], {}, matrix);
  }
  if (draft.written && draft.written.isVector() && draft.written.rank() == 1)
    draft.written = context_.vector({1, draft.written.extent(0)}, draft.written.elem());
}

// Checks that the lists have one item per dimension, and that a literal stride agrees with the tile's order. False has been
// reported.
bool KernelLowering::explicitViewFits(const ast::OpClause &clause, const OpDraft &draft) {
  Type base = draft.operands[0]->type();
  if (!base.isMemRef() && !base.isAddress()) return true; // the type rule reports it
  int rank = base.isMemRef() ? base.rank() : 2; // an address is the base of a matrix
  for (const ast::Expr *list : {&*clause.offsets, &*clause.shapeList, &*clause.strides})
    if (itemCount(*list) != static_cast<size_t>(rank)) {
      diagnostics().report(DiagCode::OffsetCount, list->range,
                           str("this list has ", itemCount(*list), itemCount(*list) == 1 ? " item" : " items",
                               " for a base of ", rank, rank == 1 ? " dimension" : " dimensions"));
      return false;
    }
  if (!clause.signature || clause.signature->right.size() != 1) return true;
  Type tile = writtenType(clause.signature->right[0]);
  if (!tile || !tile.isTile() || rank < 2) return static_cast<bool>(tile);
  bool columnMajor = tile.data().order == Order::ColumnMajor;
  size_t fromLast = columnMajor ? 2 : 1;
  if (clause.strides->children.size() < fromLast) return true; // %s:2
  const ast::Expr &innermost = *(clause.strides->children.end() - static_cast<ptrdiff_t>(fromLast));
  if (!isLiteral(innermost)) return true;
  std::optional<int64_t> stride = params_.evalInt(innermost, "a stride");
  if (!stride || *stride == 1) return stride.has_value();
  // With an extent of 1 the stride is not used.
  if (clause.shapeList->children.size() == clause.strides->children.size()) {
    const ast::Expr &extent = *(clause.shapeList->children.end() - static_cast<ptrdiff_t>(fromLast));
    if (isLiteral(extent) && params_.evalInt(extent, "an extent") == 1) return true;
  }
  diagnostics()
      .report(DiagCode::OrderMismatch, innermost.range,
              str("the tile is ", columnMajor ? "column" : "row", "-major, so this stride must be 1, not ", *stride))
      .at(clause.signature->right[0].range, columnMajor ? "order = [0, 1]" : "order = [1, 0], the default");
  return false;
}

// --- layouts and emission --------------------------------------------------------------------------------------------

bool KernelLowering::applyLayouts(const std::vector<const ast::Attr *> &layouts, OpDraft &draft, std::vector<Type> &results) {
  if (layouts.empty()) return true;
  bool hasResult = results.size() == 1 && (results[0].isVector() || results[0].isTile());
  std::vector<size_t> operands; // operands that have layouts
  for (size_t i = 0; i < draft.operands.size(); ++i) {
    Type type = draft.operands[i]->type();
    if (type.isVector() || type.isTile()) operands.push_back(i);
  }
  auto operandLayout = [&](const ast::Attr &attr, size_t i) {
    const Layout *layout = types_.layoutFor(attr, draft.operands[i]->type().shape());
    if (layout) draft.layouts.push_back({nullptr, i, layout, {attr.range}});
    return layout != nullptr;
  };
  auto resultLayout = [&](const ast::Attr &attr) {
    const Layout *layout = types_.layoutFor(attr, results[0].shape());
    if (!layout) return false;
    if (results[0].layout() && results[0].layout() != layout) {
      diagnostics()
          .report(DiagCode::LayoutAttribute, attr.range, "this layout disagrees with the one that the signature gives")
          .withLabel(layout->text())
          .at(draft.writtenRange, results[0].layout()->text());
      return false;
    }
    results[0] = context_.withLayout(results[0], layout);
    draft.declared.push_back({attr.range});
    return true;
  };
  if (layouts.size() == 1 && hasResult) return resultLayout(*layouts[0]);
  if (layouts.size() == 1 && !operands.empty()) return operandLayout(*layouts[0], operands.back());
  if (layouts.size() == 3 && draft.info->kind == OpKind::TileMma)
    return operandLayout(*layouts[0], 0) && operandLayout(*layouts[1], 1) && resultLayout(*layouts[2]);
  if (layouts.size() == 2 && hasResult && !operands.empty()) return layoutPair(layouts, operands[0], results[0], draft);
  diagnostics().report(DiagCode::LayoutAttribute, layouts.back()->range,
                       str("`", draft.info->name, "` takes ", hasResult ? "one layout (its result's)" : "no layout",
                           ", two (operand and result)", draft.info->kind == OpKind::TileMma ? " or three (a, b, result)" : "",
                           ", not ", layouts.size()));
  return false;
}

// Layout inference decides which of the two layouts is the operand's; here each is resolved for both positions.
bool KernelLowering::layoutPair(const std::vector<const ast::Attr *> &layouts, size_t operand, Type result, OpDraft &draft) {
  LayoutPair pair{nullptr, operand, {}, {}, {layouts[0]->range, layouts[1]->range}};
  Diagnostics scratch;
  ParamScope quiet(params_, scratch);
  TypeResolver resolver(context_, quiet);
  for (size_t k = 0; k < 2; ++k) {
    pair.asOperand[k] = resolver.layoutFor(*layouts[k], draft.operands[operand]->type().shape());
    pair.asResult[k] = resolver.layoutFor(*layouts[k], result.shape());
  }
  if ((pair.asOperand[0] && pair.asResult[1]) || (pair.asOperand[1] && pair.asResult[0])) {
    draft.pair = pair;
    return true;
  }
  // Neither assignment is valid: report the errors of the usual one.
  size_t from = draft.info->layoutRule == LayoutRule::Convert ? 1 : 0;
  if (types_.layoutFor(*layouts[from], draft.operands[operand]->type().shape()))
    types_.layoutFor(*layouts[1 - from], result.shape());
  return false;
}

Op *KernelLowering::emitDraft(OpDraft &draft, const std::vector<const ast::Attr *> &layouts) {
  std::vector<Type> operandTypes, results;
  for (Value *operand : draft.operands) operandTypes.push_back(operand->type());
  if (!closeResult(draft, operandTypes)) return nullptr;
  TypeRuleInput input{context_,      *draft.info,        operandTypes, draft.operandRanges, draft.attrs,
                      draft.written, draft.writtenRange, draft.range,  diagnostics(),       lanes_};
  if (!inferTypes(input, results)) return nullptr;
  if (!applyLayouts(layouts, draft, results)) return nullptr;
  builder_.setRange(draft.range);
  Op *op = builder_.create(draft.info->kind, draft.operands, results);
  op->setOperandRanges(draft.operandRanges);
  if (!calls_.empty()) written_.calls[op] = calls_.front().call;
  for (Attr &attr : draft.attrs)
    if (!draft.info->restates(attr.name)) op->setAttr(attr.name, std::move(attr.value), attr.range);
  for (OperandLayout &layout : draft.layouts) {
    layout.op = op;
    written_.operands.push_back(layout);
  }
  if (op->resultCount() == 1)
    for (const WrittenLayout &place : draft.declared) written_.declared.push_back({op->result(), place});
  if (draft.pair) {
    draft.pair->op = op;
    written_.pairs.push_back(*draft.pair);
  }
  return op;
}

} // namespace xt
