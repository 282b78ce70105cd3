#include "lang/lower/scatter_offsets.h"

#include "ir/base/text.h"
#include "ir/op_kinds.h"
#include "ir/outside_offset.h"
#include "lang/lower/alike_operands.h"
#include "lang/lower/memref_views.h"
#include "lang/lower/op_lowering.h"

namespace xt {
namespace {

class ScatterOffsets {
public:
  ScatterOffsets(KernelState &state, OpDraft &draft)
      : state_(state), draft_(draft), ops_(state, draft.range), numbers_(ops_), memref_(draft.operands[0]) {}

  bool flatten();

private:
  Value *stretched(size_t dim);
  Value *splat(Value *scalar) { return ops_.op(OpKind::Splat, {scalar}, {}, indices()); }
  Value *compare(std::string_view kind, Value *a, Value *b) {
    return ops_.op(OpKind::CmpI, {a, b}, {{"kind", std::string(kind), draft_.range}});
  }
  Type indices() const {
    return state_.context.vector({draft_.written.shape().begin(), draft_.written.shape().end()}, kIndexElem);
  }

  KernelState &state_;
  OpDraft &draft_;
  CompositeOps ops_;
  ViewNumbers numbers_;
  Value *memref_;
};

// The offsets of a dimension for all elements of the tile; null if an error was reported.
Value *ScatterOffsets::stretched(size_t dim) {
  Value *offset = draft_.operands[1 + dim];
  SourceRange range = draft_.operandRanges[1 + dim];
  if (!offset->type().isVector()) return splat(offset);
  if (stretchesTo(offset->type(), indices().shape())) return stretchTo(state_, offset, indices().shape(), range);
  state_.diagnostics()
      .report(DiagCode::ShapeMismatch, range,
              str("offsets of ", shapedText(offset->type()), " do not stretch to ", shapedText(draft_.written)))
      .note("each extent must be 1 or that of the tile");
  return nullptr;
}

bool ScatterOffsets::flatten() {
  auto rank = static_cast<size_t>(memref_->type().rank());
  Value *inside = nullptr, *flat = nullptr;
  for (size_t d = 0; d < rank; ++d) {
    Value *at = stretched(d);
    if (!at) return false;
    ViewNumber size = numbers_.size(memref_, d), stride = numbers_.stride(memref_, d);
    Value *here = compare("ult", at, splat(numbers_.value(size)));
    inside = inside ? ops_.op(OpKind::AndI, {inside, here}) : here;
    Value *part = stride.known == 1 ? at : ops_.op(OpKind::MulI, {at, splat(numbers_.value(stride))});
    flat = flat ? ops_.op(OpKind::AddI, {flat, part}) : part;
  }
  Value *outside = splat(ops_.index(kOutsideOffset));
  flat = ops_.op(OpKind::Select, {inside, flat, outside});
  Value *line = viewOf(state_, ops_, memref_, ViewNumbers::known(0), {numbers_.span(memref_)}, {ViewNumbers::known(1)});
  if (!flat || !line) return false;
  draft_.operands = {line, flat};
  draft_.operandRanges = {draft_.operandRanges[0], draft_.operandRanges[1]};
  return true;
}

} // namespace

bool flattenScatter(KernelState &state, OpDraft &draft) {
  if (draft.info->typeRule != TypeRule::InitTile || draft.operands.empty() || !draft.written || !draft.written.isTile())
    return true;
  Type base = draft.operands[0]->type();
  if (!base.isMemRef() || base.rank() < 2 || draft.operands.size() != 1 + static_cast<size_t>(base.rank())) return true;
  bool vectors = false;
  for (size_t i = 1; i < draft.operands.size(); ++i) vectors |= draft.operands[i]->type().isVector();
  if (!vectors || !draft.written.data().scatter) return true; // the type rule reports vectors without #scatter
  if (base.data().memory.swizzle) {
    state.diagnostics().report(DiagCode::NotSupported, draft.operandRanges[0],
                               "a scatter tile of a swizzled buffer: its elements have no strides");
    return false;
  }
  return ScatterOffsets(state, draft).flatten();
}

} // namespace xt
