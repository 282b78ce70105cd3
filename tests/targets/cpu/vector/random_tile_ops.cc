#include "tests/targets/cpu/vector/random_tile_ops.h"

#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"

namespace xt {

void RandomTileOps::load() {
  Value *tile = tileOf(random_.pick(matrices_), shape());
  if (random_.chance(30)) tile = m_.move(tile, index(), index());
  Value *x = random_.chance(20)   ? m_.loadTransposed(tile)
             : random_.chance(30) ? m_.load(tile, static_cast<double>(random_.between(0, 1)))
                                  : m_.load(tile);
  vectors_.push_back(x);
}

void RandomTileOps::store() {
  Value *x = matrixVector();
  if (size_t slot = slotOf(x->type().elem()); slot < elems_.size()) m_.store(x, tileOf(matrices_[slot], shapeOf(x)));
}

void RandomTileOps::reduction() {
  Value *x = matrixVector();
  Elem elem = x->type().elem();
  const std::vector<const char *> ints{"add", "mul", "minsi", "minui", "maxsi", "maxui", "and", "or", "xor"};
  const std::vector<const char *> floats{"minnumf", "maxnumf", "minimumf", "maximumf"};
  int d = static_cast<int>(random_.between(0, 1));
  int64_t extent = x->type().extent(d), size = 0;
  if (random_.chance(50))
    for (size = random_.between(1, extent); extent % size != 0;) --size;
  vectors_.push_back(m_.reduce(random_.pick(isFloat(elem) ? floats : ints), x, d, size));
}

void RandomTileOps::broadcast() {
  Value *x = matrixVector();
  int d = static_cast<int>(random_.between(0, 1));
  int64_t extent = x->type().extent(d), times = random_.between(1, 20);
  if (x->type().elementCount() * times > kMostElements) return;
  vectors_.push_back(extent == 1 && random_.chance(70) ? m_.broadcast(x, d, times) : m_.broadcast(x, d, extent * times, times));
}

void RandomTileOps::reshape() {
  Value *x = vector();
  int64_t count = x->type().elementCount(), rows = random_.between(1, count);
  while (count % rows != 0) --rows;
  if (random_.chance(30))
    vectors_.push_back(m_.reshape(x, {count}));
  else if (random_.chance(50) && rows % 2 == 0)
    vectors_.push_back(m_.reshape(x, {rows / 2, 2, count / rows}));
  else
    vectors_.push_back(m_.reshape(x, {rows, count / rows}));
}

std::vector<Value *> RandomTileOps::place(Value *x) {
  std::vector<Value *> at;
  for (int d = 0; d < x->type().rank(); ++d)
    at.push_back(random_.chance(20) ? any(scalars_) : m_.index(random_.between(0, x->type().extent(d) - 1)));
  return at;
}

void RandomTileOps::extract() {
  Value *x = vector();
  std::vector<Value *> at;
  for (int d = 0; d < x->type().rank(); ++d) at.push_back(m_.index(random_.between(0, x->type().extent(d) - 1)));
  Value *y = vector();
  Value *element = m_.extract(x, at);
  vectors_.push_back(m_.splat(element, shapeOf(y)));
  if (element->type().isIndex()) scalars_.push_back(element);
}

void RandomTileOps::insert() {
  Value *x = vector();
  vectors_.push_back(
      m_.insert(m_.extract(x, std::vector<Value *>(static_cast<size_t>(x->type().rank()), m_.index(0))), x, place(x)));
}

void RandomTileOps::generate() {
  std::vector<int64_t> wanted = shape();
  if (random_.chance(50)) {
    vectors_.push_back(m_.mask({index(), index()}, wanted));
    return;
  }
  vectors_.push_back(m_.iota(m_.context.vector(wanted, random_.pick(elems_)), static_cast<int>(random_.between(0, 1))));
}

void RandomTileOps::pointwise() {
  Value *x = vector(), *y = nullptr;
  for (int i = 0; i < 20 && !y; ++i)
    if (Value *other = vector(); other->type() == x->type()) y = other;
  Elem elem = x->type().elem();
  if (!y) y = isFloat(elem) ? m_.b.constantFloat(x->type(), 1) : m_.b.constantInt(x->type(), 1);
  switch (random_.between(0, 3)) {
  case 0: vectors_.push_back(m_.b.value(OpKind::Select, {maskLike(x), x, y}, x->type())); return;
  case 1: vectors_.push_back(m_.b.value(OpKind::ConvertLayout, {x}, x->type())); return;
  case 2: vectors_.push_back(isFloat(elem) ? m_.binary(OpKind::MinimumF, x, y) : m_.binary(OpKind::XorI, x, y)); return;
  default: vectors_.push_back(m_.binary(isFloat(elem) ? OpKind::AddF : OpKind::AddI, x, y)); return;
  }
}

void RandomTileOps::gather() {
  Value *tile = scatterTile(static_cast<size_t>(random_.between(0, static_cast<int64_t>(elems_.size()) - 1)));
  Value *x = m_.gather(tile, maskLike(tile));
  if (random_.chance(30)) {
    Elem elem = tile->type().elem();
    x->definingOp()->setAttr("padding", isFloat(elem) ? AttrValue(1.0) : AttrValue(int64_t{1}));
  }
  vectors_.push_back(x);
}

void RandomTileOps::scatter() {
  Value *tile = scatterTile(static_cast<size_t>(random_.between(0, static_cast<int64_t>(elems_.size()) - 1)));
  m_.scatter(valueLike(valueType(tile)), maskLike(tile), tile);
}

void RandomTileOps::atomic() {
  auto slot = static_cast<size_t>(random_.between(0, static_cast<int64_t>(elems_.size()) - 1));
  Value *tile = random_.chance(50) ? scatterTile(slot) : tileOf(matrices_[slot], shape());
  const std::vector<const char *> ints{"addi", "add",  "assign", "muli", "mul", "maxs", "maxu", "mins",
                                       "minu", "andi", "and",    "ori",  "or",  "xori", "xor"};
  const std::vector<const char *> floats{"addf", "add", "assign", "mulf", "mul", "maximumf", "maxnumf", "minimumf", "minnumf"};
  const char *kind = random_.pick(isFloat(tile->type().elem()) ? floats : ints);
  Value *before = m_.atomic(kind, valueLike(valueType(tile)), tile);
  if (random_.chance(70)) vectors_.push_back(before);
}

void RandomTileOps::element() {
  auto slot = static_cast<size_t>(random_.between(0, static_cast<int64_t>(elems_.size()) - 1));
  Value *memref = matrices_[slot].memref;
  std::vector<Value *> from, to;
  for (int d = 0; d < memref->type().rank(); ++d) from.push_back(index()), to.push_back(index());
  if (memref->type().data().memory == MemoryLayout() && memref->type().rank() == 2 && random_.chance(60)) {
    memref = m_.b.value(OpKind::Cast, {memref}, m_.context.memref({1, kDynamic, 1, kDynamic}, elems_[slot]));
    from = {m_.index(0), index(), m_.index(random_.between(0, 1)), index()};
    to = {m_.index(0), index(), m_.index(0), index()};
  }
  Value *x = m_.loadElement(memref, from);
  m_.storeElement(x, memref, to);
  if (elems_[slot] == Elem::Index) scalars_.push_back(x);
}

} // namespace xt
