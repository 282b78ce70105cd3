#include "lang/lower/simt.h"

#include "ir/base/text.h"
#include "ir/layout/distributed_shape.h"
#include "ir/op_kinds.h"

#include <algorithm>

namespace xt {
namespace {

// Lowers the only operand; null if an error was reported.
Value *onlyOperand(const CompositeClause &clause) {
  return clause.takesOperands(1, 1) ? clause.vector(clause.clause().operands[0], "the operand") : nullptr;
}

// The operand with another type: a reshape to its own shape, in which every element keeps its owner.
Value *retyped(const CompositeClause &clause, Value *value, Type type) {
  Builder &builder = clause.state().builder;
  builder.setRange(clause.range());
  Value *result = builder.value(OpKind::Reshape, {value}, type);
  return result;
}

bool sameElement(const CompositeClause &clause, Type from, Type to) {
  if (from.elem() == to.elem()) return true;
  clause.diagnostics().report(
      DiagCode::TypeMismatch, clause.range(),
      str(clause.name(), " keeps the element type, but ", shapedText(from), " becomes ", shapedText(to)));
  return false;
}

} // namespace

std::optional<std::vector<Value *>> lowerToSimt(const CompositeClause &clause) {
  Value *value = onlyOperand(clause);
  Type written = value ? clause.vectorType() : Type();
  if (!written || !clause.signatureAgrees({value}) || !sameElement(clause, value->type(), written)) return std::nullopt;
  KernelState &state = clause.state();
  if (!value->type().isPlain()) {
    clause.diagnostics().report(DiagCode::OperandType, clause.range(),
                                str("the operand is ", shapedText(value->type()), " in each lane already"));
    return std::nullopt;
  }
  TypeData data = state.context.withLayout(value->type(), nullptr).data();
  data.fragment.assign(written.shape().begin(), written.shape().end());
  Value *result = retyped(clause, value, state.context.intern(std::move(data)));
  state.fragments.push_back({result, {written.shape().begin(), written.shape().end()}, clause.range()});
  return std::vector{result};
}

std::optional<std::vector<Value *>> lowerToSimd(const CompositeClause &clause) {
  Value *value = onlyOperand(clause);
  Type written = value ? clause.vectorType() : Type();
  if (!written || !clause.signatureAgrees({value}) || !sameElement(clause, value->type(), written)) return std::nullopt;
  Type type = value->type();
  if (type.data().fragment.empty()) {
    clause.diagnostics()
        .report(DiagCode::OperandType, clause.range(), str("the operand ", shapedText(type), " is no fragment of a lane"))
        .note("`to_simd` puts together what `to_simt` took apart");
    return std::nullopt;
  }
  if (!std::ranges::equal(type.shape(), written.shape())) {
    clause.diagnostics().report(
        DiagCode::ShapeMismatch, clause.range(),
        str("the fragments are those of a vector of shape ", shapeText(type.shape()), ", not ", shapeText(written.shape())));
    return std::nullopt;
  }
  Value *result = retyped(clause, value, clause.state().context.withLayout(clause.state().context.plain(type), nullptr));
  setWrittenLayout(clause.state(), clause.clause(), result, written);
  return std::vector{result};
}

namespace {

// Whether `written` is `collapsed`, or lists batches, outer tiles and elements whose products are `collapsed`.
bool spells(const std::vector<int64_t> &written, const std::vector<int64_t> &collapsed) {
  if (written == collapsed) return true;
  size_t rank = collapsed.size();
  if (written.size() != 3 * rank) return false;
  for (size_t d = 0; d < rank; ++d)
    if (written[d] * written[rank + d] * written[2 * rank + d] != collapsed[d]) return false;
  return true;
}

} // namespace

bool fragmentsFit(const KernelState &state) {
  bool ok = true;
  for (const WrittenFragment &fragment : state.fragments) {
    Type type = fragment.value->type();
    const Layout *layout = type.layout();
    if (!layout) {
      state.diagnostics()
          .report(DiagCode::FragmentShape, fragment.range, "this vector has no layout, which would say what each lane holds")
          .note("give it one with `to_layout`");
      ok = false;
      continue;
    }
    if (layout->axisSize(Axis::Lane) == 1) {
      state.diagnostics()
          .report(DiagCode::FragmentShape, fragment.range,
                  "the layout of this vector has no lanes: it says what each subgroup holds")
          .withLabel(layout->text())
          .note("give it a layout with lanes with `to_layout`");
      ok = false;
      continue;
    }
    std::vector<int64_t> collapsed = collapsedShape(*layout);
    if (spells(fragment.shape, collapsed)) continue;
    state.diagnostics()
        .report(DiagCode::FragmentShape, fragment.range,
                str("each lane holds ", shapeText(collapsed), " elements of ", shapedText(type), ", not ",
                    shapeText(fragment.shape)))
        .withLabel(layout->text());
    ok = false;
  }
  return ok;
}

} // namespace xt
