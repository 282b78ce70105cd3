#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "kernel_fixture.h"

#include <limits>

namespace xt {
namespace {

class InterpreterTest : public KernelTest {
protected:
  // Stores an index scalar as the element [0, place] of `out`.
  void storeIndex(Value *out, Value *place, Value *value) {
    Value *v = b.value(OpKind::Splat, {value}, context.vector({1, 1}, Elem::Index));
    store(v, tile(out, {b.index(0), place}, {1, 1}));
  }
  Value *add(Value *x, Value *y) { return b.value(OpKind::AddI, {x, y}, x->type()); }
  Value *compare(std::string kind, Value *x, Value *y) {
    Op *op = b.create(OpKind::CmpI, {x, y}, {context.i1()});
    op->setAttr("kind", std::move(kind));
    return op->result();
  }
};

TEST_F(InterpreterTest, LoadPadsWithTheGivenValueAndTransposedStoragePlaysNoRole) {
  Value *in = matrixParam(Elem::F16), *out = matrixParam(Elem::F16);
  Op *loaded = b.create(OpKind::LoadTile, {tile(in, {b.index(-1), b.index(-2)}, {6, 8}, nullptr, Order::ColumnMajor)},
                        {context.vector({6, 8}, Elem::F16)});
  loaded->setAttr("padding", 1e9); // rounds to inf
  store(loaded->result(), tileAt(out, 0, 0, {6, 8}));
  Array source(Elem::F16, {4, 5}, {1, 7}), target(Elem::F16, {6, 8});
  source.fill([](int64_t k) { return static_cast<double>(k); });
  run({source.arg(), target.arg()});
  target.forEach([&](const std::vector<int64_t> &i) {
    bool inside = i[0] >= 1 && i[0] < 5 && i[1] >= 2 && i[1] < 7;
    EXPECT_EQ(target.number(i), inside ? source.number({i[0] - 1, i[1] - 2}) : std::numeric_limits<double>::infinity());
  });
}

TEST_F(InterpreterTest, LoopsCarryValuesAndCountWithoutOverflow) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  Value *out = matrixParam(Elem::Index);
  Value *one = b.index(1);
  // The loop computes Fibonacci numbers: its yield permutes the carried values.
  auto fibonacci = loop(b.index(3), b.index(23), b.index(2), {b.index(0), one},
                        [&](Value *, auto v) { return std::vector<Value *>{v[1], add(v[0], v[1])}; });
  storeIndex(out, b.index(0), fibonacci[0]);
  auto last =
      loop(b.index(kMax - 5), b.index(kMax), b.index(3), {b.index(0)}, [&](Value *i, auto) { return std::vector<Value *>{i}; });
  storeIndex(out, b.index(1), last[0]);
  auto huge = loop(b.index(std::numeric_limits<int64_t>::min()), b.index(kMax), b.index(kMax), {b.index(0)},
                   [&](Value *, auto v) { return std::vector<Value *>{add(v[0], one)}; });
  storeIndex(out, b.index(2), huge[0]);
  auto none = loop(b.index(5), b.index(5), one, {b.index(42)}, [&](Value *i, auto) { return std::vector<Value *>{i}; });
  storeIndex(out, b.index(3), none[0]);
  // In the nested loops, the inner loop has 0 + 1 + 2 + 3 iterations.
  auto nested = loop(b.index(0), b.index(4), one, {b.index(0)}, [&](Value *i, auto v) {
    return loop(b.index(0), i, one, {v[0]}, [&](Value *, auto w) { return std::vector<Value *>{add(w[0], one)}; });
  });
  storeIndex(out, b.index(4), nested[0]);
  Array array(Elem::Index, {1, 5});
  run({array.arg()});
  EXPECT_EQ(array.at({0, 0}).i, 55);
  EXPECT_EQ(array.at({0, 1}).i, kMax - 2);
  EXPECT_EQ(array.at({0, 2}).i, 3);
  EXPECT_EQ(array.at({0, 3}).i, 42);
  EXPECT_EQ(array.at({0, 4}).i, 6);
}

TEST_F(InterpreterTest, ALoopStepMustBePositive) {
  Value *step = param(context.index());
  b.setRange({1, 10, 20});
  loop(b.index(0), b.index(5), step, {}, [&](Value *, auto) { return std::vector<Value *>{}; });
  for (int64_t bad : {0, -1}) {
    Result<void> done = tryRun({intArg(bad)});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().message, "the step of a `for` must be positive, it is " + std::to_string(bad));
    EXPECT_EQ(done.error().range, (SourceRange{1, 10, 20}));
  }
  EXPECT_TRUE(tryRun({intArg(1)}));
}

TEST_F(InterpreterTest, IfRunsOneRegion) {
  Value *out = matrixParam(Elem::Index), *x = param(context.index());
  Op *choice = b.create(OpKind::If, {compare("sgt", x, b.index(10))}, {context.index(), context.index()}, 2);
  Block &outer = b.block();
  b.setEnd(*choice->region(0));
  b.create(OpKind::Yield, {b.index(1), x}, {});
  b.setEnd(*choice->region(1));
  b.create(OpKind::Yield, {x, b.index(2)}, {});
  b.setEnd(outer);
  // An `if` without results, and without ops in its second region.
  Op *effect = b.create(OpKind::If, {compare("eq", x, b.index(7))}, {}, 2);
  b.setEnd(*effect->region(0));
  storeIndex(out, b.index(2), x);
  b.create(OpKind::Yield, {}, {});
  b.setEnd(outer);
  storeIndex(out, b.index(0), choice->result(0));
  storeIndex(out, b.index(1), choice->result(1));
  for (int64_t value : {7, 11}) {
    Array array(Elem::Index, {1, 3});
    array.fill([](int64_t) { return -1; });
    run({array.arg(), intArg(value)});
    EXPECT_EQ(array.at({0, 0}).i, value > 10 ? 1 : value);
    EXPECT_EQ(array.at({0, 1}).i, value > 10 ? value : 2);
    EXPECT_EQ(array.at({0, 2}).i, value == 7 ? 7 : -1);
  }
}

TEST_F(InterpreterTest, EverySubgroupRunsTheBodyAtSubgroupScope) {
  kernel.subgroups = 5;
  Value *out = matrixParam(Elem::Index);
  Value *id = b.value(OpKind::SubgroupId, {}, context.index());
  storeIndex(out, id, b.value(OpKind::MulI, {id, id}, context.index()));
  Array array(Elem::Index, {1, 5});
  run({array.arg()});
  for (int64_t s = 0; s < 5; ++s) EXPECT_EQ(array.at({0, s}).i, s * s);
}

TEST_F(InterpreterTest, GridVariablesAreValuesAndBlockIdsAreCoordinates) {
  Value *out = param(memref({kDynamic, kDynamic, kDynamic}, Elem::Index));
  // z starts at 100 with step 7, y at 0 with step 10, and x at -4 with step 2.
  Value *z = gridVariable([](Builder &g) { return g.index(108); }, 7, 100);
  Value *y = gridVariable([](Builder &g) { return g.index(25); }, 10);
  Value *x = gridVariable([](Builder &g) { return g.index(3); }, 2, -4);
  auto blockId = [&](std::string dimension) {
    Op *op = b.create(OpKind::BlockId, {}, {context.index()});
    op->setAttr("dimension", std::move(dimension));
    return op->result();
  };
  Value *bz = blockId("z"), *by = blockId("y"), *bx = blockId("x");
  Value *sum = add(add(b.value(OpKind::MulI, {z, b.index(10000)}, context.index()),
                       b.value(OpKind::MulI, {y, b.index(100)}, context.index())),
                   x);
  Value *v = b.value(OpKind::Splat, {sum}, context.vector({1, 1}, Elem::Index));
  store(v, tile(out, {bz, by, bx}, {1, 1}));
  for (Schedule::Order order : {Schedule::Order::Forward, Schedule::Order::Reversed, Schedule::Order::Seeded}) {
    Array array(Elem::Index, {2, 3, 4});
    array.fill([](int64_t) { return -1; });
    run({array.arg()}, {order, 9});
    array.forEach([&](const std::vector<int64_t> &i) {
      EXPECT_EQ(array.at(i).i, (100 + 7 * i[0]) * 10000 + 10 * i[1] * 100 + (-4 + 2 * i[2]));
    });
  }
}

TEST_F(InterpreterTest, TheLaunchsOwnGrid) {
  Value *out = matrixParam(Elem::Index);
  Op *x = b.create(OpKind::BlockId, {}, {context.index()});
  x->setAttr("dimension", std::string("x"));
  Op *z = b.create(OpKind::BlockId, {}, {context.index()});
  z->setAttr("dimension", std::string("z"));
  storeIndex(out, x->result(), add(x->result(), z->result()));
  Array array(Elem::Index, {1, 4});
  array.fill([](int64_t) { return -1; });
  ASSERT_TRUE(interpret(kernel, {array.arg()}, {GridRange{0, 1, 3}}));
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(array.at({0, i}).i, i < 3 ? i : -1);
  ASSERT_TRUE(interpret(kernel, {array.arg()}, {}));
  EXPECT_FALSE(interpret(kernel, {array.arg()}, {GridRange{0, 1, int64_t{1} << 20}, GridRange{0, 1, 1 << 12}}));
}

TEST_F(InterpreterTest, SubgroupsThatNeverMeetAreReported) {
  // The K dimension of A and B is distributed over the subgroups, and only subgroup 0 reaches the product.
  kernel.scope = Scope::Workgroup;
  kernel.subgroups = 2;
  Value *A = matrixParam(Elem::F16);
  const Layout *a = layout({4, 4}, {1, 2}, {4, 2}), *bl = layout({4, 4}, {1, 2}, {2, 2}), *d = layout({4, 4}, {1, 2}, {4, 2});
  Value *va = load(tileAt(A, 0, 0, {4, 4}, a));
  Value *vb = load(tileAt(A, 0, 0, {4, 4}, bl));
  Value *id = b.value(OpKind::SubgroupId, {}, context.index());
  Op *branch = b.create(OpKind::If, {compare("eq", id, b.index(0))}, {}, 2);
  b.setEnd(*branch->region(0));
  b.setRange({1, 5, 9});
  mma(va, vb, nullptr, context.vector({4, 4}, Elem::F32, d));
  b.create(OpKind::Yield, {}, {});
  Array array(Elem::F16, {4, 4});
  for (Schedule::Order order : {Schedule::Order::Forward, Schedule::Order::Reversed, Schedule::Order::Seeded}) {
    Result<void> done = tryRun({array.arg()}, {order, 1});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().message,
              "the subgroups of the workgroup deadlock: subgroup 0 waits at `tile_mma`; subgroup 1 has finished");
    EXPECT_EQ(done.error().range, (SourceRange{1, 5, 9}));
  }
}

TEST_F(InterpreterTest, StaticAndHigherRankMemrefsAndDim) {
  Value *A = param(memref({3, kDynamic, 4, 5}, Elem::I32)), *out = matrixParam(Elem::I32);
  Value *which = param(context.index());
  Value *v = load(tile(A, {b.index(2), b.index(1), b.index(1), b.index(3)}, {2, 2}));
  Value *dim = b.value(OpKind::Dim, {A, which}, context.index());
  Value *asInt = b.value(OpKind::IndexCast, {dim}, context.scalar(Elem::I32));
  Type t = context.vector({2, 2}, Elem::I32);
  store(b.value(OpKind::AddI, {v, b.value(OpKind::Splat, {asInt}, t)}, t), tileAt(out, 0, 0, {2, 2}));
  Array base(Elem::I32, {3, 2, 4, 5}), array(Elem::I32, {2, 2});
  base.fill([](int64_t k) { return static_cast<double>(k * 100); });
  run({base.arg(), array.arg(), intArg(1)});
  EXPECT_EQ(array.at({0, 0}).i, base.at({2, 1, 1, 3}).i + 2);
  EXPECT_EQ(array.at({1, 1}).i, base.at({2, 1, 2, 4}).i + 2);
  Result<void> bad = tryRun({base.arg(), array.arg(), intArg(4)});
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message, "`dim` of dimension 4, but the memref has 4 dimensions");
}

TEST_F(InterpreterTest, ArgumentsAreChecked) {
  MemoryLayout columns{MemoryLayout::Kind::Permuted, {}, {1, 0}};
  param(memref({kDynamic, 8}, Elem::F32));
  param(memref({4, 6}, Elem::F32, columns));
  param(context.scalar(Elem::I8));
  param(context.scalar(Elem::F16));
  param(context.scalar(Elem::I64));
  Array a(Elem::F32, {3, 8}), c(Elem::F32, {4, 6}, {1, 4}), address(Elem::F32, {1, 1});
  auto error = [&](std::vector<LaunchArg> args) {
    Result<void> done = interpret(kernel, args, {});
    return done ? std::string() : done.error().message;
  };
  std::vector<LaunchArg> good = {a.arg(), c.arg(), intArg(-3), intArg(2), address.arg()};
  EXPECT_EQ(error(good), "");
  auto with = [&](size_t i, LaunchArg arg) {
    std::vector<LaunchArg> args = good;
    args[i] = std::move(arg);
    return error(args);
  };
  EXPECT_EQ(error({a.arg()}), "@k takes 5 arguments, not 1");
  EXPECT_EQ(with(0, intArg(1)), "argument 1 of @k: a number for memref<?x8xf32>");
  EXPECT_EQ(with(0, Array(Elem::F16, {3, 8}).arg()), "argument 1 of @k: an array of f16 for memref<?x8xf32>");
  EXPECT_EQ(with(0, Array(Elem::F32, {3, 9}).arg()), "argument 1 of @k: an array of shape 3x9 for memref<?x8xf32>");
  EXPECT_EQ(with(0, Array(Elem::F32, {8}).arg()), "argument 1 of @k: an array of 1 dimensions for memref<?x8xf32>");
  EXPECT_EQ(with(0, Array(Elem::F32, {3, 8}, {9, 1}).arg()),
            "argument 1 of @k: dimension 0 has stride 9, but memref<?x8xf32> has 8");
  EXPECT_EQ(with(0, Array(Elem::F32, {1, 8}, {9, 1}).arg()), "") << "a stride that is never used";
  EXPECT_NE(with(1, Array(Elem::F32, {4, 6}).arg()), "") << "row by row where columns are contiguous";
  EXPECT_EQ(with(2, intArg(300)), "argument 3 of @k: 300 does not fit i8");
  EXPECT_EQ(with(2, floatArg(1.5)), "argument 3 of @k: 1.5 for i8");
  EXPECT_EQ(with(2, a.arg()), "argument 3 of @k: an array for i8");
  EXPECT_EQ(with(3, floatArg(1.5)), "");
  EXPECT_EQ(with(4, intArg(5)), "");
  LaunchArg huge = a.arg();
  huge.buffer.sizes[0] = std::numeric_limits<int64_t>::max() / 4;
  EXPECT_EQ(with(0, huge), "argument 1 of @k: an array that 64-bit addresses cannot reach");
  LaunchArg nowhere = a.arg();
  nowhere.buffer.data = nullptr;
  EXPECT_EQ(with(0, nowhere), "argument 1 of @k: an array without memory");
}

TEST_F(InterpreterTest, TheGridIsComputedFromTheArguments) {
  Value *size = kernel.gridBlock.addParam(context.index()), *step = kernel.gridBlock.addParam(context.index());
  kernel.body.addParam(context.index());
  kernel.body.addParam(context.index());
  kernel.paramCount = 2;
  Builder g(context, kernel.gridBlock);
  GridDim dim;
  dim.lower = g.index(-5);
  dim.upper = g.value(OpKind::CeilDivSI, {size, g.index(2)}, context.index());
  dim.step = step;
  dim.variable = kernel.body.addParam(context.index(), "i", {1, 2, 3});
  kernel.grid.push_back(dim);
  auto grid = [&](int64_t n, int64_t s) { return computeGrid(kernel, {intArg(n), intArg(s)}); };
  auto ranges = grid(11, 4); // the bounds are -5 and 6
  ASSERT_TRUE(ranges);
  EXPECT_EQ((*ranges)[0].lower, -5);
  EXPECT_EQ((*ranges)[0].step, 4);
  EXPECT_EQ((*ranges)[0].count, 3);
  EXPECT_EQ((*grid(-10, 4))[0].count, 0) << "an empty range";
  EXPECT_EQ((*grid(-8, 4))[0].count, 1);
  auto zero = grid(11, 0);
  ASSERT_FALSE(zero);
  EXPECT_EQ(zero.error().message, "the step of grid variable %i must be positive, it is 0");
  EXPECT_EQ(zero.error().range, (SourceRange{1, 2, 3}));
  EXPECT_EQ((*grid(int64_t{1} << 32, 1 << 10))[0].count, (int64_t{1} << 21) + 1);
  EXPECT_FALSE(grid(int64_t{1} << 40, 2));
  EXPECT_FALSE(grid(std::numeric_limits<int64_t>::max(), 1));
}

TEST_F(InterpreterTest, RequirementsAreCheckedBeforeTheGrid) {
  Value *size = kernel.gridBlock.addParam(context.index(), "n");
  kernel.body.addParam(context.index(), "n");
  kernel.paramCount = 1;
  kernel.name = "k";
  Builder g(context, kernel.gridBlock);
  auto require = [&](CmpIKind kind, int64_t number) {
    Value *holds = g.value(OpKind::CmpI, {size, g.index(number)}, context.scalar(Elem::I1));
    CmpIOp(*holds->definingOp()).setKind(kind);
    kernel.requirements.push_back({holds, {1, 2, 3}});
    return holds;
  };
  Value *few = require(CmpIKind::Slt, 10);
  require(CmpIKind::Ne, 7);
  auto failure = [&](int64_t n) {
    auto ranges = computeGrid(kernel, {intArg(n)});
    return ranges ? "" : ranges.error().message;
  };
  EXPECT_EQ(failure(3), "");
  EXPECT_EQ(failure(12), "@k requires %n < 10, but the sides are 12 and 10");
  EXPECT_EQ(failure(7), "@k requires %n != 7, but the sides are 7 and 7");
  EXPECT_EQ(computeGrid(kernel, {intArg(7)}).error().range, (SourceRange{1, 2, 3}));
  Value *both = g.value(OpKind::AndI, {few, kernel.requirements[1].condition}, context.scalar(Elem::I1));
  kernel.requirements = {{both, {}}};
  EXPECT_EQ(failure(12), "@k requires %n < 10 and %n != 7, but it does not hold");
}

TEST_F(InterpreterTest, AKernelWithoutAGridHasNone) {
  auto ranges = computeGrid(kernel, {});
  ASSERT_TRUE(ranges);
  EXPECT_TRUE(ranges->empty());
}

} // namespace
} // namespace xt
