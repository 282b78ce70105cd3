#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "targets/cpu/analysis/buffer_assignment.h"
#include "tests/targets/cpu/kernel_maker.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

struct Plan {
  explicit Plan(const KernelMaker &m, const CpuInfo &cpu = {})
      : fusion(planFusion(*m.kernel)), buffers(assignBuffers(*m.kernel, fusion, cpu)) {}
  FusionPlan fusion;
  BufferAssignment buffers;
  int64_t offset(const Value *value) const {
    const Buffer *buffer = buffers.bufferOf(value);
    return buffer ? buffer->offset : -1;
  }
};

Value *zeros(KernelMaker &m, std::vector<int64_t> shape) {
  return m.b.constantFloat(m.context.vector(std::move(shape), Elem::F32), 0);
}
Value *loadAt(KernelMaker &m, Value *memref, int64_t row, std::vector<int64_t> shape) {
  return m.load(m.tile(memref, {m.index(row), m.index(0)}, std::move(shape)));
}
void storeAt(KernelMaker &m, Value *value, Value *memref, int64_t row) {
  m.store(value, m.tile(memref, {m.index(row), m.index(0)}, {value->type().extent(0), value->type().extent(1)}));
}

TEST(BufferShapeTest, RowsAreAlignedAndSpread) {
  Context context;
  BufferShape shape = bufferShape(context.vector({4, 5}, Elem::F32), Elem::F32);
  EXPECT_EQ(shape.pitch, 64);
  EXPECT_EQ(shape.bytes(), 256);
  EXPECT_EQ(bufferShape(context.vector({2, 3, 100}, Elem::F16), Elem::F16).rows, 6);
  EXPECT_EQ(bufferShape(context.vector({2, 3, 100}, Elem::F16), Elem::F16).pitch, 256);
  EXPECT_EQ(bufferShape(context.vector({64, 256}, Elem::F32), Elem::F32).pitch, 1024 + 64); // the pitch is not a power of two
  EXPECT_EQ(bufferShape(context.vector({7}, Elem::F64), Elem::F64).rows, 1);
  int64_t huge = int64_t{1} << 40;
  EXPECT_GT(bufferShape(context.vector({huge, huge}, Elem::F32), Elem::F32).bytes(), int64_t{1} << 60);
}

// The accumulator of a K loop stays in one buffer, which the constant, the parameter, the product and the result share.
TEST(BufferAssignmentTest, GemmAccumulatesInPlace) {
  KernelMaker m;
  makeGemm(m, Elem::F16, Elem::F32, {256, 256, 32});
  Plan plan(m);
  Op *loop = nullptr, *mma = nullptr;
  walk(m.kernel->body, [&](Op &op) {
    if (op.kind() == OpKind::For) loop = &op;
    if (op.kind() == OpKind::TileMma) mma = &op;
  });
  ASSERT_TRUE(loop && mma);
  EXPECT_GE(plan.offset(mma->result()), 0);
  EXPECT_EQ(plan.offset(mma->result()), plan.offset(loop->result(0)));
  EXPECT_EQ(plan.offset(mma->result()), plan.offset(loop->region(0)->param(1)));
  EXPECT_TRUE(plan.fusion.isInline(mma->operand(0)));
  // The operands are staged as f32. Scratch memory holds only them and the accumulator.
  const Buffer *a = plan.buffers.stagingOf(mma, 0), *b = plan.buffers.stagingOf(mma, 1);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->shape.elem, Elem::F32);
  EXPECT_EQ(plan.buffers.scratchBytes(), 256 * 1088 + a->shape.bytes() + b->shape.bytes());
}

TEST(FusionTest, ChainsAreInlineUpToTheirConsumer) {
  KernelMaker m;
  Value *in = m.param(m.matrix(Elem::F32)), *out = m.param(m.matrix(Elem::F32));
  Value *x = loadAt(m, in, 0, {8, 8}), *y = loadAt(m, in, 8, {8, 8});
  Value *sum = m.binary(OpKind::AddF, x, y), *square = m.binary(OpKind::MulF, sum, sum);
  Value *scaled = m.binary(OpKind::MulF, square, m.b.constantFloat(square->type(), 2));
  storeAt(m, scaled, out, 0);
  Plan plan(m);
  EXPECT_TRUE(plan.fusion.isInline(scaled));
  EXPECT_TRUE(plan.fusion.isInline(square));
  EXPECT_TRUE(plan.fusion.isInline(sum)); // two uses, one loop
  // A load is never sunk into a store, because the tiles may overlap.
  EXPECT_FALSE(plan.fusion.isInline(x));
  std::vector<Value *> leaves = plan.fusion.leaves(scaled);
  EXPECT_EQ(leaves, (std::vector<Value *>{x, y}));
  EXPECT_EQ(plan.buffers.scratchBytes(), 2 * 8 * 64);
}

TEST(FusionTest, ALoadIsNotMovedOverAWrite) {
  KernelMaker m;
  Value *in = m.param(m.matrix(Elem::F32));
  Value *x = loadAt(m, in, 0, {8, 8}), *y = loadAt(m, in, 8, {8, 8});
  Value *before = m.unary(OpKind::NegF, x);
  storeAt(m, zeros(m, {8, 8}), in, 0);
  Value *after = m.unary(OpKind::NegF, y);
  Value *product = m.mma(before, after, nullptr, Elem::F32);
  storeAt(m, product, in, 16);
  Plan plan(m);
  EXPECT_FALSE(plan.fusion.isInline(x));
  EXPECT_FALSE(plan.fusion.isInline(y));
  EXPECT_TRUE(plan.fusion.isInline(before));
}

TEST(FusionTest, TwoLoopsShareAValueThroughMemory) {
  KernelMaker m;
  Value *in = m.param(m.matrix(Elem::F32));
  Value *x = loadAt(m, in, 0, {8, 8}), *sum = m.binary(OpKind::AddF, x, x);
  storeAt(m, sum, in, 8);
  storeAt(m, m.unary(OpKind::NegF, sum), in, 16);
  Plan plan(m);
  EXPECT_FALSE(plan.fusion.isInline(sum));
  EXPECT_TRUE(plan.fusion.isInline(x));
}

// The rows are those of softmax: each reduction also computes the value that it is the first to use, in place of that value's
// operand.
TEST(FusionTest, TheFirstReductionFillsWhatOthersUse) {
  KernelMaker m;
  Value *in = m.param(m.matrix(Elem::F32)), *out = m.param(m.matrix(Elem::F32));
  Value *x = loadAt(m, in, 0, {8, 80}), *largest = m.reduce("maximumf", x, 1);
  Value *e = m.unary(OpKind::Exp, m.binary(OpKind::SubF, x, m.broadcast(largest, 1, 80))), *sum = m.reduce("add", e, 1);
  storeAt(m, m.binary(OpKind::DivF, e, m.broadcast(sum, 1, 80)), out, 0);
  Plan plan(m);
  EXPECT_EQ(plan.fusion.filledBy(*largest->definingOp()), x);
  EXPECT_EQ(plan.fusion.filledBy(*sum->definingOp()), e);
  EXPECT_EQ(plan.fusion.fillerOf(e), sum->definingOp());
  EXPECT_FALSE(plan.fusion.isInline(e));
  EXPECT_EQ(plan.offset(e), plan.offset(x));
  int64_t rows = bufferShape(x->type(), Elem::F32).bytes();
  for (const Value *result : {largest, sum}) EXPECT_GE(plan.offset(result), plan.offset(x) + rows);
}

// A column is stored without padding if only loops and broadcasts use it.
TEST(BufferAssignmentTest, ColumnsOfReductionsAreDense) {
  for (bool stores : {false, true}) {
    KernelMaker m;
    Value *in = m.param(m.matrix(Elem::F32)), *out = m.param(m.matrix(Elem::F32)), *zero = m.index(0);
    Value *x = loadAt(m, in, 0, {40, 64}), *sum = nullptr;
    Value *total = m.loop(zero, m.index(3), m.index(1), {zeros(m, {40, 1})}, [&](Value *, std::vector<Value *> v) {
      sum = m.reduce("add", x, 1);
      return std::vector<Value *>{m.binary(OpKind::AddF, v[0], sum)};
    })[0];
    storeAt(m, m.broadcast(total, 1, 64), out, 0);
    if (stores) storeAt(m, total, out, 40);
    Plan plan(m);
    for (const Value *value : {static_cast<const Value *>(sum), static_cast<const Value *>(total)}) {
      const BufferShape &shape = plan.buffers.bufferOf(value)->shape;
      EXPECT_EQ(shape.isDenseColumn(), !stores);
      EXPECT_EQ(shape.bytes(), stores ? 40 * 64 : 192);
    }
  }
}

// Both values that a loop carries depend on one comparison, as those of argmax do: one loop computes all three.
TEST(FusionTest, LoopsThatUseOneValueBecomeOne) {
  KernelMaker m;
  Value *in = m.param(m.matrix(Elem::F32)), *out = m.param(m.matrix(Elem::F32));
  Value *x = loadAt(m, in, 0, {4, 64}), *shared = m.unary(OpKind::NegF, x);
  Value *first = m.binary(OpKind::AddF, shared, x), *second = m.unary(OpKind::Exp, shared);
  storeAt(m, first, out, 0);
  storeAt(m, second, out, 4);
  storeAt(m, first, out, 8);
  storeAt(m, second, out, 12);
  Plan plan(m);
  EXPECT_EQ(plan.fusion.filledBy(*second->definingOp()), first);
  EXPECT_TRUE(plan.fusion.isInline(shared));
  EXPECT_TRUE(plan.fusion.isInline(x));
  EXPECT_TRUE(plan.fusion.leavesOf(*second->definingOp()).empty());
  EXPECT_NE(plan.offset(first), plan.offset(second));
}

// Between the loops something uses the first value, writes memory, or needs a buffer.
TEST(FusionTest, LoopsDoNotMergeOverOtherLoops) {
  for (const char *between : {"use", "write", "buffer"}) {
    SCOPED_TRACE(between);
    KernelMaker m;
    Value *in = m.param(m.matrix(Elem::F32)), *out = m.param(m.matrix(Elem::F32)), *other = nullptr;
    Value *x = loadAt(m, in, 0, {4, 64}), *shared = m.unary(OpKind::NegF, x), *first = m.unary(OpKind::Exp, shared);
    if (between == std::string("buffer"))
      other = m.unary(OpKind::Exp, loadAt(m, in, 4, {4, 64}));
    else
      storeAt(m, between == std::string("write") ? zeros(m, {4, 64}) : first, out, 0);
    Value *second = m.unary(OpKind::AbsF, shared);
    for (int64_t row : {4, 8}) storeAt(m, second, out, row), storeAt(m, first, out, row + 8);
    for (int64_t row : {20, 24})
      if (other) storeAt(m, other, out, row);
    Plan plan(m);
    EXPECT_EQ(plan.fusion.filledBy(*second->definingOp()), nullptr);
    EXPECT_EQ(plan.fusion.filledBy(*first->definingOp()), shared) << "the first loop still computes what both use";
    EXPECT_EQ(plan.fusion.leavesOf(*second->definingOp()), std::vector<Value *>{shared});
    EXPECT_TRUE(plan.fusion.isInline(x));
  }
}

// Loops become one only if that makes the value that both use inline.
TEST(FusionTest, MergedLoopsComputeWhatTheyShare) {
  for (int length = 1; length < kMaxFusedOps; ++length) {
    KernelMaker m;
    Value *in = m.param(m.matrix(Elem::F32)), *out = m.param(m.matrix(Elem::F32));
    Value *shared = m.unary(OpKind::NegF, loadAt(m, in, 0, {4, 64})), *first = shared, *second = shared;
    for (int i = 0; i < length; ++i) first = m.unary(OpKind::Exp, first);
    for (int i = 0; i < length; ++i) second = m.unary(OpKind::AbsF, second);
    for (int64_t row : {4, 8}) storeAt(m, second, out, row), storeAt(m, first, out, row + 8);
    Plan plan(m);
    bool merged = plan.fusion.filledBy(*second->definingOp()) == first;
    EXPECT_EQ(merged, plan.fusion.isInline(shared)) << length;
    EXPECT_EQ(merged, 2 * length + 1 < kMaxFusedOps) << length;
  }
}

TEST(FusionTest, AReductionFillsNothingThatIsUsedBeforeIt) {
  KernelMaker m;
  Value *in = m.param(m.matrix(Elem::F32)), *out = m.param(m.matrix(Elem::F32));
  Value *x = loadAt(m, in, 0, {8, 16}), *y = loadAt(m, in, 8, {8, 16});
  storeAt(m, x, out, 0); // reads x, and may overwrite the memory from which y is loaded
  Value *sum = m.reduce("add", x, 1), *other = m.reduce("add", y, 1);
  storeAt(m, m.binary(OpKind::AddF, m.binary(OpKind::AddF, x, y), m.broadcast(m.binary(OpKind::AddF, sum, other), 1, 16)), out,
          8);
  Plan plan(m);
  EXPECT_EQ(plan.fusion.filledBy(*sum->definingOp()), nullptr);
  EXPECT_EQ(plan.fusion.filledBy(*other->definingOp()), nullptr);
}

TEST(FusionTest, LongChainsAreCut) {
  KernelMaker m;
  Value *in = m.param(m.matrix(Elem::F32)), *value = loadAt(m, in, 0, {4, 4});
  for (int i = 0; i < 200; ++i) value = m.unary(OpKind::NegF, value);
  storeAt(m, value, in, 8);
  Plan plan(m);
  int buffers = 0;
  for (Op &op : m.kernel->body)
    if (op.resultCount() && op.result()->type().isVector() && !plan.fusion.isInline(op.result())) ++buffers;
  EXPECT_EQ(buffers, (200 - (kMaxFusedOps - 1)) / kMaxFusedOps + 1); // the store counts as one op
}

TEST(BufferAssignmentTest, SwappedParametersKeepTwoBuffers) {
  KernelMaker m;
  Value *in = m.param(m.matrix(Elem::F32));
  Value *x = loadAt(m, in, 0, {8, 8}), *y = loadAt(m, in, 8, {8, 8});
  std::vector<Value *> done = m.loop(m.index(0), m.index(3), m.index(1), {x, y},
                                     [&](Value *, std::vector<Value *> v) { return std::vector<Value *>{v[1], v[0]}; });
  storeAt(m, done[0], in, 16);
  storeAt(m, done[1], in, 24);
  Plan plan(m);
  EXPECT_NE(plan.offset(done[0]), plan.offset(done[1]));
  EXPECT_EQ(plan.offset(done[0]), plan.offset(x));
  EXPECT_EQ(plan.offset(done[1]), plan.offset(y));
  EXPECT_EQ(plan.buffers.scratchBytes(), 2 * 512);
}

// A value that is used after the loop keeps its buffer, so the loop gets a copy.
TEST(BufferAssignmentTest, AnInitThatLivesOnIsCopied) {
  KernelMaker m;
  Value *in = m.param(m.matrix(Elem::F32));
  Value *x = loadAt(m, in, 0, {8, 8});
  std::vector<Value *> done = m.loop(m.index(0), m.index(3), m.index(1), {x}, [&](Value *, std::vector<Value *> v) {
    return std::vector<Value *>{m.binary(OpKind::AddF, v[0], v[0])};
  });
  storeAt(m, done[0], in, 16);
  storeAt(m, x, in, 24);
  Plan plan(m);
  EXPECT_NE(plan.offset(done[0]), plan.offset(x));
}

// The rule "a missing else keeps the old value" is an else that yields the old value: both branches work in place.
TEST(BufferAssignmentTest, ABranchUpdatesInPlace) {
  KernelMaker m;
  Value *in = m.param(m.matrix(Elem::F32));
  Value *x = loadAt(m, in, 0, {8, 8});
  Value *condition = m.compare("slt", m.dim(in, 0), m.index(5));
  std::vector<Value *> done = m.branch(
      condition, [&] { return std::vector<Value *>{m.binary(OpKind::MulF, x, x)}; }, [&] { return std::vector<Value *>{x}; });
  storeAt(m, done[0], in, 8);
  Plan plan(m);
  EXPECT_EQ(plan.offset(done[0]), plan.offset(x));
  EXPECT_EQ(plan.buffers.scratchBytes(), 512);
}

TEST(BufferAssignmentTest, LivesThatDoNotOverlapShareMemory) {
  KernelMaker m;
  Value *in = m.param(m.matrix(Elem::F32)), *half = m.param(m.matrix(Elem::F16));
  for (int i = 0; i < 10; ++i) {
    storeAt(m, loadAt(m, in, 0, {16, 16}), in, 16);
    storeAt(m, loadAt(m, half, 0, {32, 8}), half, 32);
  }
  Plan plan(m);
  EXPECT_EQ(plan.buffers.scratchBytes(), 32 * 64);
}

} // namespace
} // namespace xt
