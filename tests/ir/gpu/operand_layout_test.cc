// Compares the layouts of operands with their definitions, element by element.
#include "ir/context.h"
#include "ir/elem_kinds.h"
#include "ir/gpu/lane_fragments.h"
#include "ir/gpu/operand_layout.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace xt {
namespace {

// The lane that holds an element, and the number of the register.
struct Place {
  int64_t lane, number;
  bool operator==(const Place &) const = default;
};

Place placeOf(const RegisterLayout &operand, int64_t row, int64_t column) {
  std::vector<int64_t> owners = operand.layout->owners(std::vector<int64_t>{row, column}, Axis::Lane);
  EXPECT_EQ(owners.size(), 1u);
  int64_t lane = owners.at(0);
  std::vector<int64_t> rows = operand.layout->sliceOf(Axis::Lane, lane, 0),
                       columns = operand.layout->sliceOf(Axis::Lane, lane, 1);
  auto r = static_cast<size_t>(std::ranges::find(rows, row) - rows.begin());
  auto c = static_cast<size_t>(std::ranges::find(columns, column) - columns.begin());
  return {lane, static_cast<int64_t>(operand.registers.at(r * columns.size() + c))};
}

bool isPermutation(std::vector<size_t> registers) {
  std::ranges::sort(registers);
  for (size_t k = 0; k < registers.size(); ++k)
    if (registers[k] != k) return false;
  return true;
}

TEST(OperandLayout, EveryInstructionUsesEachRegisterOnce) {
  Context context;
  for (const TargetInfo &target : targetInfos())
    for (const MmaInstruction &product : target.mma) {
      SCOPED_TRACE(std::string(target.name) + " " + typesText(product) + " " + sizesText(product));
      EXPECT_TRUE(product.takesValues());
      EXPECT_EQ(product.n, target.family == GpuFamily::Nvidia ? 8 : target.subgroupSizes[0]);
      for (const MmaOperandLayout *operand : {&product.aLayout, &product.bLayout, &product.cLayout}) {
        RegisterLayout layout = registerLayout(context, *operand);
        if (product.a == Elem::TF32 && product.m == 1 && operand == &product.aLayout) { // half of the lanes hold nothing
          EXPECT_FALSE(layout.layout);
          continue;
        }
        ASSERT_TRUE(layout.layout);
        EXPECT_EQ(layout.layout->axisSize(Axis::Lane), target.subgroupSizes[0]);
        EXPECT_TRUE(isPermutation(layout.registers));
        EXPECT_EQ(layout.registers.size() * static_cast<size_t>(target.subgroupSizes[0]),
                  static_cast<size_t>(layout.layout->shape()[0] * layout.layout->shape()[1]));
      }
    }
}

// By cl_intel_subgroup_matrix_multiply_accumulate, a lane holds one column of `b` and of `c`, and several neighbouring columns
// of `a`, as many as there are for each lane. Fragments at lane scope have the same layout.
TEST(OperandLayout, OfDpas) {
  Context context;
  for (const char *name : {"xe-pvc", "xe-dg2"}) {
    const TargetInfo &target = *findTargetInfo(name);
    int64_t lanes = target.subgroupSizes[0];
    for (const MmaInstruction &product : target.mma) {
      if (product.k < lanes) continue;
      SCOPED_TRACE(std::string(name) + " " + typesText(product) + " " + sizesText(product));
      RegisterLayout a = registerLayout(context, product.aLayout), b = registerLayout(context, product.bLayout),
                     c = registerLayout(context, product.cLayout);
      int64_t each = product.k / lanes;
      for (int64_t i = 0; i < product.m; ++i) {
        for (int64_t k = 0; k < product.k; ++k) EXPECT_EQ(placeOf(a, i, k), (Place{k / each, i * each + k % each}));
        for (int64_t j = 0; j < product.n; ++j) EXPECT_EQ(placeOf(c, i, j), (Place{j, i}));
      }
      for (int64_t k = 0; k < product.k; ++k)
        for (int64_t j = 0; j < product.n; ++j) EXPECT_EQ(placeOf(b, k, j), (Place{j, k}));
      DpasFragments fragments = instructionFragments(context, target, product, lanes);
      EXPECT_TRUE(fragments.a == a.layout && fragments.b == b.layout && fragments.c == c.layout);
    }
  }
}

TEST(OperandLayout, OfDpasWithFewerColumnsThanLanes) {
  Context context;
  const TargetInfo &pvc = *findTargetInfo("xe-pvc");
  const MmaInstruction *product = findProduct(pvc, {Elem::TF32, Elem::TF32, Elem::F32, 8, 16, 8});
  ASSERT_TRUE(product);
  RegisterLayout a = registerLayout(context, product->aLayout);
  for (int64_t i = 0; i < 8; ++i)
    for (int64_t k = 0; k < 8; ++k) EXPECT_EQ(placeOf(a, i, k), (Place{i % 2 * 8 + k, i / 2}));
  EXPECT_EQ(instructionFragments(context, pvc, *product, 16).a, a.layout);
}

// The example is from the PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type". Its registers are not
// row-major.
TEST(OperandLayout, RegistersInAnyOrder) {
  constexpr MmaOperandLayout kA{{{2, Axis::Register, 2}, {8, Axis::Lane, 4}},
                                {{2, Axis::Register, 4}, {4, Axis::Lane, 1}, {2, Axis::Register, 1}}},
      kB{{{2, Axis::Register, 2}, {4, Axis::Lane, 1}, {2, Axis::Register, 1}}, {{8, Axis::Lane, 4}}},
      kC{{{2, Axis::Register, 2}, {8, Axis::Lane, 4}}, {{4, Axis::Lane, 1}, {2, Axis::Register, 1}}};
  Context context;
  RegisterLayout a = registerLayout(context, kA), b = registerLayout(context, kB), c = registerLayout(context, kC);
  ASSERT_TRUE(a.layout && b.layout && c.layout);
  for (int64_t lane = 0; lane < 32; ++lane) {
    int64_t group = lane / 4, inGroup = lane % 4;
    for (int64_t i = 0; i < 8; ++i) {
      int64_t row = i % 4 < 2 ? group : group + 8, column = inGroup * 2 + i % 2 + (i < 4 ? 0 : 8);
      EXPECT_EQ(placeOf(a, row, column), (Place{lane, i})) << lane << ' ' << i;
    }
    for (int64_t i = 0; i < 4; ++i) {
      EXPECT_EQ(placeOf(b, inGroup * 2 + i % 2 + (i < 2 ? 0 : 8), group), (Place{lane, i})) << lane << ' ' << i;
      EXPECT_EQ(placeOf(c, i < 2 ? group : group + 8, inGroup * 2 + i % 2), (Place{lane, i})) << lane << ' ' << i;
    }
  }
}

} // namespace
} // namespace xt
