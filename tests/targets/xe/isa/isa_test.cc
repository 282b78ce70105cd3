// What Intel's offline compiler makes of kernels: dense products, no spills, no unknown functions.
#include "targets/xe/isa/isa_report.h"

#include "targets/xe/isa/offline_compiler.h"
#include "tests/targets/xe/emit/gpu_program.h"
#include "tests/targets/xe/isa/shim.h"

#include <algorithm>

namespace xt::test {
namespace {

constexpr const char *kListing = R"(//.kernel k
//.thread_config numGRF=256, numAcc=8, numSWSB=32
//.spill size 64
// B001: Preds:{},  Succs:{B002}
(W)     mov (1|M0)               r1.0<1>:ud    0x0:uw
// B002: Preds:{B002, B001},  Succs:{B002, B003}
_0_004:
(W)     mov (1|M0)               r4.7<1>:ud    0x1070F:ud      // $1
        load_block2d.ugm.d16.a64 (16|M0)  r5:4  [r4:1]     {$5} // ex_desc:0x0
        load_block2d.ugm.d16.a64.ca.ca (1|M0)  null:0  [r4:1]  {$6}
        dpas.8x8 (16|M0)         r10:f  r10:f  r20:hf  r5.0:hf  {Atomic}
(W&~f0.0) jmpi                   _0_004
// B003: Preds:{B002},  Succs:{}
(W)     calla (1|M0)             r1.0  0x10:d
        illegal
)";

TEST(IsaReport, ReadsAListing) {
  IsaReport report = readIsa(kListing);
  EXPECT_EQ(report.kernel, "k");
  EXPECT_EQ(report.registers, 256);
  EXPECT_EQ(report.spilledBytes, 64);
  EXPECT_EQ(report.instructions, 7u);
  EXPECT_EQ(report.unknownCalls, 1u);
  ASSERT_EQ(report.loops.size(), 1u);
  EXPECT_EQ(report.loops[0].instructions, 5u);
  EXPECT_EQ(report.loops[0].products, 1u);
  EXPECT_EQ(report.loops[0].mix["prefetch_block2d"], 1u);
  ASSERT_EQ(report.loops[0].blocks.size(), 2u);
  EXPECT_EQ(report.loops[0].blocks[0], (BlockPayload{16, 8, 2}));
}

// The kernel's report, after the checks that all must pass; nothing where a tool is missing.
std::optional<IsaReport> judged(const std::string &text) {
  XeEmitOptions options;
  options.definitions = deviceShim();
  GpuProgram program(text, "xe-pvc", options);
  if (!program) return std::nullopt;
  XeProgram made = program.spirv();
  if (made.kernels.empty()) return std::nullopt;
  Result<std::vector<std::string>> listings = compileOffline(made.spirv, "xe-pvc", made.kernels[0].largeRegisterFile);
  EXPECT_TRUE(listings.ok()) << (listings.ok() ? "" : listings.error().message);
  if (!listings || listings->size() != 1) {
    ADD_FAILURE() << "one kernel has one listing; another is that of unknown functions";
    return std::nullopt;
  }
  IsaReport report = readIsa((*listings)[0]);
  EXPECT_EQ(report.unknownCalls, 0u);
  EXPECT_EQ(report.spilledBytes, 0);
  return report;
}

const IsaLoop *loopWithProducts(const IsaReport &report) {
  auto found = std::find_if(report.loops.begin(), report.loops.end(), [](const IsaLoop &loop) { return loop.products > 0; });
  return found == report.loops.end() ? nullptr : &*found;
}

std::string gemm(const std::string &a, const std::string &c, bool prefetches) {
  std::string text = R"(
#mp_a = #wg_map<sg_layout = [8, 4], sg_data = [32, 32]>
#mp_b = #wg_map<sg_layout = [8, 4], sg_data = [32, 64]>
#mp_a_pfh = #wg_map<sg_layout = [32, 1], sg_data = [8, 32]>
#mp_b_pfh = #wg_map<sg_layout = [4, 8], sg_data = [8, 32]>
kernel @gemm(%A: memref<?x?xELEM>, %B: memref<?x?xELEM>, %C: memref<?x?xSUM>)
    grid (%i = 0 to dim(%C, 0) step 256, %j = 0 to dim(%C, 1) step 256) {
  %ta  = init_tile %A[%i, 0] -> tile<256x32xELEM, #mp_a>
  %tb  = init_tile %B[0, %j] -> tile<32x256xELEM, #mp_b>
  %pa = init_tile %A[%i, 96] -> tile<256x32xELEM, #mp_a_pfh>
  %pb = init_tile %B[96, %j] -> tile<32x256xELEM, #mp_b_pfh>
  %acc = constant ZERO : vector<256x256xSUM, #mp_b>
  for %k = 0 to dim(%A, 1) step 32 {
    %a   = load_tile %ta
    %b   = load_tile %tb
    PREFETCH
    %acc = tile_mma %a, %b, %acc
    %ta  = update_tile_offset %ta, 0, 32
    %tb  = update_tile_offset %tb, 32, 0
    %pa  = update_tile_offset %pa, 0, 32
    %pb  = update_tile_offset %pb, 32, 0
  }
  %tc = init_tile %C[%i, %j] -> tile<256x256xSUM, #mp_b>
  store_tile %acc, %tc
}
)";
  auto replace = [&](std::string_view what, std::string_view by) {
    for (size_t at; (at = text.find(what)) != std::string::npos;) text.replace(at, what.size(), by);
  };
  replace("PREFETCH", prefetches ? "prefetch_tile %pa\n    prefetch_tile %pb" : "");
  replace("ELEM", a);
  replace("ZERO", c == "i32" ? "0" : "0.0");
  replace("SUM", c);
  return text;
}

#define XT_SKIP_WITHOUT_OCLOC()                                                                                        \
  if (Result<ToolOutput> there = runTool("ocloc", "intel-opencl-icd", {"--version"}); !there)                          \
  GTEST_SKIP() << there.error().message

// The bar: 121 others for 32 products without prefetches; each prefetch costs 7.
TEST(Isa, GemmOfHalves) {
  XT_SKIP_WITHOUT_OCLOC();
  std::optional<IsaReport> report = judged(gemm("f16", "f32", false));
  ASSERT_TRUE(report);
  const IsaLoop *loop = loopWithProducts(*report);
  ASSERT_TRUE(loop);
  EXPECT_EQ(report->registers, 256);
  EXPECT_EQ(loop->products, 32u);
  EXPECT_LE(loop->instructions - loop->products, 121u) << text(*report);
  EXPECT_EQ(std::count(loop->blocks.begin(), loop->blocks.end(), BlockPayload{16, 8, 1}), 8);
  EXPECT_EQ(std::count(loop->blocks.begin(), loop->blocks.end(), BlockPayload{16, 16, 1}), 8);
}

TEST(Isa, GemmWithPrefetches) {
  XT_SKIP_WITHOUT_OCLOC();
  std::optional<IsaReport> report = judged(gemm("f16", "f32", true));
  ASSERT_TRUE(report);
  const IsaLoop *loop = loopWithProducts(*report);
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->products, 32u);
  EXPECT_EQ(loop->mix.at("prefetch_block2d"), 2u);
  EXPECT_LE(loop->instructions - loop->products, 121u + 2 * 7) << text(*report);
}

TEST(Isa, GemmOfOtherTypes) {
  XT_SKIP_WITHOUT_OCLOC();
  struct {
    const char *elem, *sum;
    size_t products;
  } kTypes[] = {{"bf16", "f32", 32}, {"i8", "i32", 16}};
  for (auto type : kTypes) {
    SCOPED_TRACE(type.elem);
    std::optional<IsaReport> report = judged(gemm(type.elem, type.sum, false));
    ASSERT_TRUE(report);
    const IsaLoop *loop = loopWithProducts(*report);
    ASSERT_TRUE(loop);
    EXPECT_EQ(loop->products, type.products);
    // 1.1 times what halves take for each product.
    EXPECT_LE(10 * 32 * (loop->instructions - loop->products), 11 * 121 * loop->products) << text(*report);
  }
}

} // namespace
} // namespace xt::test
