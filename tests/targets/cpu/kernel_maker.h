// Builds kernels for tests, and arrays to launch them on.
#pragma once
#include "ir/builder.h"
#include "ir/elem_kinds.h"
#include "ir/launch.h"
#include "ir/op_kinds.h"

#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace xt {

// An array with `pad` extra elements between rows, elements `step` apart, and guard bytes around everything that are checked to
// be unchanged. It begins at an odd address or, if `onLine` is set, at a cache line.
class Array {
public:
  struct alignas(64) Line {
    std::array<unsigned char, 64> bytes;
    bool operator==(const Line &) const = default;
  };
  Array(Elem elem, std::vector<int64_t> sizes, int64_t pad = 0, bool columnMajor = false, int64_t step = 1, bool onLine = false)
      : elem_(elem), begin_(kGuard + (onLine ? 0 : 1)) {
    view_.elem = elem;
    view_.sizes = sizes;
    view_.strides.assign(sizes.size(), 1);
    std::vector<size_t> order(sizes.size());
    for (size_t d = 0; d < order.size(); ++d) order[d] = d;
    if (columnMajor) std::swap(order[order.size() - 1], order[order.size() - 2]);
    int64_t stride = step;
    for (size_t k = sizes.size(); k-- > 0;) {
      view_.strides[order[k]] = stride;
      stride = stride * sizes[order[k]] + (k + 1 == sizes.size() ? pad : 0);
    }
    count_ = static_cast<size_t>(stride);
    Line line;
    line.bytes.fill(kPattern);
    lines_.assign((count_ * width() + 2 * kGuard) / sizeof(Line) + 1, line);
    view_.data = lines_.data()->bytes.data() + begin_;
  }
  Array(const Array &other)
      : elem_(other.elem_), begin_(other.begin_), count_(other.count_), lines_(other.lines_), view_(other.view_) {
    view_.data = lines_.data()->bytes.data() + begin_;
  }
  Array &operator=(const Array &) = delete;

  LaunchArg arg() const {
    LaunchArg result;
    result.kind = LaunchArg::Kind::Buffer;
    result.buffer = view_;
    return result;
  }
  Elem elem() const { return elem_; }
  const BufferView &view() const { return view_; }
  void *at(std::vector<int64_t> index) const {
    int64_t offset = 0;
    for (size_t d = 0; d < index.size(); ++d) offset += index[d] * view_.strides[d];
    return static_cast<unsigned char *>(view_.data) + static_cast<size_t>(offset) * width();
  }
  double number(std::vector<int64_t> index) const {
    return isFloat(elem_) ? loadFloat(elem_, at(index)) : static_cast<double>(loadInteger(elem_, at(index)));
  }
  void set(std::vector<int64_t> index, double value) {
    if (isFloat(elem_))
      storeFloat(elem_, at(index), value);
    else
      storeInteger(elem_, at(index), static_cast<int64_t>(value));
  }
  // Calls f(index) for every element.
  template <class F> void forEach(F f) const {
    std::vector<int64_t> index(view_.sizes.size(), 0);
    for (int64_t extent : view_.sizes)
      if (extent == 0) return;
    for (;;) {
      f(index);
      size_t d = index.size();
      while (d-- > 0) {
        if (++index[d] < view_.sizes[d]) break;
        index[d] = 0;
        if (d == 0) return;
      }
      if (d == static_cast<size_t>(-1)) return;
    }
  }
  const std::vector<Line> &bytes() const { return lines_; } // including guards and padding

private:
  static constexpr size_t kGuard = 256;
  static constexpr unsigned char kPattern = 0x5A;
  size_t width() const { return static_cast<size_t>(elemInfo(elem_).storageBytes); }
  Elem elem_;
  size_t begin_, count_ = 0;
  std::vector<Line> lines_;
  BufferView view_;
};

inline LaunchArg intArg(int64_t value) {
  LaunchArg arg;
  arg.integer = value;
  return arg;
}
inline LaunchArg floatArg(double value) {
  LaunchArg arg;
  arg.kind = LaunchArg::Kind::Float;
  arg.number = value;
  return arg;
}

class KernelMaker {
  Block unused_;

public:
  KernelMaker() {
    module.kernels.push_back(std::make_unique<Kernel>());
    kernel = module.kernels.back().get();
    kernel->name = "k";
    b.setEnd(kernel->body);
  }
  // Adds a parameter. Parameters must be added first, then grid variables, then the body.
  Value *param(Type type) {
    kernel->gridBlock.addParam(type);
    ++kernel->paramCount;
    return kernel->body.addParam(type);
  }
  // Adds a grid variable from 0 to dim(param, d) with step `step`.
  Value *gridOver(size_t param, int64_t d, int64_t step) {
    Builder g(context, kernel->gridBlock);
    Value *lower = g.index(0), *by = g.index(step), *dimension = g.index(d);
    Value *upper = g.value(OpKind::Dim, {kernel->gridBlock.param(param), dimension}, context.index());
    return gridVariable(lower, upper, by);
  }
  Value *gridVariable(Value *lower, Value *upper, Value *step) {
    Value *variable = kernel->body.addParam(context.index());
    kernel->grid.push_back({variable, lower, upper, step});
    return variable;
  }

  Type matrix(Elem elem) { return context.memref({kDynamic, kDynamic}, elem); }
  Type columnMajorMatrix(Elem elem) {
    MemoryLayout memory;
    memory.kind = MemoryLayout::Kind::Permuted;
    memory.permutation = {1, 0};
    return context.memref({kDynamic, kDynamic}, elem, MemorySpace::Global, memory);
  }
  Value *index(int64_t value) { return b.index(value); }
  Value *dim(Value *memref, int64_t d) { return b.value(OpKind::Dim, {memref, index(d)}, context.index()); }
  Value *tile(Value *memref, std::vector<Value *> offsets, std::vector<int64_t> shape, Order order = Order::RowMajor) {
    offsets.insert(offsets.begin(), memref);
    return b.value(OpKind::InitTile, std::move(offsets), context.tile(std::move(shape), memref->type().elem(), nullptr, order));
  }
  Value *load(Value *tile) {
    Type type = tile->type();
    return b.value(OpKind::LoadTile, {tile}, context.vector({type.shape().begin(), type.shape().end()}, type.elem()));
  }
  Value *load(Value *tile, double padding) {
    Value *value = load(tile);
    Elem elem = tile->type().elem();
    value->definingOp()->setAttr("padding", isFloat(elem) ? AttrValue(padding) : AttrValue(static_cast<int64_t>(padding)));
    return value;
  }
  void store(Value *value, Value *tile) { b.create(OpKind::StoreTile, {value, tile}, {}); }
  Value *move(Value *tile, Value *down, Value *right) {
    return b.value(OpKind::UpdateTileOffset, {tile, down, right}, tile->type());
  }
  Value *mma(Value *left, Value *right, Value *sum, Elem elem) {
    Type type = context.vector({left->type().extent(0), right->type().extent(1)}, elem);
    return b.value(OpKind::TileMma, sum ? std::vector{left, right, sum} : std::vector{left, right}, type);
  }
  Value *binary(OpKind kind, Value *x, Value *y) { return b.value(kind, {x, y}, x->type()); }
  Value *unary(OpKind kind, Value *x) { return b.value(kind, {x}, x->type()); }
  Value *cast(OpKind kind, Value *x, Elem to) { return b.value(kind, {x}, context.withElem(x->type(), to)); }
  Value *compare(std::string kind, Value *x, Value *y) {
    OpKind op = isFloat(x->type().elem()) ? OpKind::CmpF : OpKind::CmpI;
    Value *result = b.value(op, {x, y}, context.withElem(x->type(), Elem::I1));
    result->definingOp()->setAttr("kind", std::move(kind));
    return result;
  }
  Value *splat(Value *x, std::vector<int64_t> shape) {
    return b.value(OpKind::Splat, {x}, context.vector(std::move(shape), x->type().elem()));
  }

  Value *reduce(const char *kind, Value *x, int d, int64_t size = 0) {
    std::vector<int64_t> shape(x->type().shape().begin(), x->type().shape().end());
    int64_t &extent = shape[static_cast<size_t>(d)];
    extent = size ? extent / size : 1;
    Op *op = alongDimension(OpKind::Reduction, x, d, context.vector(shape, x->type().elem()));
    op->setAttr("kind", std::string(kind));
    if (size) op->setAttr("reduction_size", size);
    return op->result();
  }
  // Broadcasts to `extent`; with `size`, repeats each element `size` times.
  Value *broadcast(Value *x, int d, int64_t extent, int64_t size = 0) {
    std::vector<int64_t> shape(x->type().shape().begin(), x->type().shape().end());
    shape[static_cast<size_t>(d)] = extent;
    Op *op = alongDimension(OpKind::Broadcast, x, d, context.vector(shape, x->type().elem()));
    if (size) op->setAttr("broadcast_size", size);
    return op->result();
  }
  Value *transpose(Value *x) {
    return b.value(OpKind::Transpose, {x}, context.vector({x->type().extent(1), x->type().extent(0)}, x->type().elem()));
  }
  Value *loadTransposed(Value *tile) {
    Type type = tile->type();
    Value *value = b.value(OpKind::LoadTile, {tile}, context.vector({type.extent(1), type.extent(0)}, type.elem()));
    value->definingOp()->setAttr("transpose", std::vector<int64_t>{1, 0});
    return value;
  }
  Value *iota(Type type, int d) {
    Value *value = b.value(OpKind::Iota, {}, type);
    value->definingOp()->setAttr("dims", std::vector<int64_t>{d});
    return value;
  }
  Value *mask(std::vector<Value *> extents, std::vector<int64_t> shape) {
    return b.value(OpKind::CreateMask, std::move(extents), context.vector(std::move(shape), Elem::I1));
  }
  Value *reshape(Value *x, std::vector<int64_t> shape) {
    return b.value(OpKind::Reshape, {x}, context.vector(std::move(shape), x->type().elem()));
  }
  Value *extract(Value *x, std::vector<Value *> at) {
    at.insert(at.begin(), x);
    return b.value(OpKind::Extract, std::move(at), context.scalar(x->type().elem()));
  }
  Value *insert(Value *scalar, Value *x, std::vector<Value *> at) {
    at.insert(at.begin(), {scalar, x});
    return b.value(OpKind::Insert, std::move(at), x->type());
  }
  Value *scatterTile(Value *memref, Value *offsets) {
    TypeData data;
    data.kind = TypeKind::Tile;
    data.elem = memref->type().elem();
    data.shape.assign(offsets->type().shape().begin(), offsets->type().shape().end());
    data.scatter = true;
    data.space = memref->type().data().space;
    return b.value(OpKind::InitTile, {memref, offsets}, context.intern(std::move(data)));
  }
  Value *gather(Value *tile, Value *selected) { return b.value(OpKind::LoadGather, {tile, selected}, vectorOf(tile->type())); }
  void scatter(Value *value, Value *selected, Value *tile) { b.create(OpKind::StoreScatter, {value, selected, tile}, {}); }
  Value *atomic(const char *kind, Value *value, Value *tile) {
    Value *before = b.value(OpKind::AtomicRmw, {value, tile}, vectorOf(tile->type()));
    before->definingOp()->setAttr("kind", std::string(kind));
    return before;
  }
  Value *loadElement(Value *memref, std::vector<Value *> at) {
    at.insert(at.begin(), memref);
    return b.value(OpKind::Load, std::move(at), context.scalar(memref->type().elem()));
  }
  void storeElement(Value *value, Value *memref, std::vector<Value *> at) {
    at.insert(at.begin(), {value, memref});
    b.create(OpKind::Store, std::move(at), {});
  }
  Value *slm(std::vector<int64_t> shape, Elem elem) {
    return b.value(OpKind::AllocSlm, {}, context.memref(std::move(shape), elem, MemorySpace::Slm));
  }
  void barrier() { b.create(OpKind::Barrier, {}, {}); }
  void print(const char *text, std::vector<Value *> values) {
    b.create(OpKind::Print, std::move(values), {})->setAttr("text", std::string(text));
  }
  void assertThat(Value *condition, const char *text) {
    b.create(OpKind::Assert, {condition}, {})->setAttr("text", std::string(text));
  }
  Value *subgroup() { return b.value(OpKind::SubgroupId, {}, context.index()); }

  // Builds `while condition`; body(carried) returns the next condition, then the values to carry on.
  template <class F> std::vector<Value *> whileLoop(Value *condition, std::vector<Value *> inits, F body) {
    std::vector<Type> types;
    for (Value *init : inits) types.push_back(init->type());
    std::vector<Value *> operands{condition};
    operands.insert(operands.end(), inits.begin(), inits.end());
    Op *op = b.create(OpKind::While, operands, types, 1);
    Block &region = *op->region(0);
    std::vector<Value *> carried;
    for (Type type : types) carried.push_back(region.addParam(type));
    Block &outside = b.block();
    b.setEnd(region);
    b.create(OpKind::Yield, body(carried), {});
    b.setEnd(outside);
    return results(*op);
  }
  // Builds `for i = lower to upper step step`; body(i, carried) returns the values to carry on.
  template <class F> std::vector<Value *> loop(Value *lower, Value *upper, Value *step, std::vector<Value *> inits, F body) {
    std::vector<Value *> operands{lower, upper, step};
    operands.insert(operands.end(), inits.begin(), inits.end());
    std::vector<Type> types;
    for (Value *init : inits) types.push_back(init->type());
    Op *op = b.create(OpKind::For, operands, types, 1);
    Block &region = *op->region(0);
    Value *i = region.addParam(context.index());
    std::vector<Value *> carried;
    for (Type type : types) carried.push_back(region.addParam(type));
    Block &outside = b.block();
    b.setEnd(region);
    b.create(OpKind::Yield, body(i, carried), {});
    b.setEnd(outside);
    return results(*op);
  }
  template <class F, class G> std::vector<Value *> branch(Value *condition, F then, G otherwise) {
    Op *op = b.create(OpKind::If, {condition}, {}, 2);
    Block &outside = b.block();
    b.setEnd(*op->region(0));
    std::vector<Value *> first = then();
    b.create(OpKind::Yield, first, {});
    b.setEnd(*op->region(1));
    b.create(OpKind::Yield, otherwise(), {});
    b.setEnd(outside);
    for (Value *value : first) op->addResult(value->type());
    return results(*op);
  }

  Context context;
  Module module{context};
  Kernel *kernel = nullptr;
  Builder b{context, unused_};

private:
  Type vectorOf(Type tile) { return context.vector({tile.shape().begin(), tile.shape().end()}, tile.elem()); }
  Op *alongDimension(OpKind kind, Value *x, int d, Type result) {
    Op *op = b.create(kind, {x}, {result});
    op->setAttr("dims", std::vector<int64_t>{d});
    return op;
  }
  static std::vector<Value *> results(Op &op) {
    std::vector<Value *> list;
    for (size_t i = 0; i < op.resultCount(); ++i) list.push_back(op.result(i));
    return list;
  }
};

struct GemmShape {
  int64_t rows, columns, depth; // sizes of the tiles
};

// Builds C = A * B in tiles, as in examples/01_gemm.xt.
inline void makeGemm(KernelMaker &m, Elem input, Elem output, GemmShape tile) {
  Value *a = m.param(m.matrix(input)), *bMatrix = m.param(m.matrix(input)), *c = m.param(m.matrix(output));
  Value *i = m.gridOver(2, 0, tile.rows), *j = m.gridOver(2, 1, tile.columns);
  Value *zero = m.index(0);
  Value *ta = m.tile(a, {i, zero}, {tile.rows, tile.depth}), *tb = m.tile(bMatrix, {zero, j}, {tile.depth, tile.columns});
  Elem sum = isInteger(input) ? Elem::I32 : input == Elem::F64 ? Elem::F64 : Elem::F32;
  Type accType = m.context.vector({tile.rows, tile.columns}, sum);
  Value *acc = isFloat(sum) ? m.b.constantFloat(accType, 0) : m.b.constantInt(accType, 0);
  Value *step = m.index(tile.depth);
  std::vector<Value *> done = m.loop(zero, m.dim(a, 1), step, {acc, ta, tb}, [&](Value *, std::vector<Value *> in) {
    Value *x = m.load(in[1]), *y = m.load(in[2]);
    Value *next = m.mma(x, y, in[0], sum);
    return std::vector<Value *>{next, m.move(in[1], zero, step), m.move(in[2], step, zero)};
  });
  Value *result = done[0];
  if (sum != output) result = m.cast(OpKind::TruncF, result, output);
  m.store(result, m.tile(c, {i, j}, {tile.rows, tile.columns}));
}

} // namespace xt
