#include "ir/elem_kinds.h"
#include "targets/gpu/arguments.h"
#include "targets/gpu/failure.h"
#include "targets/xe/unsupported.h"
#include "tests/targets/xe/program.h"

namespace xt {
namespace {

using test::buffer;
using test::Program;

std::vector<GpuArgument> argumentsOf(const Kernel &kernel, const std::vector<LaunchArg> &args,
                                     const std::vector<GridRange> &grid, const DeviceAddress &address,
                                     std::optional<uint64_t> outcome = std::nullopt) {
  auto values = bindArguments(kernel, args);
  EXPECT_TRUE(values) << values.error().message;
  return values ? gpuArguments(kernel, *values, grid, address, outcome) : std::vector<GpuArgument>{};
}

TEST(XeArguments, FollowTheirOrderAndWidths) {
  Program program("kernel @k(%A: memref<?x8xf16>, %n: i32, %on: i1, %x: f64, %h: f16, %b: bf16, %d: index)\n"
                  "    grid (%i = 2 to dim(%A, 0) step 4, %j = 0 to 8 step 8) {\n}\n");
  std::vector<uint16_t> a(80);
  auto address = [&](const void *host) -> std::optional<uint64_t> {
    EXPECT_EQ(host, a.data());
    return 0x1000;
  };
  auto arguments = argumentsOf(
      program.kernel(),
      {buffer(a.data(), Elem::F16, {10, 8}, {8, 1}), intArg(-2), intArg(1), floatArg(1.5), floatArg(1), floatArg(1), intArg(7)},
      {{2, 4, 2}, {0, 8, 1}}, address, 0x2000);
  std::vector<GpuArgument> expected = {{0x1000, 8}, {10, 8},
                                       {8, 8},      {8, 8},
                                       {1, 8},      {static_cast<uint64_t>(-2), 4},
                                       {1, 1},      {0x3FF8000000000000, 8},
                                       {0x3C00, 2}, {0x3F80, 2},
                                       {7, 8},      {2, 8},
                                       {4, 8},      {0, 8},
                                       {8, 8},      {0x2000, 8}};
  ASSERT_EQ(arguments.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(arguments[i].bytes, expected[i].bytes) << i;
    EXPECT_EQ(arguments[i].bits, expected[i].bits) << i;
    EXPECT_EQ(arguments[i].pointer, i == 0 || i + 1 == expected.size())
        << i << ": the memref and the outcome are addresses of the device";
  }
}

// The pitch of a single row is never used, but messages require a pitch that obeys their rules.
TEST(XeArguments, ASingleRowHasAPitchThatMessagesTake) {
  Program program("kernel @k(%A: memref<?x?xf32>) {\n}\n");
  std::vector<float> a(64);
  const BlockRules &rules = findTargetInfo("xe-pvc")->blocks;
  GpuKernel code;
  code.blockUses = {{0, false}};
  for (auto [rows, pitch] : {std::pair<int64_t, int64_t>{1, 24}, {2, 21}}) {
    auto values = bindArguments(program.kernel(), {buffer(a.data(), Elem::F32, {rows, 21}, {21, 1})});
    ASSERT_TRUE(values);
    EXPECT_EQ(std::get<MemRefValue>(withPitches(code, *values, rules)[0]).strides[0], pitch) << rows;
  }
}

TEST(XeArguments, AnAddressBecomesTheDevices) {
  Program program("kernel @k(%p: i64) {\n}\n");
  std::vector<float> data(4);
  LaunchArg arg = intArg(static_cast<int64_t>(reinterpret_cast<uintptr_t>(data.data() + 1)));
  auto there = argumentsOf(program.kernel(), {arg}, {}, [&](const void *host) -> std::optional<uint64_t> {
    if (host == data.data() + 1) return 0x5004;
    return std::nullopt;
  });
  ASSERT_EQ(there.size(), 1u);
  EXPECT_EQ(there[0].bits, 0x5004u);
  auto none = argumentsOf(program.kernel(), {intArg(42)}, {}, [](const void *) { return std::optional<uint64_t>(); });
  EXPECT_EQ(none[0].bits, 42u) << "a number is no address";
}

TEST(XeBlocks, EachRuleIsAskedForTheBufferAsItIsGiven) {
  Program program("kernel @k(%A: memref<?x?x?xf16, strided<[?, ?, 1]>>) {\n}\n");
  const TargetInfo &pvc = *findTargetInfo("xe-pvc");
  GpuKernel code;
  code.blockUses = {{0}};
  alignas(64) static uint16_t data[1 << 16];
  auto why = [&](std::vector<int64_t> sizes, std::vector<int64_t> strides, uint64_t at = 0x10000) {
    auto values = bindArguments(program.kernel(), {buffer(data, Elem::F16, sizes, strides)});
    EXPECT_TRUE(values) << values.error().message;
    return whyNoBlocks(code, program.kernel(), *values, pvc, [&](const void *) { return std::optional(at); });
  };
  EXPECT_EQ(why({2, 16, 64}, {1024, 64, 1}), "");
  EXPECT_EQ(why({1, 16, 64}, {1000, 64, 1}), "") << "there is one matrix only";
  EXPECT_EQ(why({1, 1, 64}, {64, 65, 1}), "") << "there is one row only";
  EXPECT_EQ(why({2, 16, 64}, {1024, 64, 1}, 0x10020), "`%A` begins at an address that is not a multiple of 64");
  EXPECT_EQ(why({2, 16, 15}, {1024, 64, 1}),
            "`%A`: a row has 30 bytes; a block message needs at least 64, and a multiple of 4");
  EXPECT_EQ(why({2, 16, 64}, {2048, 65, 1}),
            "`%A`: rows are 130 bytes apart; a block message needs at least 64, and a multiple of 16");
  EXPECT_EQ(why({2, 16, 64}, {1032, 64, 1}),
            "`%A`: its matrices are 2064 bytes apart; a block message needs a base address that is a multiple of 64");
  code.blockUses.clear();
  EXPECT_EQ(why({2, 16, 15}, {1024, 64, 1}), "") << "a kernel without block messages takes any";
}

TEST(XeOutcome, NamesWhoFailedAndHow) {
  Program program("kernel @k() subgroups(4) grid (%i = 0 to 2 step 1, %j = 0 to 3 step 1) {\n}\n");
  GpuKernel code;
  code.subgroups = 4;
  code.failures = {{0, "index out of bounds", {1, 2, 3}, false, false, {}},
                   {1, "sum", {1, 4, 5}, true, false, {}},
                   {2, "all", {1, 6, 7}, true, true, {4, 8}}};
  EXPECT_TRUE(outcomeOf(code, program.kernel(), {{}, {}}, kNoOutcome));
  auto failed = outcomeOf(code, program.kernel(), {{0, 1, 2}, {0, 1, 3}}, uint64_t{5} << 32 | 1 << 2 | 2);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, Error::Kind::Kernel);
  EXPECT_EQ(failed.error().message, "assertion failed: sum (workgroup (1, 2), subgroup 2)");
  EXPECT_EQ(failed.error().range, (SourceRange{1, 4, 5}));
  auto element = outcomeOf(code, program.kernel(), {{0, 1, 2}, {0, 1, 3}}, uint64_t{5} << 32 | (2 + 3 * 8 + 1) << 2 | 2);
  ASSERT_FALSE(element);
  EXPECT_EQ(element.error().message, "assertion failed: all at [3, 1] (workgroup (1, 2))");
  Program single("kernel @s() {\n}\n");
  code.subgroups = 1;
  auto alone = outcomeOf(code, single.kernel(), {}, 0);
  ASSERT_FALSE(alone);
  EXPECT_EQ(alone.error().message, "index out of bounds (the workgroup of @s)");
}

TEST(XeUnsupported, F64WhereTheHardwareHasNone) {
  Program program("kernel @p(%A: memref<8x8xf64>) {\n}\n"
                  "kernel @v(%A: memref<8x8xf32>) {\n  %t = init_tile %A[0, 0] -> tile<8x8xf32>\n  %a = load_tile %t\n  %b = "
                  "extf %a : vector<8x8xf32> to vector<8x8xf64>\n"
                  "  %c = truncf %b : vector<8x8xf64> to vector<8x8xf32>\n  store_tile %c, %t\n}\n"
                  "kernel @n(%A: memref<8x8xf32>) {\n}\n");
  const TargetInfo &dg2 = *findTargetInfo("xe-dg2"), &pvc = *findTargetInfo("xe-pvc");
  EXPECT_EQ(whyUnsupported(program.kernel(0), dg2), "it uses f64, which xe-dg2 does not have");
  EXPECT_EQ(whyUnsupported(program.kernel(1), dg2), "it uses f64, which xe-dg2 does not have");
  EXPECT_EQ(whyUnsupported(program.kernel(2), dg2), "");
  EXPECT_EQ(whyUnsupported(program.kernel(0), pvc), "");
}

} // namespace
} // namespace xt
