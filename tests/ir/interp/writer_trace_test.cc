#include "ir/interp/writer_trace.h"

#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "kernel_fixture.h"

namespace xt {
namespace {

using WriterTraceTest = KernelTest;

TEST_F(WriterTraceTest, AgreesWithWhoReallyWrites) {
  // Each subgroup of each workgroup stores its part of a product. K is distributed, so that a real run needs exchanges.
  kernel.scope = Scope::Workgroup;
  kernel.subgroups = 4;
  Value *A = matrixParam(Elem::F16), *C = matrixParam(Elem::F32);
  Value *i = gridVariable([](Builder &g) { return g.index(20); }, 8),
        *j = gridVariable([](Builder &g) { return g.index(30); }, 12);
  const Layout *a = layout({8, 4}, {2, 2}, {4, 2}), *bl = layout({4, 12}, {2, 2}, {2, 3}), *d = layout({8, 12}, {2, 2}, {4, 3});
  Value *product =
      mma(load(tileAt(A, 0, 0, {8, 4}, a)), load(tileAt(A, 0, 0, {4, 12}, bl)), nullptr, context.vector({8, 12}, Elem::F32, d));
  store(product, tile(C, {i, j}, {8, 12}, d));
  Array in(Elem::F16, {8, 12}), out(Elem::F32, {20, 30});
  out.fill([](int64_t) { return 5; });
  std::vector<unsigned char> before = out.memory();
  std::vector<std::vector<int64_t>> elements;
  out.forEach([&](const std::vector<int64_t> &index) { elements.push_back(index); });
  Result<std::vector<GridRange>> grid = computeGrid(kernel, {in.arg(), out.arg()});
  ASSERT_TRUE(grid);
  auto writers = findWriters(kernel, {in.arg(), out.arg()}, *grid, 1, elements);
  ASSERT_TRUE(writers) << writers.error().message;
  EXPECT_EQ(out.memory(), before) << "a trace writes nothing";
  for (size_t e = 0; e < elements.size(); ++e) {
    int64_t r = elements[e][0], c = elements[e][1];
    ASSERT_TRUE((*writers)[e]);
    EXPECT_EQ((*writers)[e]->workgroup, (std::vector<int64_t>{r / 8, c / 12}));
    EXPECT_EQ((*writers)[e]->subgroup, (r % 8) / 4 * 2 + (c % 12) / 3 % 2);
  }
  auto reads = findWriters(kernel, {in.arg(), out.arg()}, *grid, 0, std::vector<std::vector<int64_t>>{{0, 0}});
  ASSERT_TRUE(reads);
  EXPECT_FALSE((*reads)[0]);
}

TEST_F(WriterTraceTest, TheLastWriterInsideLoopsAndBatches) {
  Value *C = param(memref({kDynamic, kDynamic, kDynamic}, Elem::I32)), *alias = param(C->type());
  Value *i = gridVariable([](Builder &g) { return g.index(3); }, 1);
  Value *v = b.constantInt(context.vector({2, 2}, Elem::I32), 1);
  // Workgroup i writes the matrices 0 to i, through another parameter that refers to the same buffer.
  Value *next = b.value(OpKind::AddI, {i, b.index(1)}, context.index());
  loop(b.index(0), next, b.index(1), {v}, [&](Value *k, auto carried) {
    store(carried[0], tile(alias, {k, b.index(-1), b.index(0)}, {2, 2}));
    return carried;
  });
  Array out(Elem::I32, {4, 2, 2}), other(Elem::I32, {4, 2, 2});
  Result<std::vector<GridRange>> grid = computeGrid(kernel, {out.arg(), out.arg()});
  std::vector<std::vector<int64_t>> elements = {{0, 0, 0}, {2, 0, 1}, {3, 0, 0}, {0, 1, 0}};
  auto writers = findWriters(kernel, {out.arg(), out.arg()}, *grid, 0, elements);
  ASSERT_TRUE(writers);
  ASSERT_TRUE((*writers)[0] && (*writers)[1]);
  EXPECT_EQ((*writers)[0]->workgroup, std::vector<int64_t>{2});
  EXPECT_EQ((*writers)[1]->workgroup, std::vector<int64_t>{2});
  EXPECT_FALSE((*writers)[2]);
  EXPECT_FALSE((*writers)[3]) << "the tile lies one row higher";
  auto apart = findWriters(kernel, {out.arg(), other.arg()}, *grid, 0, elements);
  ASSERT_TRUE(apart);
  EXPECT_FALSE((*apart)[0]);
}

} // namespace
} // namespace xt
