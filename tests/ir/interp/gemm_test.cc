// Tests tile_mma with distributed operands: the result equals that of plain loops, whatever the layouts.
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "kernel_fixture.h"

#include <cmath>
#include <random>

namespace xt {
namespace {

class GemmTest : public KernelTest {
protected:
  struct Layouts {
    const Layout *a = nullptr, *b = nullptr, *d = nullptr;
  };
  // Builds C = A * B over a grid of m x n workgroup tiles with a K step of k, as in README.md.
  void build(Elem in, Elem out, int64_t m, int64_t n, int64_t k, Layouts l) {
    Value *A = matrixParam(in), *B = matrixParam(in), *C = matrixParam(out);
    Value *paramC = kernel.gridBlock.param(2);
    Value *i = gridVariable([&](Builder &g) { return g.value(OpKind::Dim, {paramC, g.index(0)}, context.index()); }, m);
    Value *j = gridVariable([&](Builder &g) { return g.value(OpKind::Dim, {paramC, g.index(1)}, context.index()); }, n);
    Value *zero = b.index(0), *step = b.index(k);
    Value *ta = tile(A, {i, zero}, {m, k}, l.a), *tb = tile(B, {zero, j}, {k, n}, l.b);
    Type accType = context.vector({m, n}, out, l.d);
    Value *acc = isFloat(out) ? b.constantFloat(accType, 0) : b.constantInt(accType, 0);
    Value *depth = b.value(OpKind::Dim, {A, b.index(1)}, context.index());
    std::vector<Value *> results = loop(zero, depth, step, {acc, ta, tb}, [&](Value *, std::vector<Value *> v) {
      b.create(OpKind::PrefetchTile, {v[1]}, {});
      Value *d = mma(load(v[1]), load(v[2]), v[0], accType);
      Value *na = b.value(OpKind::UpdateTileOffset, {v[1], zero, step}, v[1]->type());
      Value *nb = b.value(OpKind::UpdateTileOffset, {v[2], step, zero}, v[2]->type());
      return std::vector<Value *>{d, na, nb};
    });
    store(results[0], tile(C, {i, j}, {m, n}, l.d));
  }
  void check(Elem in, Elem out, int64_t M, int64_t N, int64_t K, Schedule schedule = {}) {
    Array A(in, {M, K}, {K + 3, 1}), B(in, {K, N}), C(out, {M, N}, {N + 1, 1});
    A.fill([](int64_t k) { return static_cast<double>((k * 31) % 9 - 4); });
    B.fill([](int64_t k) { return static_cast<double>((k * 17) % 7 - 3); });
    C.fill([](int64_t) { return -77; });
    run({A.arg(), B.arg(), C.arg()}, schedule);
    EXPECT_TRUE(C.guardsIntact());
    C.forEach([&](const std::vector<int64_t> &index) {
      double sum = 0;
      for (int64_t k = 0; k < K; ++k) sum += A.number({index[0], k}) * B.number({k, index[1]});
      ASSERT_EQ(C.number(index), sum) << index[0] << ", " << index[1];
    });
  }
};

TEST_F(GemmTest, SubgroupScope) {
  build(Elem::F16, Elem::F32, 8, 16, 4, {});
  check(Elem::F16, Elem::F32, 19, 37, 10);
}

TEST_F(GemmTest, TheLayoutsOfTheRfc) {
  kernel.scope = Scope::Workgroup;
  kernel.subgroups = 32;
  // There are 8x4 subgroups: the 4 subgroups of a row share their part of A, and the 8 of a column share their part of B.
  build(Elem::F16, Elem::F32, 64, 64, 16,
        {layout({64, 16}, {8, 4}, {8, 16}), layout({16, 64}, {8, 4}, {16, 16}), layout({64, 64}, {8, 4}, {8, 16})});
  check(Elem::F16, Elem::F32, 100, 130, 40);
}

TEST_F(GemmTest, RoundRobinAndIntegers) {
  kernel.scope = Scope::Workgroup;
  kernel.subgroups = 4;
  build(Elem::I8, Elem::I32, 16, 24, 8,
        {layout({16, 8}, {2, 2}, {2, 8}), layout({8, 24}, {2, 2}, {8, 3}), layout({16, 24}, {2, 2}, {2, 3})});
  check(Elem::I8, Elem::I32, 20, 50, 24);
}

TEST_F(GemmTest, KDistributedOverSubgroupsIsExchanged) {
  kernel.scope = Scope::Workgroup;
  kernel.subgroups = 4;
  // Each subgroup holds half of the K dimension of A and of B, in two rounds of 2 elements.
  build(Elem::BF16, Elem::F32, 8, 12, 8,
        {layout({8, 8}, {2, 2}, {4, 2}), layout({8, 12}, {2, 2}, {2, 6}), layout({8, 12}, {2, 2}, {4, 6})});
  for (Schedule::Order order : {Schedule::Order::Forward, Schedule::Order::Reversed, Schedule::Order::Seeded})
    for (uint64_t seed : {1, 2, 3}) check(Elem::BF16, Elem::F32, 17, 25, 20, {order, seed});
}

// Tests one tile_mma on random layouts. Some obey the rule that the rows of A and the columns of B are distributed like those
// of the result; for the others, missing elements are fetched from other subgroups.
TEST_F(GemmTest, RandomShapesAndLayouts) {
  std::mt19937_64 random(8);
  auto pick = [&](std::vector<int64_t> from) { return from[random() % from.size()]; };
  int exchanged = 0, local = 0;
  for (int round = 0; round < 60; ++round) {
    int64_t sr = pick({1, 2, 3, 4}), sc = pick({1, 2, 3});
    int64_t m = sr * pick({1, 2, 4}) * pick({1, 3}), n = sc * pick({1, 2, 5}) * pick({1, 2});
    int64_t k = sr * sc * pick({1, 2, 4});
    // A subgroup gets a divisor of the extent (in one round or several), or the whole extent (replicated).
    auto data = [&](int64_t extent, int64_t parts) { return pick({extent / parts, extent, 1}); };
    int64_t rowData = data(m, sr), columnData = data(n, sc);
    int64_t kA = pick({k, k / sc, 1}), kB = pick({k, k / sr, 1});
    Layouts l{layout({m, k}, {sr, sc}, {rowData, kA}), layout({k, n}, {sr, sc}, {kB, columnData}),
              layout({m, n}, {sr, sc}, {rowData, columnData})};
    Kernel k2;
    k2.scope = Scope::Workgroup;
    k2.subgroups = sr * sc;
    for (Elem e : {Elem::F16, Elem::F16, Elem::F32}) k2.body.addParam(context.memref({kDynamic, kDynamic}, e));
    k2.paramCount = 3;
    Builder kb(context, k2.body);
    Value *zero = kb.index(0);
    auto tileOf = [&](size_t p, std::vector<int64_t> shape, const Layout *lay) {
      return kb.value(OpKind::InitTile, {k2.param(p), zero, zero}, context.tile(shape, k2.param(p)->type().elem(), lay));
    };
    Value *a = kb.value(OpKind::LoadTile, {tileOf(0, {m, k}, l.a)}, context.vector({m, k}, Elem::F16, l.a));
    Value *bb = kb.value(OpKind::LoadTile, {tileOf(1, {k, n}, l.b)}, context.vector({k, n}, Elem::F16, l.b));
    Value *tc = tileOf(2, {m, n}, l.d);
    std::vector<Value *> operands = {a, bb};
    bool withC = random() & 1;
    if (withC) operands.push_back(kb.value(OpKind::LoadTile, {tc}, context.vector({m, n}, Elem::F32, l.d)));
    Value *d = kb.value(OpKind::TileMma, operands, context.vector({m, n}, Elem::F32, l.d));
    kb.create(OpKind::StoreTile, {d, tc}, {});

    Program program(k2.body, static_cast<size_t>(k2.subgroups));
    for (const Step &step : program.block(0).steps)
      if (step.op->kind() == OpKind::TileMma) ++(step.meets ? exchanged : local);

    Array A(Elem::F16, {m, k}), B(Elem::F16, {k, n}), C(Elem::F32, {m, n});
    A.fill([&](int64_t) { return static_cast<double>(random() % 9) - 4; });
    B.fill([&](int64_t) { return static_cast<double>(random() % 9) - 4; });
    C.fill([&](int64_t) { return static_cast<double>(random() % 9); });
    Array before = C;
    // If the result is replicated, several subgroups store it while slower ones may still read C as the accumulator. Replicated
    // results are therefore tested without an accumulator only.
    if (withC && l.d->isReplicated(Axis::Subgroup)) continue;
    Result<void> done = interpret(k2, {A.arg(), B.arg(), C.arg()}, {}, {{Schedule::Order::Seeded, random()}});
    ASSERT_TRUE(done) << done.error().message;
    C.forEach([&](const std::vector<int64_t> &index) {
      double sum = withC ? before.number(index) : 0;
      for (int64_t i = 0; i < k; ++i) sum += A.number({index[0], i}) * B.number({i, index[1]});
      ASSERT_EQ(C.number(index), sum);
    });
  }
  EXPECT_GT(exchanged, 5);
  EXPECT_GT(local, 5);
}

TEST_F(GemmTest, RowsThatAreNotTheResultsAreFetched) {
  // The rows of A are distributed differently from the result's rows. This needs an exchange, and gives the right result.
  kernel.scope = Scope::Workgroup;
  kernel.subgroups = 2;
  build(Elem::F16, Elem::F32, 4, 4, 4,
        {layout({4, 4}, {1, 2}, {4, 4}), layout({4, 4}, {2, 1}, {4, 4}), layout({4, 4}, {2, 1}, {2, 4})});
  check(Elem::F16, Elem::F32, 7, 9, 8);
}

TEST_F(GemmTest, AnEmptyKGivesZeroAndAnEmptyGridNothing) {
  build(Elem::F16, Elem::F32, 8, 8, 4, {});
  check(Elem::F16, Elem::F32, 9, 5, 0);
  Array A(Elem::F16, {0, 4}), B(Elem::F16, {4, 6}), C(Elem::F32, {0, 6});
  run({A.arg(), B.arg(), C.arg()});
  EXPECT_TRUE(C.guardsIntact());
}

TEST_F(GemmTest, WithoutCTheSumStartsFromZero) {
  Value *A = matrixParam(Elem::F64), *C = matrixParam(Elem::F64);
  Value *a = load(tileAt(A, 0, 0, {3, 3}));
  store(mma(a, a, nullptr, context.vector({3, 3}, Elem::F64)), tileAt(C, 0, 0, {3, 3}));
  Array in(Elem::F64, {3, 3}), out(Elem::F64, {3, 3});
  in.fill([](int64_t k) { return static_cast<double>(k); });
  run({in.arg(), out.arg()});
  EXPECT_EQ(out.number({0, 0}), 15);
  EXPECT_EQ(out.number({2, 2}), 111);
}

} // namespace
} // namespace xt
