// Creates ops that access memory, for kernels of tests.
#pragma once
#include "ir/builder.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"

#include <string>
#include <utility>
#include <vector>

namespace xt {

// Memrefs of two dimensions, tiles of them, scatter tiles, atomics, single elements, and shared local memory.
class MemoryOps {
public:
  // Ops are created where `b` inserts them.
  explicit MemoryOps(Builder &b) : b_(b) {}

  Type matrix(Elem elem) { return b_.context().memref({kDynamic, kDynamic}, elem); }
  Type columnMajorMatrix(Elem elem) {
    MemoryLayout memory;
    memory.kind = MemoryLayout::Kind::Permuted;
    memory.permutation = {1, 0};
    return b_.context().memref({kDynamic, kDynamic}, elem, MemorySpace::Global, memory);
  }
  Value *slm(std::vector<int64_t> shape, Elem elem) {
    return b_.value(OpKind::AllocSlm, {}, b_.context().memref(std::move(shape), elem, MemorySpace::Slm));
  }
  Value *dim(Value *memref, int64_t d) { return b_.value(OpKind::Dim, {memref, b_.index(d)}, b_.context().index()); }

  Value *tile(Value *memref, std::vector<Value *> offsets, std::vector<int64_t> shape, Order order = Order::RowMajor) {
    offsets.insert(offsets.begin(), memref);
    return b_.value(OpKind::InitTile, std::move(offsets),
                    b_.context().tile(std::move(shape), memref->type().elem(), nullptr, order));
  }
  Value *load(Value *tile) {
    Type type = tile->type();
    return b_.value(OpKind::LoadTile, {tile}, b_.context().vector({type.shape().begin(), type.shape().end()}, type.elem()));
  }
  Value *load(Value *tile, double padding) {
    Value *value = load(tile);
    Elem elem = tile->type().elem();
    value->definingOp()->setAttr("padding", isFloat(elem) ? AttrValue(padding) : AttrValue(static_cast<int64_t>(padding)));
    return value;
  }
  Value *loadTransposed(Value *tile) {
    Type type = tile->type();
    Value *value = b_.value(OpKind::LoadTile, {tile}, b_.context().vector({type.extent(1), type.extent(0)}, type.elem()));
    value->definingOp()->setAttr("transpose", std::vector<int64_t>{1, 0});
    return value;
  }
  void store(Value *value, Value *tile) { b_.create(OpKind::StoreTile, {value, tile}, {}); }
  Value *move(Value *tile, Value *down, Value *right) {
    return b_.value(OpKind::UpdateTileOffset, {tile, down, right}, tile->type());
  }

  Value *scatterTile(Value *memref, Value *offsets) {
    TypeData data;
    data.kind = TypeKind::Tile;
    data.elem = memref->type().elem();
    data.shape.assign(offsets->type().shape().begin(), offsets->type().shape().end());
    data.scatter = true;
    data.space = memref->type().data().space;
    return b_.value(OpKind::InitTile, {memref, offsets}, b_.context().intern(std::move(data)));
  }
  Value *gather(Value *tile, Value *selected) { return b_.value(OpKind::LoadGather, {tile, selected}, vectorOf(tile->type())); }
  void scatter(Value *value, Value *selected, Value *tile) { b_.create(OpKind::StoreScatter, {value, selected, tile}, {}); }
  Value *atomic(const char *kind, Value *value, Value *tile) {
    Value *before = b_.value(OpKind::AtomicRmw, {value, tile}, vectorOf(tile->type()));
    before->definingOp()->setAttr("kind", std::string(kind));
    return before;
  }

  Value *loadElement(Value *memref, std::vector<Value *> at) {
    at.insert(at.begin(), memref);
    return b_.value(OpKind::Load, std::move(at), b_.context().scalar(memref->type().elem()));
  }
  void storeElement(Value *value, Value *memref, std::vector<Value *> at) {
    at.insert(at.begin(), {value, memref});
    b_.create(OpKind::Store, std::move(at), {});
  }

private:
  Type vectorOf(Type tile) { return b_.context().vector({tile.shape().begin(), tile.shape().end()}, tile.elem()); }
  Builder &b_;
};

} // namespace xt
