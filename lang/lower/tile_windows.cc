#include "lang/lower/tile_windows.h"

#include "ir/base/extents.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "lang/lower/op_draft.h"
#include "lang/lower/scatter_offsets.h"

#include <algorithm>

namespace xt {

// Whether a tile of several windows has no layout: a part of a vector that subgroups share has no owners of its own.
bool WindowAccess::mayBeCut() {
  std::vector<int64_t> outer = shapeOf(tile_);
  outer.resize(outer.size() - std::min<size_t>(outer.size(), 2));
  if (!tile_.layout() || productOf(outer) == 1) return true;
  state_.diagnostics()
      .report(DiagCode::NotSupported, op_.range(), str("`", op_.info().name, "` of ", shapedText(tile_), " with a layout"))
      .note("a tile of more than two dimensions has no layout, unless its leading extents are 1: put it into a loop over them");
  return false;
}

Slice WindowAccess::slice() {
  std::vector<int64_t> extents(window_.offsets.size() - static_cast<size_t>(tile_.rank()), 1);
  extents.insert(extents.end(), tile_.shape().begin(), tile_.shape().end());
  Slice slice(state_, op_.range(), str("`", op_.info().name, "`"), window_.base, std::move(extents));
  // What is stored has to have the layout of the tile. That of a load is the layout of its value, which the load may state.
  if (tile_.layout() && op_.kind() != OpKind::LoadTile)
    slice.setLayout(reshaped(state_.context, tile_.layout(), slice.tileShape()));
  return slice;
}

Slice::IndicesOf WindowAccess::indices() {
  return [this](const std::vector<int64_t> &position, std::vector<Value *> &indices) {
    for (size_t d = 0; d < position.size(); ++d) indices.push_back(ops_.plus(window_.offsets[d], position[d]));
    return std::ranges::none_of(indices, [](const Value *index) { return index == nullptr; });
  };
}

Value *WindowAccess::load(const std::vector<Attr> &padding, Value *mask) {
  if (!mayBeCut()) return nullptr;
  Slice whole = slice();
  if (mask && !(mask = ops_.reshape(mask, whole.extents()))) return nullptr;
  return ops_.reshape(whole.load(indices(), padding, mask), shapeOf(tile_));
}

bool WindowAccess::store(Value *value, Value *mask) {
  if (!mayBeCut()) return false;
  Slice whole = slice();
  value = ops_.reshape(value, whole.extents());
  if (mask && !(mask = ops_.reshape(mask, whole.extents()))) return false;
  return value && whole.store(value, indices(), mask);
}

Value *WindowAccess::update(std::vector<Value *> values, Value *mask) {
  if (!mayBeCut()) return nullptr;
  Slice whole = slice();
  for (Value *&value : values)
    if (!(value = ops_.reshape(value, whole.extents()))) return nullptr;
  if (mask && !(mask = ops_.reshape(mask, whole.extents()))) return nullptr;
  return ops_.reshape(whole.update(op_.kind(), values, indices(), op_.attrs(), mask), shapeOf(tile_));
}

bool WindowAccess::prefetch(const std::vector<Attr> &locality) { return slice().prefetch(indices(), locality); }

// A scatter tile with the elements of the window_.
Value *WindowAccess::scatterTile() {
  OpDraft draft;
  draft.info = &opInfo(OpKind::InitTile);
  draft.range = draft.writtenRange = op_.range();
  draft.operands = {window_.base};
  draft.operands.insert(draft.operands.end(), window_.offsets.begin(), window_.offsets.end());
  draft.operandRanges.assign(draft.operands.size(), op_.range());
  for (int64_t d = 0; d < 2; ++d) {
    std::vector<int64_t> shape(2, 1);
    shape[static_cast<size_t>(d)] = tile_.extent(static_cast<int>(d));
    Type line = state_.context.vector(shape, kIndexElem);
    Value *&offset = draft.operands[draft.operands.size() - 2 + static_cast<size_t>(d)];
    Value *along = ops_.op(OpKind::Iota, {}, {{"dims", std::vector<int64_t>{d}, op_.range()}}, line);
    offset = ops_.op(OpKind::AddI, {along, ops_.op(OpKind::Splat, {offset}, {}, line)});
    if (!offset) return nullptr;
  }
  TypeData data;
  data.kind = TypeKind::Tile;
  data.shape = shapeOf(tile_);
  data.elem = tile_.elem();
  data.scatter = true;
  data.layout = tile_.layout();
  draft.written = state_.context.intern(std::move(data));
  return flattenScatter(state_, draft) ? ops_.op(OpKind::InitTile, draft.operands, {}, draft.written) : nullptr;
}

// A mask that excludes nothing.
Value *WindowAccess::everywhere() {
  state_.builder.setRange(op_.range());
  Type mask = state_.context.vector(shapeOf(tile_), Elem::I1);
  return ops_.op(OpKind::Splat, {state_.builder.constantInt(state_.context.scalar(Elem::I1), 1)}, {}, mask);
}

Value *WindowAccess::gather(const std::vector<Attr> &padding, Value *mask) {
  return ops_.op(OpKind::LoadGather, {scatterTile(), mask ? mask : everywhere()}, padding);
}

Value *WindowAccess::updateElements(std::vector<Value *> values, Value *mask) {
  values.push_back(scatterTile());
  if (mask) values.push_back(mask);
  return ops_.op(op_.kind(), std::move(values), op_.attrs());
}

bool WindowAccess::scatter(Value *value, Value *mask) {
  size_t errors = state_.diagnostics().errorCount();
  ops_.op(OpKind::StoreScatter, {value, mask ? mask : everywhere(), scatterTile()});
  return state_.diagnostics().errorCount() == errors;
}

} // namespace xt
