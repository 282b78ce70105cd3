#include "lang/lower/scalar_atomics.h"

#include "ir/base/text.h"
#include "ir/op_kinds.h"
#include "lang/lower/expr_lowering.h"
#include "lang/lower/op_lowering.h"
#include "lang/lower/scatter_offsets.h"

namespace xt {
namespace {

// The value as an element of the memref: a literal takes its type. Null if an error was reported.
Value *elementFor(const CompositeClause &clause, const ast::Expr &expr, Type memref) {
  KernelState &state = clause.state();
  Value *value = lowerExpr(state, expr, state.context.scalar(memref.elem()));
  if (!value || value->type().isScalar(memref.elem())) return value;
  clause.diagnostics().report(DiagCode::TypeMismatch, expr.range,
                              str("cannot update ", shapedText(memref), " with ", shapedText(value->type())));
  return nullptr;
}

// The attributes of the clause that the op on tiles has too; nullopt if an error was reported.
std::optional<std::vector<Attr>> sharedAttrs(const CompositeClause &clause) {
  std::vector<Attr> attrs;
  for (const char *key : {"order", "scope"}) {
    if (!clause.has(key)) continue;
    std::optional<std::string> word = clause.word(key);
    if (!word) return std::nullopt;
    attrs.push_back({key, *word, clause.rangeOf(key)});
  }
  return attrs;
}

// Emits the update of one element, by an op that takes `values` as vectors of one element. Returns null if an error was reported.
Value *updateElement(const CompositeClause &clause, const IndexedMemRef &target, OpKind kind,
                     const std::vector<Value *> &values, std::vector<Attr> attrs) {
  KernelState &state = clause.state();
  CompositeOps ops(clause);
  Elem elem = target.memref->type().elem();
  Type indices = state.context.vector({1, 1}, kIndexElem), element = state.context.vector({1, 1}, elem);
  // The draft of an init_tile of a scatter tile.
  OpDraft draft;
  draft.info = &opInfo(OpKind::InitTile);
  draft.range = clause.range();
  TypeData tile = state.context.tile({1, 1}, elem, nullptr, Order::RowMajor, target.memref->type().data().space).data();
  tile.scatter = true;
  draft.written = state.context.intern(std::move(tile));
  draft.operands = {target.memref};
  for (Value *index : target.indices) draft.operands.push_back(ops.op(OpKind::Splat, {index}, {}, indices));
  draft.operandRanges.assign(draft.operands.size(), target.range);
  if (!flattenScatter(state, draft)) return nullptr;
  std::vector<Value *> operands;
  for (Value *value : values) operands.push_back(ops.op(OpKind::Splat, {value}, {}, element));
  operands.push_back(ops.op(OpKind::InitTile, draft.operands, {}, draft.written));
  Value *old = ops.op(kind, std::move(operands), std::move(attrs));
  return ops.op(OpKind::Extract, {old, ops.index(0), ops.index(0)});
}

} // namespace

std::optional<std::vector<Value *>> lowerScalarAtomic(const CompositeClause &clause) {
  if (!clause.takesOperands(2, 2)) return std::nullopt;
  const ast::OpClause &parts = clause.clause();
  if (!parts.kind) {
    clause.diagnostics()
        .report(DiagCode::AttributeValue, clause.range(), str(clause.name(), " needs a kind"))
        .note("for example `memref.atomic_rmw <addi> %x, %counts[%i]`");
    return std::nullopt;
  }
  // In the clause of an op with a kind, the indices behind the last operand are parsed as a list of dimensions.
  ast::Expr place = parts.operands[1];
  if (parts.dims && !place.is(ast::Expr::Kind::Index)) {
    place.kind = ast::Expr::Kind::Index;
    place.range = place.range.to(parts.dims->range);
    place.children = parts.dims->children;
    place.children.insert(place.children.begin(), parts.operands[1]);
  }
  std::optional<IndexedMemRef> target = clause.indexedMemRef(place);
  if (!target) return std::nullopt;
  Value *value = elementFor(clause, parts.operands[0], target->memref->type());
  if (!value || !clause.signatureAgrees({value, target->memref})) return std::nullopt;
  std::optional<std::vector<Attr>> attrs = sharedAttrs(clause);
  if (!attrs) return std::nullopt;
  attrs->push_back({"kind", parts.kind->text, parts.kind->range});
  Value *result = updateElement(clause, *target, OpKind::AtomicRmw, {value}, std::move(*attrs));
  if (!result || !clause.resultsAgree({result})) return std::nullopt;
  return std::vector{result};
}

std::optional<std::vector<Value *>> lowerScalarCompareAndSwap(const CompositeClause &clause) {
  if (!clause.takesOperands(3, 3)) return std::nullopt;
  const ast::OpClause &parts = clause.clause();
  std::optional<IndexedMemRef> target = clause.indexedMemRef(parts.operands[2]);
  if (!target) return std::nullopt;
  Value *expected = elementFor(clause, parts.operands[0], target->memref->type());
  Value *value = expected ? elementFor(clause, parts.operands[1], target->memref->type()) : nullptr;
  if (!value || !clause.signatureAgrees({expected, value, target->memref})) return std::nullopt;
  std::optional<std::vector<Attr>> attrs = sharedAttrs(clause);
  if (!attrs) return std::nullopt;
  Value *result = updateElement(clause, *target, OpKind::AtomicCas, {expected, value}, std::move(*attrs));
  if (!result || !clause.resultsAgree({result})) return std::nullopt;
  return std::vector{result};
}

} // namespace xt
