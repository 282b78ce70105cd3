#include "lang/lower/slices.h"

#include "ir/base/extents.h"
#include "ir/base/text.h"
#include "ir/op_kinds.h"

#include <algorithm>

namespace xt {
namespace {

// Each tile of a slice is an op of its own, and targets take time for each of them that grows with the size of the slice.
constexpr int64_t kMostTiles = 256, kMostTilesOfKernel = 4096;

} // namespace

Slice::Slice(KernelState &state, SourceRange range, std::string what, Value *memref, std::vector<int64_t> extents,
             size_t tileDims)
    : state_(state), range_(range), what_(std::move(what)), ops_(state, range), memref_(memref),
      addedDimension_(memref->type().rank() == 1), tileDims_(tileDims), extents_(std::move(extents)) {
  if (!addedDimension_) return;
  memref_ = ops_.asOneRow(memref);
  extents_.insert(extents_.begin(), 1);
}

std::vector<int64_t> Slice::leading() const {
  std::vector<int64_t> out = extents_;
  std::fill(out.end() - static_cast<ptrdiff_t>(tileDims_), out.end(), 1);
  return out;
}

std::vector<int64_t> Slice::tileShape() const {
  return {tileDims_ < 2 ? 1 : extents_[extents_.size() - 2], tileDims_ < 1 ? 1 : extents_.back()};
}

bool Slice::countTiles() const {
  int64_t tiles = productOf(leading());
  if (tiles == 1) return true;
  auto report = [&](std::string message) -> Diagnostic & {
    return state_.diagnostics().report(DiagCode::NotSupported, range_, std::move(message));
  };
  if (tiles > kMostTiles) {
    report(str(what_, " would access ", tiles, " tiles of ", shapeText(tileShape()), "; it may access ", kMostTiles))
        .note("put it into a loop over the leading dimensions");
    return false;
  }
  int64_t before = state_.sliceTiles;
  state_.sliceTiles += tiles;
  if (before + tiles <= kMostTilesOfKernel) return true;
  state_.poisoned = true;
  if (before <= kMostTilesOfKernel) // the error is reported once
    report(str("the slices of this kernel have more than ", kMostTilesOfKernel, " tiles, with each call of a function counted"))
        .note("put slices into loops over their leading dimensions");
  return false;
}

Value *Slice::tileAt(const std::vector<int64_t> &position, const IndicesOf &indicesOf) {
  std::vector<Value *> operands, indices;
  std::vector<int64_t> inMemRef(position.begin() + addedDimension_, position.end());
  if (!memref_ || !indicesOf(inMemRef, indices)) return nullptr;
  if (addedDimension_) indices.insert(indices.begin(), ops_.index(0));
  operands.push_back(memref_);
  operands.insert(operands.end(), indices.begin(), indices.end());
  StorageOrders orders = storageOrders(memref_->type());
  Order order = orders.columnMajor && !orders.rowMajor ? Order::ColumnMajor : Order::RowMajor;
  return ops_.op(OpKind::InitTile, std::move(operands), {},
                 state_.context.tile(tileShape(), memref_->type().elem(), layout_, order));
}

Value *Slice::partOf(Value *whole, const std::vector<int64_t> &position) {
  std::vector<int64_t> part = tileShape();
  part.insert(part.begin(), extents_.size() - 2, 1);
  return ops_.reshape(ops_.slice(whole, position, part), tileShape());
}

Value *Slice::assembled(const std::function<Value *(const std::vector<int64_t> &position)> &valueAt) {
  std::vector<int64_t> outer = leading(), part = tileShape();
  if (productOf(outer) == 1) return ops_.reshape(valueAt(std::vector<int64_t>(outer.size(), 0)), extents_);
  part.insert(part.begin(), extents_.size() - 2, 1);
  Value *whole = ops_.zeros(extents_, memref_->type().elem());
  eachPosition(outer, [&](const std::vector<int64_t> &position) {
    whole = ops_.insert(ops_.reshape(valueAt(position), part), whole, position);
    return whole != nullptr;
  });
  return whole;
}

Value *Slice::load(const IndicesOf &indicesOf, const std::vector<Attr> &padding, Value *mask) {
  if (!countTiles()) return nullptr;
  return assembled([&](const std::vector<int64_t> &position) {
    std::vector<Value *> operands = {tileAt(position, indicesOf)};
    if (mask) operands.push_back(partOf(mask, position));
    return ops_.op(OpKind::LoadTile, std::move(operands), padding);
  });
}

bool Slice::store(Value *value, const IndicesOf &indicesOf, Value *mask) {
  if (!countTiles()) return false;
  size_t errors = state_.diagnostics().errorCount();
  return eachPosition(leading(), [&](const std::vector<int64_t> &position) {
    Value *tile = tileAt(position, indicesOf);
    std::vector<Value *> operands = {partOf(value, position), tile};
    if (mask) operands.push_back(partOf(mask, position));
    ops_.op(OpKind::StoreTile, std::move(operands));
    return state_.diagnostics().errorCount() == errors;
  });
}

Value *Slice::update(OpKind atomic, const std::vector<Value *> &values, const IndicesOf &indicesOf,
                     const std::vector<Attr> &attrs, Value *mask) {
  if (!countTiles()) return nullptr;
  return assembled([&](const std::vector<int64_t> &position) {
    std::vector<Value *> operands;
    for (Value *value : values) operands.push_back(partOf(value, position));
    operands.push_back(tileAt(position, indicesOf));
    if (mask) operands.push_back(partOf(mask, position));
    return ops_.op(atomic, std::move(operands), attrs);
  });
}

bool Slice::prefetch(const IndicesOf &indicesOf, const std::vector<Attr> &locality) {
  if (!countTiles()) return false;
  size_t errors = state_.diagnostics().errorCount();
  return eachPosition(leading(), [&](const std::vector<int64_t> &position) {
    ops_.op(OpKind::PrefetchTile, {tileAt(position, indicesOf)}, locality);
    return state_.diagnostics().errorCount() == errors;
  });
}

} // namespace xt
