// Tests random kernels of the ops that move elements: vectors of many shapes and every type, through loops and branches.
#include "tests/targets/cpu/compare.h"

#include "ir/combine.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"

namespace xt {
namespace {

constexpr int kRounds = XT_FUZZ_ROUNDS / 20;

class RandomTileOps {
public:
  explicit RandomTileOps(uint64_t seed) : random_(seed) {
    for (int i = 0; i < 4; ++i) elems_.push_back(static_cast<Elem>(random_.between(0, kElemCount - 1)));
    elems_.push_back(Elem::Index);
    elems_.push_back(Elem::I1);
    for (Elem elem : elems_) addArrays(elem);
  }

  void run() {
    scalars_.push_back(m_.dim(matrices_[0].memref, 1));
    for (int i = 0; i < 3; ++i) load();
    emit(2, static_cast<int>(random_.between(3, 25)));
    for (int i = 0; i < 4; ++i) store();
    std::vector<LaunchArray> args;
    for (const auto &array : arrays_) args.push_back({array.get(), {}});
    expectAsInterpreter(m_, args, {}, {random_.pick(processors())});
  }

private:
  static constexpr int64_t kRows = 30, kColumns = 75, kLine = 500, kMostElements = 1200;

  struct Matrix {
    Value *memref;
    std::vector<Value *> leading;
    Order order;
  };
  Value *add(std::unique_ptr<Array> array, Type type) {
    random_.fill(*array, true);
    arrays_.push_back(std::move(array));
    return m_.param(type);
  }
  // Adds a matrix of any storage, of rank 2 to 4, and a line whose elements may have gaps.
  void addArrays(Elem elem) {
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
    matrix.memref = add(std::make_unique<Array>(elem, sizes, pad, columnMajor),
                        m_.context.memref(shape, elem, MemorySpace::Global, memory));
    matrix.order = columnMajor ? Order::ColumnMajor : Order::RowMajor;
    for (size_t d = 0; d + 2 < sizes.size(); ++d) matrix.leading.push_back(m_.index(random_.between(0, 1)));
    matrices_.push_back(matrix);
    int64_t step = random_.between(1, 2);
    MemoryLayout apart;
    if (step > 1) apart.kind = MemoryLayout::Kind::Strided, apart.strides = {random_.chance(50) ? step : kDynamic};
    lines_.push_back(add(std::make_unique<Array>(elem, std::vector<int64_t>{kLine}, 0, false, step),
                         m_.context.memref({kDynamic}, elem, MemorySpace::Global, apart)));
  }
  Value *tileOf(const Matrix &matrix, std::vector<int64_t> wanted) {
    std::vector<Value *> offsets = matrix.leading;
    offsets.insert(offsets.end(), {offset(), offset()});
    return m_.tile(matrix.memref, offsets, std::move(wanted), matrix.order);
  }

  // --- picking
  Value *any(const std::vector<Value *> &list) {
    return list[static_cast<size_t>(random_.between(0, static_cast<int64_t>(list.size()) - 1))];
  }
  Value *vector() { return any(vectors_); }
  Value *matrixVector() { // a vector of rank 2
    Value *x = vector();
    if (x->type().rank() == 2) return x;
    return m_.reshape(x, {x->type().elementCount(), 1});
  }
  Value *index() { return random_.chance(60) ? m_.index(random_.between(-2, 8)) : any(scalars_); }
  Value *offset() { return m_.index(random_.between(-6, 30)); }
  size_t slotOf(Elem elem) const {
    size_t i = 0;
    while (i < elems_.size() && elems_[i] != elem) ++i;
    return i;
  }
  std::vector<int64_t> shape() {
    switch (random_.between(0, 5)) {
    case 0: return {1, random_.between(1, 100)};
    case 1: return {random_.between(1, 100), 1};
    case 2: return {1, 1};
    default: return {random_.between(1, 16), random_.between(1, 70)};
    }
  }
  static std::vector<int64_t> shapeOf(const Value *x) { return {x->type().shape().begin(), x->type().shape().end()}; }

  // --- ops
  void load() {
    Value *tile = tileOf(random_.pick(matrices_), shape());
    if (random_.chance(30)) tile = m_.move(tile, index(), index());
    Value *x = random_.chance(20)   ? m_.loadTransposed(tile)
               : random_.chance(30) ? m_.load(tile, static_cast<double>(random_.between(0, 1)))
                                    : m_.load(tile);
    vectors_.push_back(x);
  }
  void store() {
    Value *x = matrixVector();
    if (size_t slot = slotOf(x->type().elem()); slot < elems_.size()) m_.store(x, tileOf(matrices_[slot], shapeOf(x)));
  }
  // Sums and products of floats are not used, because they are exact in any order only for some values.
  void reduction() {
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
  void broadcast() {
    Value *x = matrixVector();
    int d = static_cast<int>(random_.between(0, 1));
    int64_t extent = x->type().extent(d), times = random_.between(1, 20);
    if (x->type().elementCount() * times > kMostElements) return;
    vectors_.push_back(extent == 1 && random_.chance(70) ? m_.broadcast(x, d, times)
                                                         : m_.broadcast(x, d, extent * times, times));
  }
  void reshape() {
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
  std::vector<Value *> place(Value *x) {
    std::vector<Value *> at;
    for (int d = 0; d < x->type().rank(); ++d)
      at.push_back(random_.chance(20) ? any(scalars_) : m_.index(random_.between(0, x->type().extent(d) - 1)));
    return at;
  }
  void extract() {
    Value *x = vector();
    std::vector<Value *> at;
    for (int d = 0; d < x->type().rank(); ++d) at.push_back(m_.index(random_.between(0, x->type().extent(d) - 1)));
    Value *y = vector();
    Value *element = m_.extract(x, at);
    vectors_.push_back(m_.splat(element, shapeOf(y)));
    if (element->type().isIndex()) scalars_.push_back(element);
  }
  void insert() {
    Value *x = vector();
    vectors_.push_back(
        m_.insert(m_.extract(x, std::vector<Value *>(static_cast<size_t>(x->type().rank()), m_.index(0))), x, place(x)));
  }
  void generate() {
    std::vector<int64_t> wanted = shape();
    if (random_.chance(50)) {
      vectors_.push_back(m_.mask({index(), index()}, wanted));
      return;
    }
    vectors_.push_back(m_.iota(m_.context.vector(wanted, random_.pick(elems_)), static_cast<int>(random_.between(0, 1))));
  }
  Value *maskLike(Value *x) {
    std::vector<Value *> extents;
    for (int d = 0; d < x->type().rank(); ++d) extents.push_back(m_.index(random_.between(-1, x->type().extent(d) + 1)));
    return m_.mask(extents, shapeOf(x));
  }
  void pointwise() {
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

  // --- scatter tiles, atomics, single elements
  Value *offsets() {
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
  Value *scatterTile(size_t slot) {
    Value *tile = m_.scatterTile(lines_[slot], offsets());
    if (random_.chance(30)) {
      Value *delta = random_.chance(50) ? index() : m_.iota(m_.context.vector(shapeOf(tile), Elem::Index), 0);
      tile = m_.b.value(OpKind::UpdateTileOffset, {tile, delta}, tile->type());
    }
    return tile;
  }
  void gather() {
    Value *tile = scatterTile(static_cast<size_t>(random_.between(0, static_cast<int64_t>(elems_.size()) - 1)));
    Value *x = m_.gather(tile, maskLike(tile));
    if (random_.chance(30)) {
      Elem elem = tile->type().elem();
      x->definingOp()->setAttr("padding", isFloat(elem) ? AttrValue(1.0) : AttrValue(int64_t{1}));
    }
    vectors_.push_back(x);
  }
  // Returns a vector of this type: an existing one if ten random choices find one, otherwise an iota.
  Value *valueLike(Type type) {
    for (int i = 0; i < 10; ++i)
      if (Value *x = vector(); x->type() == type) return x;
    Value *x = m_.iota(type, 1);
    return x;
  }
  Type valueType(Value *tile) { return m_.context.vector(shapeOf(tile), tile->type().elem()); }
  void scatter() {
    Value *tile = scatterTile(static_cast<size_t>(random_.between(0, static_cast<int64_t>(elems_.size()) - 1)));
    m_.scatter(valueLike(valueType(tile)), maskLike(tile), tile);
  }
  void atomic() {
    auto slot = static_cast<size_t>(random_.between(0, static_cast<int64_t>(elems_.size()) - 1));
    Value *tile = random_.chance(50) ? scatterTile(slot) : tileOf(matrices_[slot], shape());
    const std::vector<const char *> ints{"addi", "add",  "assign", "muli", "mul", "maxs", "maxu", "mins",
                                         "minu", "andi", "and",    "ori",  "or",  "xori", "xor"};
    const std::vector<const char *> floats{"addf",     "add",     "assign",   "mulf",   "mul",
                                           "maximumf", "maxnumf", "minimumf", "minnumf"};
    const char *kind = random_.pick(isFloat(tile->type().elem()) ? floats : ints);
    Value *before = m_.atomic(kind, valueLike(valueType(tile)), tile);
    if (random_.chance(70)) vectors_.push_back(before);
  }
  void element() {
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
  void print() { m_.print("x", {vector(), any(scalars_)}); }

  // --- structure
  template <class F> auto inRegion(F emitRegion) {
    auto vectors = vectors_, scalars = scalars_;
    auto result = emitRegion();
    vectors_ = vectors;
    scalars_ = scalars;
    return result;
  }
  std::vector<Value *> pickCarried() {
    std::vector<Value *> values;
    for (int64_t n = random_.between(1, 4); n > 0; --n) values.push_back(vector());
    if (random_.chance(30)) values.push_back(scatterTile(0));
    return values;
  }
  void publish(const std::vector<Value *> &values) {
    for (Value *value : values)
      if (value->type().isVector())
        vectors_.push_back(value);
      else
        vectors_.push_back(m_.gather(value, maskLike(value)));
  }
  Value *yielded(Value *like, const std::vector<Value *> &carried) {
    for (Value *other : carried)
      if (other->type() == like->type() && random_.chance(40)) return other;
    if (like->type().isTile()) {
      if (!carried.empty() || random_.chance(50))
        return m_.b.value(OpKind::UpdateTileOffset, {like, m_.index(random_.between(-1, 3))}, like->type());
      return like;
    }
    // Yields a value that is evaluated at its uses instead of one that has a buffer.
    if (like->type().rank() == 2 && random_.chance(40)) {
      Value *x = matrixVector();
      for (int d = 0; d < 2; ++d)
        if (x->type().elem() == like->type().elem() && x->type().extent(d) == 1 &&
            x->type().extent(1 - d) == like->type().extent(1 - d))
          return m_.broadcast(x, d, like->type().extent(d));
      if (random_.chance(50)) return m_.iota(like->type(), static_cast<int>(random_.between(0, 1)));
    }
    for (int i = 0; i < 10; ++i)
      if (Value *x = vector(); x->type() == like->type()) return x;
    return like;
  }
  std::vector<Value *> yieldedAll(const std::vector<Value *> &like, const std::vector<Value *> &carried) {
    std::vector<Value *> values;
    for (Value *value : like) values.push_back(yielded(value, carried));
    return values;
  }
  std::vector<Value *> body(int depth, const std::vector<Value *> &carried) {
    return inRegion([&] {
      for (Value *value : carried)
        if (value->type().isVector()) vectors_.push_back(value);
      emit(depth - 1, static_cast<int>(random_.between(0, 6)));
      return yieldedAll(carried, carried);
    });
  }
  void loop(int depth) {
    std::vector<Value *> inits = pickCarried();
    publish(m_.loop(m_.index(0), m_.index(random_.between(-1, 4)), m_.index(random_.between(1, 2)), inits,
                    [&](Value *, std::vector<Value *> carried) { return body(depth, carried); }));
  }
  void whileLoop(int depth) {
    std::vector<Value *> inits = pickCarried();
    Value *limit = m_.index(random_.between(0, 4)), *zero = m_.index(0);
    inits.push_back(zero);
    std::vector<Value *> results = m_.whileLoop(m_.compare("slt", zero, limit), inits, [&](std::vector<Value *> carried) {
      Value *count = m_.binary(OpKind::AddI, carried.back(), m_.index(1));
      carried.pop_back();
      std::vector<Value *> values = body(depth, carried);
      values.push_back(count);
      values.insert(values.begin(), m_.compare("slt", count, limit));
      return values;
    });
    results.pop_back();
    publish(results);
  }
  void branch(int depth) {
    std::vector<Value *> like = pickCarried();
    auto side = [&] {
      return inRegion([&] {
        emit(depth - 1, static_cast<int>(random_.between(0, 5)));
        return yieldedAll(like, {});
      });
    };
    Value *condition = m_.compare("slt", any(scalars_), m_.index(random_.between(-2, 60)));
    publish(m_.branch(condition, side, [&] { return random_.chance(40) ? like : side(); }));
  }

  void emit(int depth, int ops) {
    for (int n = 0; n < ops; ++n) {
      switch (random_.between(0, depth > 0 ? 24 : 20)) {
      case 0:
      case 1: load(); break;
      case 2:
      case 3: store(); break;
      case 4:
      case 5: reduction(); break;
      case 6:
      case 7: broadcast(); break;
      case 8: vectors_.push_back(m_.transpose(matrixVector())); break;
      case 9: reshape(); break;
      case 10: extract(); break;
      case 11: insert(); break;
      case 12: generate(); break;
      case 13:
      case 14:
      case 15: pointwise(); break;
      case 16: gather(); break;
      case 17: scatter(); break;
      case 18: atomic(); break;
      case 19: element(); break;
      case 20: print(); break;
      case 21:
      case 22: loop(depth); break;
      case 23: whileLoop(depth); break;
      default: branch(depth);
      }
    }
  }

  RandomNumbers random_;
  KernelMaker m_;
  std::vector<Elem> elems_;
  std::vector<std::unique_ptr<Array>> arrays_;
  std::vector<Matrix> matrices_;
  std::vector<Value *> lines_, vectors_, scalars_;
};

TEST(CpuRandomTileOps, AsInterpreter) {
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(str("round ", round));
    RandomTileOps(static_cast<uint64_t>(round)).run();
    if (::testing::Test::HasFailure()) return;
  }
}

} // namespace
} // namespace xt
