// Compares the operands of mma.sync with the formulas of the PTX ISA, "Matrix fragments for mma", and with the fragments that
// `dpas` has in 32 lanes.
#include "ir/gpu/quad_fragments.h"

#include "ir/context.h"
#include "ir/elem_kinds.h"
#include "ir/gpu/operand_layout.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

// The row and the column of an element.
struct Index {
  int64_t row, column;
};
using Formula = Index (*)(int64_t group, int64_t inGroup, int64_t i);

// The formulas of one shape: of a, b and c.
struct Shape {
  int bits;
  int64_t m, k;
  Formula a, b, c;
};

Index sumOf16(int64_t group, int64_t inGroup, int64_t i) { return {i < 2 ? group : group + 8, inGroup * 2 + (i & 1)}; }

// groupID is lane / 4, threadID_in_group lane % 4.
const Shape kShapes[] = {
    {16, 16, 8, [](int64_t g, int64_t t, int64_t i) { return Index{i < 2 ? g : g + 8, t * 2 + (i & 1)}; },
     [](int64_t g, int64_t t, int64_t i) { return Index{t * 2 + i, g}; }, sumOf16},
    {16, 16, 16,
     [](int64_t g, int64_t t, int64_t i) {
       return Index{i < 2 || (4 <= i && i < 6) ? g : g + 8, i < 4 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8};
     },
     [](int64_t g, int64_t t, int64_t i) { return Index{i < 2 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8, g}; }, sumOf16},
    {32, 16, 4, [](int64_t g, int64_t t, int64_t i) { return Index{i == 0 ? g : g + 8, t}; },
     [](int64_t g, int64_t t, int64_t) { return Index{t, g}; }, sumOf16},
    {32, 16, 8, [](int64_t g, int64_t t, int64_t i) { return Index{i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4}; },
     [](int64_t g, int64_t t, int64_t i) { return Index{i == 0 ? t : t + 4, g}; }, sumOf16},
    {8, 16, 16, [](int64_t g, int64_t t, int64_t i) { return Index{i < 4 ? g : g + 8, t * 4 + (i & 3)}; },
     [](int64_t g, int64_t t, int64_t i) { return Index{t * 4 + (i & 3), g}; }, sumOf16},
    {8, 16, 32,
     [](int64_t g, int64_t t, int64_t i) {
       return Index{i < 4 || (8 <= i && i < 12) ? g : g + 8, i < 8 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16};
     },
     [](int64_t g, int64_t t, int64_t i) { return Index{i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16, g}; }, sumOf16},
    {64, 8, 4, [](int64_t g, int64_t t, int64_t) { return Index{g, t}; },
     [](int64_t g, int64_t t, int64_t) { return Index{t, g}; },
     [](int64_t g, int64_t t, int64_t i) { return Index{g, t * 2 + (i & 1)}; }},
    {64, 16, 4, [](int64_t g, int64_t t, int64_t i) { return Index{i == 0 ? g : g + 8, t}; },
     [](int64_t g, int64_t t, int64_t) { return Index{t, g}; }, sumOf16},
    {64, 16, 8, [](int64_t g, int64_t t, int64_t i) { return Index{i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4}; },
     [](int64_t g, int64_t t, int64_t i) { return Index{i == 0 ? t : t + 4, g}; }, sumOf16},
    {64, 16, 16,
     [](int64_t g, int64_t t, int64_t i) { return Index{i % 2 == 0 ? g : g + 8, i % 2 == 0 ? i * 2 + t : i * 2 - 2 + t}; },
     [](int64_t g, int64_t t, int64_t i) { return Index{t + i * 4, g}; }, sumOf16},
};

const Shape *shapeOf(const MmaInstruction &product) {
  for (const Shape &shape : kShapes)
    if (shape.bits == 8 * elemInfo(product.a).storageBytes && shape.m == product.m && shape.k == product.k) return &shape;
  return nullptr;
}

void expectFormula(const RegisterLayout &operand, Formula formula) {
  ASSERT_TRUE(operand.layout);
  for (int64_t lane = 0; lane < kQuadLanes; ++lane) {
    std::vector<int64_t> rows = operand.layout->sliceOf(Axis::Lane, lane, 0),
                         columns = operand.layout->sliceOf(Axis::Lane, lane, 1);
    for (size_t k = 0; k < operand.registers.size(); ++k) {
      Index wanted = formula(lane / kLanesOfQuad, lane % kLanesOfQuad, static_cast<int64_t>(operand.registers[k]));
      EXPECT_EQ(rows[k / columns.size()], wanted.row) << "lane " << lane << ", element " << k;
      EXPECT_EQ(columns[k % columns.size()], wanted.column) << "lane " << lane << ", element " << k;
    }
  }
}

TEST(QuadFragments, OperandsAreThoseOfThePtxIsa) {
  Context context;
  ASSERT_EQ(targetInfos(GpuFamily::Nvidia).size(), 4u);
  for (const TargetInfo &target : targetInfos(GpuFamily::Nvidia))
    for (const MmaInstruction &product : target.mma) {
      SCOPED_TRACE(std::string(target.name) + " " + typesText(product) + " " + sizesText(product));
      const Shape *shape = shapeOf(product);
      ASSERT_TRUE(shape);
      expectFormula(registerLayout(context, product.aLayout), shape->a);
      expectFormula(registerLayout(context, product.bLayout), shape->b);
      expectFormula(registerLayout(context, product.cLayout), shape->c);
    }
}

TEST(QuadFragments, DpasHasThemIn32Lanes) {
  Context context;
  for (const TargetInfo &target : targetInfos(GpuFamily::Nvidia))
    for (const MmaInstruction &product : target.mma) {
      SCOPED_TRACE(std::string(target.name) + " " + typesText(product) + " " + sizesText(product));
      DpasFragments fragments = instructionFragments(context, target, product, kQuadLanes);
      EXPECT_EQ(fragments.a, registerLayout(context, product.aLayout).layout);
      EXPECT_EQ(fragments.b, registerLayout(context, product.bLayout).layout);
      EXPECT_EQ(fragments.c, registerLayout(context, product.cLayout).layout);
      auto own = [&](const Layout *layout, Elem elem) { return context.vector(layout->ownerShape(Axis::Lane), elem); };
      auto read = dpasFragments(context, own(fragments.a, product.a), own(fragments.b, product.b),
                                own(fragments.c, product.result), kQuadLanes);
      const auto *found = std::get_if<DpasFragments>(&read);
      ASSERT_TRUE(found);
      EXPECT_TRUE(found->a == fragments.a && found->b == fragments.b && found->c == fragments.c);
      EXPECT_EQ(found->depth, product.k);
    }
}

TEST(QuadFragments, OtherTypesAreNone) {
  Context context;
  Type a = context.vector({2, 4}, Elem::F16), b = context.vector({4, 1}, Elem::F16), c = context.vector({2, 2}, Elem::F32);
  EXPECT_TRUE(quadFragments(context, a, b, c));
  EXPECT_TRUE(quadFragments(context, a, context.vector({2, 1, 2}, Elem::F16), c)) << "pairs along K";
  EXPECT_FALSE(quadFragments(context, a, context.vector({1, 1, 4}, Elem::F16), c)) << "four elements are no register";
  EXPECT_FALSE(quadFragments(context, a, b, context.vector({2, 1}, Elem::F32))) << "one column is the c of other fragments";
  EXPECT_FALSE(quadFragments(context, context.vector({1, 4}, Elem::F16), b, c)) << "a and c have other rows";
  EXPECT_FALSE(quadFragments(context, a, context.vector({2, 1}, Elem::F16), c)) << "a and b have other depths";
  EXPECT_FALSE(quadFragments(context, context.vector({2, 3}, Elem::F16), context.vector({3, 1}, Elem::F16), c))
      << "three halves do not fill registers";
  auto in16 = dpasFragments(context, a, b, c, 16);
  EXPECT_TRUE(std::holds_alternative<DpasMismatch>(in16));
}

} // namespace
} // namespace xt
