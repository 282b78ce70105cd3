// A fixture that makes kernels with Builder, and arrays to run them on.
#pragma once
#include "ir/builder.h"
#include "ir/interp/interpreter.h"
#include "ir/op_kinds.h"
#include "tests/launch_args.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <numeric>

namespace xt {

// A dense array of one element type, row-major unless strides are given, between guard bytes.
class Array {
public:
  Array(Elem elem, std::vector<int64_t> sizes, std::vector<int64_t> strides = {})
      : elem_(elem), sizes_(std::move(sizes)), strides_(std::move(strides)) {
    if (strides_.empty()) {
      strides_.resize(sizes_.size());
      int64_t packed = 1;
      for (size_t d = sizes_.size(); d-- > 0; packed *= sizes_[d]) strides_[d] = packed;
    }
    int64_t last = 0;
    for (size_t d = 0; d < sizes_.size(); ++d) last += (sizes_[d] - 1) * strides_[d];
    size_t bytes = last < 0 ? 0 : static_cast<size_t>((last + 1) * elemInfo(elem).storageBytes);
    memory_.assign(bytes + 2 * kGuard, 0xA5);
  }

  LaunchArg arg() {
    LaunchArg arg;
    arg.kind = LaunchArg::Kind::Buffer;
    arg.buffer = {memory_.data() + kGuard, elem_, sizes_, strides_};
    return arg;
  }
  Number at(const std::vector<int64_t> &index) const { return loadNumber(elem_, address(index)); }
  void set(const std::vector<int64_t> &index, Number value) {
    storeNumber(elem_, const_cast<unsigned char *>(address(index)), value);
  }
  double number(const std::vector<int64_t> &index) const {
    return isFloat(elem_) ? at(index).f : static_cast<double>(at(index).i);
  }
  void setNumber(const std::vector<int64_t> &index, double value) {
    set(index, isFloat(elem_) ? floatNumber(value) : integerNumber(static_cast<int64_t>(value)));
  }
  // Sets every element to a function of its row-major number.
  void fill(const std::function<double(int64_t)> &f) {
    int64_t k = 0;
    forEach([&](const std::vector<int64_t> &index) { setNumber(index, f(k++)); });
  }
  void forEach(const std::function<void(const std::vector<int64_t> &)> &f) const {
    for (int64_t size : sizes_)
      if (size == 0) return;
    std::vector<int64_t> index(sizes_.size(), 0);
    for (;;) {
      f(index);
      size_t d = sizes_.size();
      while (d > 0 && ++index[d - 1] == sizes_[d - 1]) index[--d] = 0;
      if (d == 0) return;
    }
  }
  // Whether the bytes that belong to no element are unchanged.
  bool guardsIntact() const {
    std::vector<unsigned char> copy = memory_;
    auto bytes = static_cast<size_t>(elemInfo(elem_).storageBytes);
    forEach(
        [&](const std::vector<int64_t> &index) { std::memset(copy.data() + (address(index) - memory_.data()), 0xA5, bytes); });
    for (unsigned char byte : copy)
      if (byte != 0xA5) return false;
    return true;
  }
  const std::vector<unsigned char> &memory() const { return memory_; }
  Elem elem() const { return elem_; }
  const std::vector<int64_t> &sizes() const { return sizes_; }

private:
  static constexpr size_t kGuard = 64;
  const unsigned char *address(const std::vector<int64_t> &index) const {
    int64_t offset = 0;
    for (size_t d = 0; d < index.size(); ++d) offset += index[d] * strides_[d];
    return memory_.data() + kGuard + offset * elemInfo(elem_).storageBytes;
  }
  Elem elem_;
  std::vector<int64_t> sizes_, strides_;
  std::vector<unsigned char> memory_;
};

class KernelTest : public testing::Test {
protected:
  KernelTest() : b(context, kernel.body) { kernel.name = "k"; }

  // Adds a parameter. Must be called before anything else is built.
  Value *param(Type type) {
    kernel.gridBlock.addParam(type);
    ++kernel.paramCount;
    return kernel.body.addParam(type);
  }
  Type memref(std::vector<int64_t> shape, Elem elem, MemoryLayout memory = {}) {
    return context.memref(std::move(shape), elem, MemorySpace::Global, std::move(memory));
  }
  // Adds a parameter of type memref<?x?xE, strided<[?, ?]>>.
  Value *matrixParam(Elem elem) {
    MemoryLayout any{MemoryLayout::Kind::Strided, {kDynamic, kDynamic}, {}};
    return param(memref({kDynamic, kDynamic}, elem, any));
  }
  const Layout *layout(std::vector<int64_t> shape, std::vector<int64_t> sgLayout, std::vector<int64_t> sgData) {
    LayoutOrError made = makeLayout(context, LayoutSpec::of({std::move(sgLayout), std::move(sgData)}), shape);
    const auto *good = std::get_if<const Layout *>(&made);
    EXPECT_TRUE(good) << std::get<LayoutError>(made).message;
    return *good;
  }

  Value *tile(Value *base, std::vector<Value *> offsets, std::vector<int64_t> shape, const Layout *l = nullptr,
              Order order = Order::RowMajor) {
    offsets.insert(offsets.begin(), base);
    return b.value(OpKind::InitTile, offsets, context.tile(std::move(shape), base->type().elem(), l, order));
  }
  Value *tileAt(Value *base, int64_t y, int64_t x, std::vector<int64_t> shape, const Layout *l = nullptr) {
    return tile(base, {b.index(y), b.index(x)}, std::move(shape), l);
  }
  Value *load(Value *tile) {
    Type t = tile->type();
    return b.value(OpKind::LoadTile, {tile}, context.vector({t.extent(0), t.extent(1)}, t.elem(), t.layout()));
  }
  void store(Value *value, Value *tile) { b.create(OpKind::StoreTile, {value, tile}, {}); }
  Value *mma(Value *a, Value *bb, Value *c, Type result) {
    std::vector<Value *> operands = {a, bb};
    if (c) operands.push_back(c);
    return b.value(OpKind::TileMma, operands, result);
  }
  // Builds `for %i = lower to upper step step iter_args(inits)`; body(i, carried) returns the yielded values.
  std::vector<Value *> loop(Value *lower, Value *upper, Value *step, std::vector<Value *> inits,
                            const std::function<std::vector<Value *>(Value *, std::vector<Value *>)> &body) {
    std::vector<Value *> operands = {lower, upper, step};
    std::vector<Type> types;
    for (Value *init : inits) operands.push_back(init), types.push_back(init->type());
    Op *op = b.create(OpKind::For, operands, types, 1);
    Block &outer = b.block();
    Value *i = op->region()->addParam(context.index());
    std::vector<Value *> carried;
    for (Type type : types) carried.push_back(op->region()->addParam(type));
    b.setEnd(*op->region());
    std::vector<Value *> yielded = body(i, carried);
    b.create(OpKind::Yield, yielded, {});
    b.setEnd(outer);
    std::vector<Value *> results;
    for (size_t k = 0; k < types.size(); ++k) results.push_back(op->result(k));
    return results;
  }
  // Adds a grid variable from `lower` to `upper`, with both bounds computed by ops of the grid block.
  Value *gridVariable(const std::function<Value *(Builder &)> &upper, int64_t step, int64_t lower = 0) {
    Builder g(context, kernel.gridBlock);
    GridDim dim;
    dim.lower = g.index(lower);
    dim.upper = upper(g);
    dim.step = g.index(step);
    dim.variable = kernel.body.addParam(context.index(), "i");
    kernel.grid.push_back(dim);
    return dim.variable;
  }

  Result<void> tryRun(std::vector<LaunchArg> args, Schedule schedule = {}) {
    Result<std::vector<GridRange>> grid = computeGrid(kernel, args);
    if (!grid) return grid.error();
    return interpret(kernel, args, *grid, {schedule});
  }
  void run(std::vector<LaunchArg> args, Schedule schedule = {}) {
    Result<void> done = tryRun(std::move(args), schedule);
    ASSERT_TRUE(done) << done.error().message;
  }

  Context context;
  Kernel kernel;
  Builder b;
};

} // namespace xt
