#include "lang/lower/op_lowering.h"

#include "ir/base/depth.h"
#include "ir/elem_kinds.h"
#include "ir/infer/type_rules.h"
#include "ir/op_kinds.h"
#include "lang/lower/cast_calls.h"
#include "lang/lower/checked_types.h"
#include "lang/lower/composites.h"
#include "lang/lower/expr_lowering.h"
#include "lang/lower/matrix_forms.h"
#include "lang/lower/mlir_forms.h"
#include "lang/lower/op_attributes.h"
#include "lang/lower/op_choice.h"
#include "lang/lower/op_layouts.h"
#include "lang/lower/op_operands.h"
#include "lang/lower/op_signature.h"
#include "lang/lower/scatter_offsets.h"

namespace xt {
namespace {

// A product of two different floats of 4 and 8 bits, or of two of 4 bits, becomes one of f16, which holds all numbers of these
// types. Returns false if an error was reported.
bool widenByteFloats(KernelState &state, OpDraft &draft) {
  if (draft.info->kind != OpKind::TileMma || draft.operands.size() < 2) return true;
  if (!draft.operands[0] || !draft.operands[1]) return true; // reported
  Type a = draft.operands[0]->type(), b = draft.operands[1]->type();
  if (!a.isVector() || !b.isVector() || !isByteFloat(a.elem()) || !isByteFloat(b.elem())) return true;
  if (a.elem() == b.elem() && !isStorageFloat(a.elem())) return true; // targets have products of this type
  for (size_t i : {0, 1})
    if (!(draft.operands[i] = castTo(state, draft.operands[i], Elem::F16,
                                     i < draft.operandRanges.size() ? draft.operandRanges[i] : draft.range)))
      return false;
  return true;
}

// Reports the unknown names in an operand of an unknown op, and no more: nothing says what the op takes.
void reportUnknownNames(KernelState &state, const ast::Expr &operand) {
  DepthGuard guard(state.depth);
  if (guard.exceeds(kMaxExpressionDepth)) return;
  if (operand.is(ast::Expr::Kind::Value)) lowerValue(state, operand);
  for (const ast::Expr &child : operand.children) reportUnknownNames(state, child);
}

// A layout that is written for an operand whose shape other ops have changed since (stretch() in mlir_forms.cc) belongs to the
// operand of the first of them.
void moveLayoutsBefore(KernelState &state, OpDraft &draft) {
  std::erase_if(draft.layouts, [&](OperandLayout &written) {
    const Value *value = draft.operands[written.operand];
    auto fits = [&] { return std::ranges::equal(value->type().shape(), written.layout->shape()); };
    const Op *first = nullptr;
    while (!fits() && value->definingOp() && value->definingOp()->operandCount()) {
      first = value->definingOp();
      value = first->operand(0);
    }
    if (!first || !fits()) return false;
    state.written.operands.push_back({first, 0, written.layout, written.place});
    return true;
  });
}

} // namespace

Op *emitDraft(KernelState &state, OpDraft &draft) {
  std::vector<Type> operandTypes, results;
  if (!fragmentsAllowed(state, draft) || !widenByteFloats(state, draft)) return nullptr;
  for (size_t i = 0; i < draft.operands.size(); ++i) operandTypes.push_back(checkedType(state, draft, i));
  if (!closeResult(state, draft, operandTypes)) return nullptr;
  TypeRuleInput input{state.context,      *draft.info, operandTypes,        draft.operandRanges, draft.attrs, draft.written,
                      draft.writtenRange, draft.range, state.diagnostics(), state.lanes,         true};
  if (!inferTypes(input, results) || !ranksAllowed(state, draft, results) || !lanesHoldMatrices(state, draft, results))
    return nullptr;
  moveLayoutsBefore(state, draft);
  if (needsMatrixForm(draft)) return emitMatrixForm(state, draft, results[0]);
  if (!applyLayouts(state, draft, results)) return nullptr;
  state.builder.setRange(draft.range);
  Op *op = state.builder.create(draft.info->kind, draft.operands, results);
  op->setOperandRanges(draft.operandRanges);
  if (!state.calls.empty())
    state.written.calls[op] = state.calls.front().call;
  else if (state.expandedCall)
    state.written.calls[op] = *state.expandedCall;
  for (Attr &attr : draft.attrs)
    if (!draft.info->restates(attr.name)) op->setAttr(attr.name, std::move(attr.value), attr.range);
  for (OperandLayout &layout : draft.layouts) {
    layout.op = op;
    state.written.operands.push_back(layout);
  }
  if (op->resultCount() == 1)
    for (const WrittenLayout &place : draft.declared) state.written.declared.push_back({op->result(), place});
  if (draft.pair) {
    draft.pair->op = op;
    state.written.pairs.push_back(*draft.pair);
  }
  return op;
}

std::optional<std::vector<Value *>> lowerOp(KernelState &state, const ast::OpClause &clause, SourceRange range) {
  OpDraft draft;
  draft.info = chooseRow(state, clause);
  // The statement's range includes its results; the op's range starts at its name.
  draft.range = {range.file, clause.op.range.begin, range.end};
  draft.nameRange = clause.op.range;
  if (!draft.info) {
    // The parser has reported host statements outside of tests.
    for (std::string_view host : {"launch", "check", "save"})
      if (clause.op.text == host) return std::nullopt;
    for (const ast::Expr &operand : clause.operands) reportUnknownNames(state, operand);
    return std::nullopt;
  }
  if (draft.info->composite != Composite::None) return lowerComposite(state, clause, *draft.info, draft.range);
  bool ok = gatherOperands(state, clause, draft);
  ok &= takeFlags(state, clause, draft);
  ok &= gatherAttributes(state, clause, draft);
  if (!ok) return std::nullopt;
  accumulatorLast(state, clause, draft);
  if (!matchSignature(state, clause, draft) || !dimsFollow(state, clause, draft)) return std::nullopt;
  if (draft.info->clause == Clause::Literal && !(clause.literal && takeLiteral(state, *clause.literal, draft)))
    return std::nullopt;
  if (!flattenScatter(state, draft)) return std::nullopt;
  linesAsMatrices(state, draft);
  if (!stretchMask(state, draft)) return std::nullopt;
  Op *op = emitDraft(state, draft);
  if (!op) return std::nullopt;
  std::vector<Value *> results;
  for (size_t i = 0; i < op->resultCount(); ++i) results.push_back(op->result(i));
  return results;
}

Value *emitOp(KernelState &state, OpKind kind, std::vector<Value *> operands, std::vector<SourceRange> ranges,
              SourceRange range, std::vector<Attr> attrs, Type written) {
  OpDraft draft;
  draft.info = &opInfo(kind);
  draft.operands = std::move(operands);
  draft.operandRanges = std::move(ranges);
  draft.range = draft.writtenRange = range;
  draft.attrs = std::move(attrs);
  draft.written = written;
  Op *op = emitDraft(state, draft);
  return op && op->resultCount() ? op->result() : nullptr;
}

} // namespace xt
