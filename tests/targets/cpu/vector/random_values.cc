#include "tests/targets/cpu/vector/random_values.h"

#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"

namespace xt {

constexpr int64_t kRows = 30, kColumns = 75, kLine = 500;

RandomValues::RandomValues(uint64_t seed) : random_(seed) {
  while (elems_.size() < 4)
    if (auto elem = static_cast<Elem>(random_.between(0, kElemCount - 1)); !isStorageFloat(elem)) elems_.push_back(elem);
  elems_.push_back(Elem::Index);
  elems_.push_back(Elem::I1);
  for (Elem elem : elems_) addArrays(elem);
}

Value *RandomValues::add(std::unique_ptr<Array> array, Type type) {
  random_.fill(*array, true);
  arrays_.push_back(std::move(array));
  return m_.param(type);
}

void RandomValues::addArrays(Elem elem) {
  bool columnMajor = random_.chance(30);
  std::vector<int64_t> sizes{kRows, kColumns};
  for (int64_t n = random_.chance(20) ? random_.between(1, 2) : 0; n > 0; --n) sizes.insert(sizes.begin(), 2);
  std::vector<int64_t> shape(sizes.size(), kDynamic);
  int64_t pad = random_.chance(30) ? random_.between(0, 5) : 0;
  MemoryLayout memory;
  if (pad || columnMajor) {
    memory.kind = MemoryLayout::Kind::Strided;
    memory.strides.assign(sizes.size(), kDynamic);
    if (random_.chance(70)) memory.strides[sizes.size() - (columnMajor ? 2 : 1)] = 1;
  }
  Matrix matrix;
  matrix.memref =
      add(std::make_unique<Array>(elem, sizes, pad, columnMajor), m_.context.memref(shape, elem, MemorySpace::Global, memory));
  matrix.order = columnMajor ? Order::ColumnMajor : Order::RowMajor;
  for (size_t d = 0; d + 2 < sizes.size(); ++d) matrix.leading.push_back(m_.index(random_.between(0, 1)));
  matrices_.push_back(matrix);
  int64_t step = random_.between(1, 2);
  MemoryLayout apart;
  if (step > 1) apart.kind = MemoryLayout::Kind::Strided, apart.strides = {random_.chance(50) ? step : kDynamic};
  lines_.push_back(add(std::make_unique<Array>(elem, std::vector<int64_t>{kLine}, 0, false, step),
                       m_.context.memref({kDynamic}, elem, MemorySpace::Global, apart)));
}

Value *RandomValues::tileOf(const Matrix &matrix, std::vector<int64_t> wanted) {
  std::vector<Value *> offsets = matrix.leading;
  offsets.insert(offsets.end(), {offset(), offset()});
  return m_.tile(matrix.memref, offsets, std::move(wanted), matrix.order);
}

Value *RandomValues::matrixVector() {
  Value *x = vector();
  if (x->type().rank() == 2) return x;
  return m_.reshape(x, {x->type().elementCount(), 1});
}

Value *RandomValues::valueLike(Type type) {
  for (int i = 0; i < 10; ++i)
    if (Value *x = vector(); x->type() == type) return x;
  return m_.iota(type, 1);
}

Value *RandomValues::maskLike(Value *x) {
  std::vector<Value *> extents;
  for (int d = 0; d < x->type().rank(); ++d) extents.push_back(m_.index(random_.between(-1, x->type().extent(d) + 1)));
  return m_.mask(extents, shapeOf(x));
}

Value *RandomValues::offsets() {
  Type type = m_.context.vector(shape(), Elem::Index);
  if (slotOf(Elem::Index) < elems_.size() && random_.chance(30)) {
    Value *x = matrixVector();
    if (x->type().elem() == Elem::Index) return x;
  }
  Value *along = m_.iota(type, 1), *down = m_.iota(type, 0);
  Value *pitch = m_.splat(m_.index(random_.between(-3, 40)), shapeOf(along));
  Value *start = m_.splat(m_.index(random_.between(-20, 60)), shapeOf(along));
  return m_.binary(OpKind::AddI, m_.binary(OpKind::AddI, m_.binary(OpKind::MulI, down, pitch), along), start);
}

Value *RandomValues::scatterTile(size_t slot) {
  Value *tile = m_.scatterTile(lines_[slot], offsets());
  if (random_.chance(30)) {
    Value *delta = random_.chance(50) ? index() : m_.iota(m_.context.vector(shapeOf(tile), Elem::Index), 0);
    tile = m_.b.value(OpKind::UpdateTileOffset, {tile, delta}, tile->type());
  }
  return tile;
}

size_t RandomValues::slotOf(Elem elem) const {
  size_t i = 0;
  while (i < elems_.size() && elems_[i] != elem) ++i;
  return i;
}

std::vector<int64_t> RandomValues::shape() {
  switch (random_.between(0, 5)) {
  case 0: return {1, random_.between(1, 100)};
  case 1: return {random_.between(1, 100), 1};
  case 2: return {1, 1};
  default: return {random_.between(1, 16), random_.between(1, 70)};
  }
}

} // namespace xt
