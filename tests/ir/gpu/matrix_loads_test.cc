// Tests which operands of mma.sync ldmatrix loads, as they lie in memory.
#include "ir/gpu/matrix_loads.h"

#include "ir/context.h"
#include "ir/elem_kinds.h"
#include "ir/gpu/quad_fragments.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

// How an operand (0: a, 1: b) is loaded from memory by rows, or by columns; as "trans DOWNxACROSS".
std::string loadOf(Elem elem, int64_t k, size_t operand, bool byColumns) {
  Context context;
  std::optional<DpasFragments> fragments = quadFragments(context, MmaShape{elem, elem, Elem::F32, 16, 8, k});
  if (!fragments) return "no fragments";
  const Layout *layout = operand == 0 ? fragments->a : fragments->b;
  if (byColumns) layout = transposed(context, layout, std::vector<int64_t>{1, 0});
  std::optional<MatrixLoad> load = matrixLoad(*layout, elem);
  if (!load) return "none";
  return (load->transposed ? "trans " : "") + std::to_string(load->down) + "x" + std::to_string(load->across);
}

TEST(MatrixLoads, Halves) {
  EXPECT_EQ(loadOf(Elem::F16, 16, 0, false), "2x2");
  EXPECT_EQ(loadOf(Elem::F16, 16, 0, true), "trans 2x2");
  EXPECT_EQ(loadOf(Elem::BF16, 16, 1, false), "trans 2x1");
  EXPECT_EQ(loadOf(Elem::BF16, 16, 1, true), "1x2");
  EXPECT_EQ(loadOf(Elem::F16, 8, 0, false), "2x1");
}

// Of narrower and wider elements, ldmatrix transposes nothing.
TEST(MatrixLoads, OtherElements) {
  EXPECT_EQ(loadOf(Elem::I8, 32, 0, false), "2x2");
  EXPECT_EQ(loadOf(Elem::F8E4M3, 32, 1, true), "1x2");
  EXPECT_EQ(loadOf(Elem::I8, 32, 1, false), "none");
  EXPECT_EQ(loadOf(Elem::TF32, 8, 0, false), "2x2");
  EXPECT_EQ(loadOf(Elem::TF32, 8, 1, false), "none");
  EXPECT_EQ(loadOf(Elem::TF32, 8, 1, true), "1x2");
}

TEST(MatrixLoads, DoublesHaveNone) {
  Context context;
  std::optional<DpasFragments> fragments = quadFragments(context, MmaShape{Elem::F64, Elem::F64, Elem::F64, 8, 8, 4});
  ASSERT_TRUE(fragments);
  EXPECT_FALSE(matrixLoad(*fragments->a, Elem::F64));
}

// Two blocks of b side by side are four matrices.
TEST(MatrixLoads, TwoBlocksOfB) {
  Context context;
  const Layout *layout = quadLayoutOfB(context, std::vector<int64_t>{16, 16}, Elem::F16);
  ASSERT_TRUE(layout);
  std::optional<MatrixLoad> load = matrixLoad(*layout, Elem::F16);
  ASSERT_TRUE(load);
  EXPECT_TRUE(load->transposed);
  EXPECT_EQ(load->down * load->across, 4);
  EXPECT_EQ(sliced(context, layout, std::vector<int64_t>{16, 8}),
            quadFragments(context, MmaShape{Elem::F16, Elem::F16, Elem::F32, 16, 8, 16})->b);
}

} // namespace
} // namespace xt
