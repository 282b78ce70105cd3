// Tests the subgroup sizes with which a target can run a kernel: products that it has an instruction for, and the lanes of layouts.
#include "ir/builder.h"
#include "ir/elem_kinds.h"
#include "ir/gpu/subgroup_size.h"
#include "ir/module.h"
#include "ir/op_kinds.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

// A kernel with a product of two 16x16 matrices whose left operand is distributed over `lanes` lanes.
struct ProductKernel {
  ProductKernel(Elem elem, int64_t lanes) : builder(context, kernel.body) {
    LayoutSpec spec;
    spec.sg = SgMap{{1, lanes}, {1, 1}};
    LayoutOrError layout = makeLayout(context, spec, std::vector<int64_t>{16, 16});
    Type plain = context.vector({16, 16}, elem), sum = context.vector({16, 16}, Elem::F32);
    Value *a = builder.constantFloat(context.withLayout(plain, std::get<const Layout *>(layout)), 0);
    builder.create(OpKind::TileMma, {a, builder.constantFloat(plain, 0)}, {sum});
  }

  Context context;
  Kernel kernel;
  Builder builder;
};

TEST(SubgroupSize, ProductsOfTheMatrixUnitNeedItsSize) {
  ProductKernel halves(Elem::F16, 8);
  EXPECT_EQ(statedLanes(halves.kernel), 8);
  EXPECT_EQ(subgroupSizesFor(*findTargetInfo("xe-pvc"), halves.kernel), (std::vector<int64_t>{16}));
  EXPECT_EQ(subgroupSizesFor(*findTargetInfo("xe-dg2"), halves.kernel), (std::vector<int64_t>{8}));
}

TEST(SubgroupSize, ProductsThatAreComputedByElementAllowAnySize) {
  ProductKernel floats(Elem::F32, 16);
  EXPECT_EQ(subgroupSizesFor(*findTargetInfo("xe-pvc"), floats.kernel), (std::vector<int64_t>{16, 32}));
  EXPECT_EQ(subgroupSizesFor(*findTargetInfo("xe-dg2"), floats.kernel), (std::vector<int64_t>{16, 32}));
}

TEST(SubgroupSize, LanesOfLayoutsDivideIt) {
  ProductKernel halves(Elem::F16, 16);
  EXPECT_TRUE(subgroupSizesFor(*findTargetInfo("xe-dg2"), halves.kernel).empty());
  EXPECT_EQ(subgroupSizesFor(*findTargetInfo("xe-dg2"), halves.kernel, 1), (std::vector<int64_t>{8}));
}

} // namespace
} // namespace xt
