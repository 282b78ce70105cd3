#include "ir/verify/nearest_size.h"

#include "ir/elem_kinds.h"
#include "ir/gpu/block_rules.h"
#include "ir/gpu/subgroup_size.h"
#include "ir/module.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

// Returns the factor by which two sizes differ.
double apart(int64_t a, int64_t b) { return static_cast<double>(std::max(a, b)) / static_cast<double>(std::min(a, b)); }

TEST(NearestSize, OfBlocksIsAMessageAndNoneIsNearer) {
  size_t seen = 0;
  for (const TargetInfo &target : targetInfos())
    for (BlockUse use : {BlockUse::Load, BlockUse::LoadVnni, BlockUse::LoadTransposed, BlockUse::Store, BlockUse::Prefetch})
      for (int bits : {8, 16, 32, 64}) {
        std::vector<BlockSize> all;
        for (int64_t rows = 1; rows <= 64; ++rows)
          for (int64_t columns = 1; columns <= 128; ++columns)
            if (blockMessage(target, use, bits, rows, columns)) all.push_back({rows, columns});
        for (BlockSize wanted :
             {BlockSize{16, 16}, BlockSize{12, 48}, BlockSize{1, 1}, BlockSize{100, 100}, BlockSize{3, 64}}) {
          std::optional<BlockSize> nearest = nearestBlock(target, use, bits, wanted);
          ASSERT_EQ(nearest.has_value(), !all.empty());
          if (!nearest) continue;
          EXPECT_TRUE(blockMessage(target, use, bits, nearest->rows, nearest->columns));
          double least = apart(nearest->rows, wanted.rows) * apart(nearest->columns, wanted.columns);
          for (BlockSize other : all)
            EXPECT_LE(least, apart(other.rows, wanted.rows) * apart(other.columns, wanted.columns) * (1 + 1e-12));
          ++seen;
        }
      }
  EXPECT_GE(seen, 50u);
}

TEST(NearestSize, OfTwoEquallyNearTheSmaller) {
  const TargetInfo &pvc = *findTargetInfo("xe-pvc");
  std::optional<BlockSize> store = nearestBlock(pvc, BlockUse::Store, 32, {16, 16});
  ASSERT_TRUE(store);
  EXPECT_EQ(store->rows, 8);
  EXPECT_EQ(store->columns, 16);
  EXPECT_EQ(nearestLine(pvc, 24, 4), 32);
  EXPECT_EQ(nearestLine(pvc, 1000, 4), 128);
  EXPECT_EQ(nearestLine(*findTargetInfo("spirv"), 16, 4), std::nullopt);
  EXPECT_EQ(nearestOf(pvc.scatterChunks, 16), 8);
  MmaShape large{Elem::F16, Elem::F16, Elem::F32, 16, 32, 16};
  EXPECT_EQ(sizesText(nearestProduct(mmaShapes(pvc), large)), "8x16x16");
}

TEST(SubgroupSize, IsTheFirstWithWhichTheWorkgroupFits) {
  const TargetInfo &pvc = *findTargetInfo("xe-pvc"), &dg2 = *findTargetInfo("xe-dg2"), &plain = *findTargetInfo("spirv");
  auto sizeFor = [](const TargetInfo &target, int64_t subgroups) {
    Kernel kernel;
    kernel.subgroups = subgroups;
    return subgroupSizeFor(target, kernel);
  };
  EXPECT_EQ(sizeFor(pvc, 32), 16);
  EXPECT_EQ(sizeFor(pvc, 100), 16) << "its products need that";
  EXPECT_EQ(sizeFor(dg2, 32), 8);
  EXPECT_EQ(sizeFor(plain, 16), 16);
  EXPECT_EQ(sizeFor(plain, 17), 8);
  EXPECT_EQ(sizeFor(plain, 100), 8) << "none fits";
}

} // namespace
} // namespace xt
