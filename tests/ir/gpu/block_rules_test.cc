// Compares the rules for block messages with an enumeration of all messages.
#include "ir/context.h"
#include "ir/elem_kinds.h"
#include "ir/gpu/block_rules.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace xt {
namespace {

TEST(BlockRules, AMessageForEachBlockOfTheTableAndNoOther) {
  for (const TargetInfo &target : targetInfos()) {
    std::set<std::tuple<BlockUse, int, int64_t, int64_t>> all;
    for (const BlockShape &shape : target.blockShapes)
      for (int64_t rows = shape.fewestRows; rows <= shape.mostRows; rows *= 2)
        for (int64_t n = shape.fewestBlocks; n <= shape.blocks; n *= 2)
          all.insert({shape.use, shape.bits, rows, n * shape.columns});
    size_t found = 0;
    for (BlockUse use : {BlockUse::Load, BlockUse::LoadVnni, BlockUse::LoadTransposed, BlockUse::Store, BlockUse::Prefetch})
      for (int bits : {8, 16, 32, 64})
        for (int64_t rows = 0; rows <= 65; ++rows)
          for (int64_t columns = 0; columns <= 130; ++columns) {
            const BlockShape *shape = blockMessage(target, use, bits, rows, columns);
            ASSERT_EQ(shape != nullptr, all.count({use, bits, rows, columns}) != 0)
                << target.name << ' ' << rows << 'x' << columns << 'x' << bits;
            if (!shape) continue;
            EXPECT_TRUE(shape->use == use && shape->bits == bits && columns % shape->columns == 0);
            ++found;
          }
    EXPECT_EQ(found, all.size()) << target.name;
  }
}

TEST(BlockRules, LinesOfWords) {
  auto bytesOf = [](const char *target) {
    std::vector<int64_t> all;
    for (int64_t bytes = -4; bytes <= 1100; ++bytes)
      if (lineAlignment(*findTargetInfo(target), bytes)) all.push_back(bytes);
    return all;
  };
  EXPECT_EQ(bytesOf("xe-pvc"), (std::vector<int64_t>{4, 8, 12, 16, 24, 32, 64, 128, 256, 512}));
  EXPECT_EQ(bytesOf("xe-dg2"), (std::vector<int64_t>{4, 8, 12, 16, 24, 32, 64, 128, 256}));
  EXPECT_TRUE(bytesOf("spirv").empty());
  // If no message of 32-bit words has this number of bytes, 64-bit words are used.
  const TargetInfo &pvc = *findTargetInfo("xe-pvc");
  for (int64_t bytes : {4, 8, 12, 16, 32, 64, 128, 256}) EXPECT_EQ(lineAlignment(pvc, bytes), 4) << bytes;
  for (int64_t bytes : {24, 512}) EXPECT_EQ(lineAlignment(pvc, bytes), 8) << bytes;
}

TEST(BlockRules, WidthsPitchesAndDistances) {
  const BlockRules &rules = findTargetInfo("xe-pvc")->blocks;
  for (Elem elem : {Elem::I8, Elem::F16, Elem::F32, Elem::F64}) {
    int64_t bytes = elemInfo(elem).storageBytes;
    for (int64_t n = 1; n <= 200; ++n) {
      BlockBase base{elem, 1024, 1024, 1024, 1, {1024}};
      base.width = n;
      EXPECT_EQ(whyNoBlockBase(rules, base).empty(), n * bytes >= 64 && n * bytes % 4 == 0) << n;
      base.width = kDynamic, base.pitch = n;
      EXPECT_EQ(whyNoBlockBase(rules, base).empty(), n * bytes >= 64 && n * bytes % 16 == 0) << n;
      base.height = 1; // no second row, so the pitch does not matter
      EXPECT_EQ(whyNoBlockBase(rules, base), "");
      base.width = base.pitch = 1024, base.apart = {1024, n};
      EXPECT_EQ(whyNoBlockBase(rules, base).empty(), n * bytes % 64 == 0) << n;
    }
  }
  EXPECT_EQ(whyNoBlockBase(rules, {Elem::F16, kDynamic, kDynamic, kDynamic, 1, {kDynamic}}), "");
  EXPECT_NE(whyNoBlockBase(rules, {Elem::F16, kDynamic, kDynamic, kDynamic, 2, {}}), "");
  EXPECT_EQ(whyNoBlockBase(rules, {Elem::F16, 64, 8, 64, 1, {}}), "");
  EXPECT_NE(whyNoBlockBase(rules, {Elem::F16, 64, 8, 56, 1, {}}), ""); // rows overlap
  EXPECT_EQ(whyNoBlockBase(rules, {Elem::I8, 1 << 24, 1 << 24, 1 << 24, 1, {}}), "");
  EXPECT_NE(whyNoBlockBase(rules, {Elem::I8, (1 << 24) + 4, 4, kDynamic, 1, {}}), "");
  EXPECT_NE(whyNoBlockBase(rules, {Elem::I8, 64, 4, (1 << 24) + 16, 1, {}}), "");
  EXPECT_NE(whyNoBlockBase(rules, {Elem::I8, 64, (1 << 24) + 1, 64, 1, {}}), "");
}

TEST(BlockRules, BaseOfAMemref) {
  Context context;
  TypeData data;
  data.kind = TypeKind::MemRef;
  data.elem = Elem::F16;
  data.shape = {3, 20, 40};
  BlockBase base = blockBaseOf(context.intern(data));
  EXPECT_EQ(base.width, 40);
  EXPECT_EQ(base.height, 20);
  EXPECT_EQ(base.pitch, 40);
  EXPECT_EQ(base.step, 1);
  EXPECT_EQ(base.apart, std::vector<int64_t>{800});
  data.shape = {20, kDynamic};
  base = blockBaseOf(context.intern(data));
  EXPECT_EQ(base.width, kDynamic);
  EXPECT_EQ(base.pitch, kDynamic);
}

} // namespace
} // namespace xt
