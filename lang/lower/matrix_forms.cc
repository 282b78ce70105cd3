#include "lang/lower/matrix_forms.h"

#include "ir/base/extents.h"
#include "ir/op_kinds.h"
#include "ir/views/names.h"
#include "lang/lower/op_lowering.h"

#include <algorithm>

namespace xt {
namespace {

const Attr *attributeOf(const OpDraft &draft, std::string_view name) {
  auto found = std::ranges::find(draft.attrs, name, &Attr::name);
  return found == draft.attrs.end() ? nullptr : &*found;
}

class MatrixForm {
public:
  MatrixForm(KernelState &state, OpDraft &draft, Type result)
      : state_(state), draft_(draft), result_(result), ops_(state, draft.range) {
    std::span<const int64_t> shape = draft.operands[0]->type().shape();
    dim_ = static_cast<size_t>(std::get<std::vector<int64_t>>(attributeOf(draft, attr_names::kDims)->value)[0]);
    outer_ = productOf(shape.first(dim_));
    extent_ = shape[dim_];
    inner_ = productOf(shape.subspan(dim_ + 1));
    resultExtent_ = result.extent(static_cast<int>(dim_));
  }

  Op *emit() {
    Value *value = draft_.info->kind == OpKind::Scan ? scan() : resize();
    if (!value) return nullptr;
    return reshape(value, draft_.range, result_, {}, std::move(draft_.layoutAttrs), std::move(draft_.declared));
  }

private:
  // The first op, which takes the layout that is written for the operand.
  Value *operandAs(std::vector<int64_t> shape) {
    Value *operand = draft_.operands[0];
    SourceRange range = draft_.operandRanges.empty() ? draft_.range : draft_.operandRanges[0];
    Type matrix = state_.context.vector(std::move(shape), operand->type().elem());
    Op *op = reshape(operand, range, matrix, std::move(draft_.layouts), {}, {});
    return op ? op->result() : nullptr;
  }

  Op *reshape(Value *value, SourceRange range, Type to, std::vector<OperandLayout> layouts,
              std::vector<const ast::Attr *> layoutAttrs, std::vector<WrittenLayout> declared) {
    OpDraft draft;
    draft.info = &opInfo(OpKind::Reshape);
    draft.range = draft_.range;
    draft.writtenRange = draft_.writtenRange;
    draft.operands = {value};
    draft.operandRanges = {range};
    draft.written = to;
    draft.layouts = std::move(layouts);
    draft.layoutAttrs = std::move(layoutAttrs);
    draft.declared = std::move(declared);
    return emitDraft(state_, draft);
  }

  // The op on a matrix, along one of its dimensions.
  Value *along(int64_t dim, Value *matrix, std::optional<int64_t> size, Type written) {
    bool reduces = draft_.info->kind == OpKind::Reduction;
    std::vector<Attr> attrs;
    for (const Attr &attr : draft_.attrs)
      if (attr.name != attr_names::kDims && attr.name != attr_names::kReductionSize && attr.name != attr_names::kBroadcastSize)
        attrs.push_back(attr);
    attrs.push_back({attr_names::kDims, std::vector<int64_t>{dim}, draft_.range});
    if (size) attrs.push_back({reduces ? attr_names::kReductionSize : attr_names::kBroadcastSize, *size, draft_.range});
    return ops_.op(draft_.info->kind, {matrix}, std::move(attrs), written);
  }

  // A reduction or a broadcast. In a matrix of outer_ * extent_ rows, a group of neighbouring rows becomes one row, or each row
  // becomes several. Where the dimension is all rows or all columns of the matrix, the op states no size, as in the source.
  Value *resize() {
    const Attr *size = attributeOf(draft_, attr_names::kReductionSize);
    if (!size) size = attributeOf(draft_, attr_names::kBroadcastSize);
    bool last = inner_ == 1, whole = !size && (last || outer_ == 1);
    int64_t ratio = std::max(extent_, resultExtent_) / std::min(extent_, resultExtent_);
    if (ratio == 1 && draft_.info->kind == OpKind::Broadcast) return operandAs(shapeOf(result_));
    Value *matrix = operandAs(last ? std::vector<int64_t>{outer_, extent_} : std::vector<int64_t>{outer_ * extent_, inner_});
    if (!matrix) return nullptr;
    std::vector<int64_t> shape =
        last ? std::vector<int64_t>{outer_, resultExtent_} : std::vector<int64_t>{outer_ * resultExtent_, inner_};
    return along(last ? 1 : 0, matrix, whole ? std::nullopt : std::optional(ratio),
                 state_.context.vector(std::move(shape), result_.elem()));
  }

  Value *scan() {
    MatrixView view(ops_, draft_.operands[0]->type().shape(), dim_);
    return view.foldedOf(along(view.dim(), view.matrixOfFolded(operandAs(view.folded())), {}, {}));
  }

  KernelState &state_;
  OpDraft &draft_;
  Type result_;
  CompositeOps ops_;
  size_t dim_ = 0;
  // The numbers of elements in the dimensions before the one that the op works along, in it, and behind it.
  int64_t outer_ = 1, extent_ = 1, inner_ = 1;
  int64_t resultExtent_ = 1;
};

// Exchanges the last two dimensions of three.
const std::vector<int64_t> kExchange = {0, 2, 1};

} // namespace

MatrixView::MatrixView(CompositeOps &ops, std::span<const int64_t> shape, size_t dim)
    : ops_(ops), shape_(shape.begin(), shape.end()), dim_(dim), outer_(productOf(shape.first(dim))), extent_(shape[dim]),
      inner_(productOf(shape.subspan(dim + 1))), isFirst_(shape.size() == 2 ? dim == 0 : outer_ == 1 && inner_ != 1) {}

std::vector<int64_t> MatrixView::folded() const {
  if (turns()) return {outer_, extent_, inner_};
  return isFirst_ ? std::vector<int64_t>{extent_, inner_} : std::vector<int64_t>{outer_, extent_};
}

Value *MatrixView::matrixOfFolded(Value *folded) {
  return turns() ? ops_.reshape(ops_.transpose(folded, kExchange), {outer_ * inner_, extent_}) : folded;
}

Value *MatrixView::foldedOf(Value *matrix) {
  if (!matrix || !turns()) return matrix;
  return ops_.transpose(ops_.reshape(matrix, {outer_, inner_, matrix->type().extent(1)}), kExchange);
}

Value *MatrixView::vectorOf(Value *matrix) {
  if (!matrix) return nullptr;
  std::vector<int64_t> shape = shape_;
  shape[dim_] = matrix->type().extent(static_cast<int>(dim()));
  return ops_.reshape(foldedOf(matrix), std::move(shape));
}

bool needsMatrixForm(const OpDraft &draft) {
  OpKind kind = draft.info->kind;
  bool works = kind == OpKind::Reduction || kind == OpKind::Scan || kind == OpKind::Broadcast;
  return works && draft.operands[0]->type().rank() != 2;
}

Op *emitMatrixForm(KernelState &state, OpDraft &draft, Type result) { return MatrixForm(state, draft, result).emit(); }

} // namespace xt
