// Tests ops whose results come from other positions of the operand, on random shapes and layouts. The expected result is
// computed one element at a time, because the elements of a vector do not depend on which subgroup holds them.
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "kernel_fixture.h"

#include <random>

namespace xt {
namespace {

class VectorOpsTest : public KernelTest {
protected:
  struct Case {
    OpKind kind;
    std::vector<int64_t> from, to;
    int64_t dim = 0, block = 1;
  };

  int64_t pick(std::vector<int64_t> from) { return from[random() % from.size()]; }

  Case randomCase() {
    const OpKind kinds[] = {OpKind::Transpose, OpKind::Reduction, OpKind::Broadcast, OpKind::ConvertLayout, OpKind::Reshape};
    Case c{kinds[random() % 5], {pick({1, 2, 4, 6, 12}), pick({1, 3, 4, 8})}, {}};
    c.to = c.from;
    c.dim = pick({0, 1});
    auto d = static_cast<size_t>(c.dim);
    switch (c.kind) {
    case OpKind::Transpose: std::swap(c.to[0], c.to[1]); break;
    case OpKind::Reduction:
      c.block = pick({1, c.from[d], c.from[d] % 2 ? 1 : 2});
      c.to[d] /= c.block;
      break;
    case OpKind::Broadcast:
      c.block = pick({1, 2, 3});
      c.to[d] *= c.block;
      break;
    case OpKind::Reshape: c.to = {c.from[0] * c.from[1]}; break;
    default: break;
    }
    return c;
  }

  // Returns a layout of any kind: round-robin, wrapping around, or fully replicated.
  const Layout *randomLayout(const std::vector<int64_t> &shape, int64_t subgroups) {
    for (int tries = 0; tries < 200; ++tries) {
      std::vector<int64_t> sgLayout(shape.size(), 1), sgData;
      if (shape.size() == 1)
        sgLayout[0] = subgroups;
      else
        sgLayout[0] = pick({1, 2, subgroups}), sgLayout[1] = std::max<int64_t>(1, subgroups / sgLayout[0]);
      int64_t product = 1;
      for (size_t d = 0; d < shape.size(); ++d) {
        product *= sgLayout[d];
        sgData.push_back(pick({1, 2, shape[d], std::max<int64_t>(1, shape[d] / sgLayout[d])}));
      }
      if (product != subgroups) continue;
      LayoutOrError made = makeLayout(context, LayoutSpec::of({sgLayout, sgData}), shape);
      if (const auto *good = std::get_if<const Layout *>(&made)) return *good;
    }
    std::vector<int64_t> sgLayout(shape.size(), 1);
    sgLayout[0] = subgroups;
    return layout(shape, sgLayout, shape);
  }

  // Returns the index of the operand's element that is term `k` of a result element.
  static std::vector<int64_t> termOf(const Case &c, const std::vector<int64_t> &index, int64_t k) {
    std::vector<int64_t> at = index;
    auto d = static_cast<size_t>(c.dim);
    if (c.kind == OpKind::Transpose) std::swap(at[0], at[1]);
    if (c.kind == OpKind::Reduction) at[d] = index[d] * c.block + k;
    if (c.kind == OpKind::Broadcast) at[d] /= c.block;
    if (c.kind == OpKind::Reshape) at = {index[0] / c.from[1], index[0] % c.from[1]};
    return at;
  }

  std::mt19937_64 random{11};
};

TEST_F(VectorOpsTest, RandomShapesAndLayouts) {
  int met = 0, local = 0;
  for (int round = 0; round < 400; ++round) {
    Case c = randomCase();
    int64_t subgroups = pick({1, 2, 4, 6});
    bool workgroup = round % 5 != 0;
    Kernel k;
    k.scope = workgroup ? Scope::Workgroup : Scope::Subgroup;
    k.subgroups = workgroup ? subgroups : 1;
    Type any = context.memref({kDynamic, kDynamic}, Elem::I32);
    k.body.addParam(any), k.body.addParam(any);
    k.paramCount = 2;
    Builder kb(context, k.body);
    Value *zero = kb.index(0);
    auto layoutOf = [&](const std::vector<int64_t> &shape) { return workgroup ? randomLayout(shape, subgroups) : nullptr; };
    const Layout *source = layoutOf(c.from), *target = layoutOf(c.to);
    Value *in = kb.value(OpKind::InitTile, {k.param(0), zero, zero}, context.tile(c.from, Elem::I32, source));
    Value *v = kb.value(OpKind::LoadTile, {in}, context.vector(c.from, Elem::I32, source));
    Op *op = kb.create(c.kind, {v}, {context.vector(c.to, Elem::I32, target)});
    if (c.kind == OpKind::Reduction || c.kind == OpKind::Broadcast) op->setAttr("dims", std::vector<int64_t>{c.dim});
    if (c.kind == OpKind::Reduction) op->setAttr("kind", std::string("add"));
    // The owners of the elements store the result as a matrix. If an element has several owners, they write the same value.
    Value *result = op->result();
    std::vector<int64_t> stored = c.to;
    if (stored.size() == 1) {
      stored.insert(stored.begin(), 1);
      result = kb.value(OpKind::Reshape, {result}, context.vector(stored, Elem::I32, layoutOf(stored)));
    }
    Value *out = kb.value(OpKind::InitTile, {k.param(1), zero, zero}, context.tile(stored, Elem::I32, result->type().layout()));
    kb.create(OpKind::StoreTile, {result, out}, {});

    Program program(k.body, static_cast<size_t>(k.subgroups));
    for (const Step &step : program.block(0).steps)
      if (step.op == op) ++(step.meets ? met : local);

    Array A(Elem::I32, c.from), B(Elem::I32, stored);
    A.fill([&](int64_t) { return static_cast<double>(random() % 1000); });
    B.fill([](int64_t) { return -1; });
    Result<void> done = interpret(k, {A.arg(), B.arg()}, {}, {{Schedule::Order::Seeded, random()}});
    ASSERT_TRUE(done) << done.error().message;
    B.forEach([&](const std::vector<int64_t> &index) {
      std::vector<int64_t> place = c.to.size() == 1 ? std::vector<int64_t>{index[1]} : index;
      double sum = 0;
      for (int64_t term = 0; term < (c.kind == OpKind::Reduction ? c.block : 1); ++term)
        sum += A.number(termOf(c, place, term));
      ASSERT_EQ(B.number(index), sum) << "round " << round;
    });
  }
  EXPECT_GT(met, 50);
  EXPECT_GT(local, 50);
}

// Extracting an element that all subgroups hold needs no exchange between subgroups, extracting any other one does. Every
// subgroup gets the element.
TEST_F(VectorOpsTest, ExtractAndInsertAtEveryIndex) {
  for (bool replicated : {false, true}) {
    Kernel k;
    k.scope = Scope::Workgroup;
    k.subgroups = 4;
    Type any = context.memref({kDynamic, kDynamic}, Elem::I32);
    for (int i = 0; i < 2; ++i) k.body.addParam(any);
    for (int i = 0; i < 2; ++i) k.body.addParam(context.index());
    k.paramCount = 4;
    Builder kb(context, k.body);
    Value *zero = kb.index(0);
    const Layout *rows = layout({4, 6}, {4, 1}, {1, 6}), *held = replicated ? layout({4, 6}, {4, 1}, {4, 6}) : rows;
    Value *in = kb.value(OpKind::InitTile, {k.param(0), zero, zero}, context.tile({4, 6}, Elem::I32, held));
    Value *v = kb.value(OpKind::LoadTile, {in}, context.vector({4, 6}, Elem::I32, held));
    Value *x = kb.value(OpKind::Extract, {v, k.param(2), k.param(3)}, context.scalar(Elem::I32));
    Value *all = kb.value(OpKind::Splat, {x}, context.vector({4, 6}, Elem::I32, rows));
    Value *marked =
        kb.value(OpKind::Insert, {kb.constantInt(context.scalar(Elem::I32), -7), all, k.param(2), k.param(3)}, all->type());
    Value *out = kb.value(OpKind::InitTile, {k.param(1), zero, zero}, context.tile({4, 6}, Elem::I32, rows));
    kb.create(OpKind::StoreTile, {marked, out}, {});
    Program program(k.body, 4);
    for (const Step &step : program.block(0).steps) EXPECT_EQ(step.meets, !replicated && step.op == x->definingOp());
    Array A(Elem::I32, {4, 6}), B(Elem::I32, {4, 6});
    A.fill([](int64_t e) { return static_cast<double>(e * 11 + 1); });
    for (int64_t r = -1; r <= 4; ++r)
      for (int64_t c : {-1, 0, 5, 6}) {
        ASSERT_TRUE(interpret(k, {A.arg(), B.arg(), intArg(r), intArg(c)}, {}, {{Schedule::Order::Seeded, 5}}));
        bool inside = r >= 0 && r < 4 && c >= 0 && c < 6;
        B.forEach([&](const std::vector<int64_t> &index) {
          bool here = index[0] == r && index[1] == c;
          EXPECT_EQ(B.number(index), here ? -7 : inside ? A.number({r, c}) : 0);
        });
      }
  }
}

} // namespace
} // namespace xt
