#include "lang/lower/slice_forms.h"

#include "ir/base/check.h"
#include "ir/base/extents.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "lang/lower/composite_clause.h"
#include "lang/lower/replaced_ops.h"
#include "lang/lower/scope_checks.h"

#include <algorithm>

namespace xt {
namespace {

using Dims = std::span<const size_t>;

// Replaces one slice. Along one dimension, a part of a vector is a number of neighbouring rows of a matrix if no dimension
// stands before it, else of columns: its rows are then the elements before the dimension, its columns those in it and behind
// it. A part that is smaller in several dimensions is cut in one after another.
class SliceForm {
public:
  SliceForm(KernelState &state, Op &slice) : state_(state), slice_(slice), ops_(state, slice.range()) {
    bool extracts = slice.kind() == OpKind::ExtractStridedSlice;
    offsets_ = extracts ? ExtractStridedSliceOp(slice).offsets() : InsertStridedSliceOp(slice).offsets();
    part_ = shapeOf(extracts ? slice.result()->type() : slice.operand(0)->type());
  }

  Value *emit() {
    bool extracts = slice_.kind() == OpKind::ExtractStridedSlice;
    std::vector<size_t> dims = smallerDims(slice_.operand(extracts ? 0 : 1)->type());
    Value *value = extracts ? cut(slice_.operand(0), dims) : put(slice_.operand(0), slice_.operand(1), dims);
    XT_CHECK(value, "the types of the slice have been checked");
    return value;
  }

private:
  // The dimensions in which the part is smaller; the first one if it is as large as the whole and only changes the layout.
  std::vector<size_t> smallerDims(Type whole) const {
    std::vector<size_t> dims;
    for (size_t d = 0; d < part_.size(); ++d)
      if (part_[d] != whole.shape()[d]) dims.push_back(d);
    if (dims.empty()) dims.push_back(0);
    return dims;
  }

  // For a dimension of a vector the shape of the matrix, in which `d` has this extent.
  static std::vector<int64_t> matrixShape(std::span<const int64_t> shape, size_t d, int64_t extent) {
    int64_t before = productOf(shape.first(d)), behind = productOf(shape.subspan(d + 1));
    return before == 1 ? std::vector<int64_t>{extent, behind} : std::vector<int64_t>{before, extent * behind};
  }

  // Where the part begins in the matrix.
  Attr offsetIn(std::span<const int64_t> shape, size_t d) const {
    int64_t before = productOf(shape.first(d)), behind = productOf(shape.subspan(d + 1));
    std::vector<int64_t> at =
        before == 1 ? std::vector<int64_t>{offsets_[d], 0} : std::vector<int64_t>{0, offsets_[d] * behind};
    return {"offsets", std::move(at), slice_.range()};
  }

  Value *cut(Value *vector, Dims dims) {
    for (size_t d : dims) {
      std::vector<int64_t> shape = shapeOf(vector->type());
      Type part = state_.context.vector(matrixShape(shape, d, part_[d]), vector->type().elem());
      Value *cut = ops_.op(OpKind::ExtractStridedSlice, {matrixOf(vector, d)}, {offsetIn(shape, d)}, part);
      shape[d] = part_[d];
      vector = ops_.reshape(cut, std::move(shape));
    }
    return vector;
  }

  Value *put(Value *part, Value *whole, Dims dims) {
    size_t d = dims.front();
    if (dims.size() > 1) part = put(part, cut(whole, dims.first(1)), dims.subspan(1));
    Value *rows = matrixOf(part, d), *matrix = matrixOf(whole, d);
    matrix = ops_.op(OpKind::InsertStridedSlice, {rows, matrix}, {offsetIn(whole->type().shape(), d)});
    return ops_.reshape(matrix, shapeOf(whole->type()));
  }

  // The vector as a matrix. The first op that takes an operand of the slice takes what is written for it.
  Value *matrixOf(Value *vector, size_t d) {
    std::span<const int64_t> shape = vector->type().shape();
    Type matrix = state_.context.vector(matrixShape(shape, d, shape[d]), vector->type().elem());
    size_t operand = 0;
    while (operand < slice_.operandCount() && slice_.operand(operand) != vector) ++operand;
    SourceRange range = operand < slice_.operandCount() ? slice_.operandRange(operand) : slice_.range();
    Value *made = emitOp(state_, OpKind::Reshape, {vector}, {range}, slice_.range(), {}, matrix);
    for (OperandLayout &written : state_.written.operands)
      if (written.op == &slice_ && written.operand == operand) written.op = made->definingOp(), written.operand = 0;
    return made;
  }

  KernelState &state_;
  Op &slice_;
  CompositeOps ops_;
  std::vector<int64_t> offsets_, part_; // where the part begins, and its shape
};

} // namespace

void expandSlices(KernelState &state) {
  if (!hasLayouts(*state.kernel, state.written) || state.kernel->forms.has(Form::SubgroupTiles)) return;
  std::vector<Op *> slices;
  walk(state.kernel->body, [&](Op &op) {
    bool slice = op.kind() == OpKind::ExtractStridedSlice || op.kind() == OpKind::InsertStridedSlice;
    // Which of two layouts in braces is the operand's is known for the op itself only.
    bool paired = std::ranges::find(state.written.pairs, &op, &LayoutPair::op) != state.written.pairs.end();
    int rank = slice ? op.result()->type().rank() : 2;
    if (rank != 0 && rank != 2 && !paired) slices.push_back(&op);
  });
  ReplacedOps replaced(state);
  for (Op *op : slices) {
    auto call = state.written.calls.find(op);
    state.expandedCall = call == state.written.calls.end() ? std::nullopt : std::optional(call->second);
    state.builder.setBefore(op);
    replaced.replace(*op, SliceForm(state, *op).emit(), op->result()->type().layout());
  }
  state.expandedCall.reset();
  if (slices.empty()) return;
  replaced.forget();
  replaced.erase();
}

} // namespace xt
