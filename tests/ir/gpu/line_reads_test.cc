// Tests which blocks 1D block messages load row by row.
#include "ir/gpu/line_reads.h"

#include "ir/base/text.h"
#include "ir/context.h"
#include "ir/elem_kinds.h"
#include "ir/gpu/lane_fragments.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

// How DG2 loads a row of a block of rows x columns elements with this sg_map, as "words x bytes / elements in a word".
std::string readOf(Elem elem, std::vector<int64_t> shape, std::vector<int64_t> wiLayout, std::vector<int64_t> wiData,
                   std::string_view target = "xe-dg2") {
  Context context;
  const Layout *layout = dealtToLanes(context, std::move(wiLayout), std::move(wiData), shape);
  if (!layout) return "no layout";
  std::optional<LineRead> read = lineRead(*findTargetInfo(target), *layout, elem);
  return read ? str(read->words, "x", read->wordBytes, "/", read->pack) : "none";
}

TEST(LineReads, OperandsOfProducts) {
  EXPECT_EQ(readOf(Elem::F16, {8, 16}, {1, 8}, {1, 2}), "1x4/2");
  EXPECT_EQ(readOf(Elem::F16, {8, 64}, {1, 8}, {1, 2}), "4x4/2");
  EXPECT_EQ(readOf(Elem::BF16, {16, 8}, {1, 8}, {1, 1}), "1x2/1");
  EXPECT_EQ(readOf(Elem::BF16, {16, 32}, {1, 8}, {2, 1}), "4x2/1");
  EXPECT_EQ(readOf(Elem::I8, {8, 32}, {1, 8}, {1, 4}), "1x4/4");
  EXPECT_EQ(readOf(Elem::U8, {32, 8}, {1, 8}, {4, 1}), "1x1/1");
  EXPECT_EQ(readOf(Elem::F32, {8, 8}, {1, 8}, {1, 1}), "1x4/1");
}

// Lanes that are distributed over rows too, words that are wider than 32 bits, elements that do not fill their bytes.
TEST(LineReads, OtherBlocksHaveNone) {
  EXPECT_EQ(readOf(Elem::F16, {8, 4}, {2, 4}, {1, 1}), "none");
  EXPECT_EQ(readOf(Elem::F16, {8, 8}, {8, 1}, {1, 1}), "none");
  EXPECT_EQ(readOf(Elem::F32, {8, 16}, {1, 8}, {1, 2}), "none");
  EXPECT_EQ(readOf(Elem::F64, {8, 8}, {1, 8}, {1, 1}), "none");
  EXPECT_EQ(readOf(Elem::I4, {8, 8}, {1, 8}, {1, 1}), "none");
}

// 2D block messages load what these would; other targets have neither.
TEST(LineReads, OtherTargetsHaveNone) {
  for (std::string_view target : {"xe-pvc", "xe-bmg", "spirv", "nv-sm80"})
    EXPECT_EQ(readOf(Elem::F16, {8, 16}, {1, 8}, {1, 2}, target), "none") << target;
}

TEST(LineReads, OnlyGlobalMemory) {
  Context context;
  TypeData data;
  data.kind = TypeKind::TensorDesc;
  data.elem = Elem::F16;
  data.shape = {8, 16};
  const TargetInfo &target = *findTargetInfo("xe-dg2");
  EXPECT_FALSE(lineRead(target, context.intern(data))) << "without an sg_map";
  data.layout = dealtToLanes(context, {1, 8}, {1, 2}, data.shape);
  EXPECT_TRUE(lineRead(target, context.intern(data)));
  data.space = MemorySpace::Slm;
  EXPECT_FALSE(lineRead(target, context.intern(data)));
}

} // namespace
} // namespace xt
