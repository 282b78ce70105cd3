// Tests the code that Intel's offline compiler generates for kernels: dense products, no spills, no unknown functions.
#include "targets/xe/isa/isa_report.h"

#include "targets/xe/isa/isa_text.h"
#include "targets/xe/isa/occupancy.h"
#include "targets/xe/isa/offline_compiler.h"
#include "targets/xe/library/raw_send.h"
#include "tests/targets/xe/emit/gpu_program.h"
#include "tests/targets/xe/isa/kernels.h"
#include "tests/targets/xe/isa/shim.h"

#include <algorithm>
#include <sstream>

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
(W)     send.dc0 (16|M0)         null     r0      r6:2    0x0            0x020F2000  {$2} // wr:1h+2, rd:0; hword scratch block write x4 //  scratch space spill:  from offset[0x32]; $63
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
  EXPECT_EQ(report.all.instructions, 8u);
  EXPECT_EQ(report.all.spills, 1u);
  EXPECT_EQ(report.unknownCalls, 1u);
  ASSERT_EQ(report.loops.size(), 1u);
  EXPECT_EQ(report.loops[0].instructions, 6u);
  EXPECT_EQ(report.loops[0].spills, 1u);
  EXPECT_EQ(report.loops[0].messages(), 3u);
  EXPECT_TRUE(report.loops[0].innermost);
  EXPECT_EQ(report.loops[0].products, 1u);
  EXPECT_EQ(report.loops[0].mix["prefetch_block2d"], 1u);
  ASSERT_EQ(report.loops[0].blocks.size(), 2u);
  EXPECT_EQ(report.loops[0].blocks[0].size, (BlockPayload{16, 8, 2}));
  EXPECT_EQ(blocksText(report.loops[0]), "1 load_block2d d16 of 8x16x2, 1 prefetch_block2d d16 of 8x16x2");
  EXPECT_EQ(mixText(report.loops[0]), "1 dpas, 5 others: 1 jmpi, 1 load_block2d, 1 mov, 1 prefetch_block2d, 1 spill");
}

// Returns the report of the kernel, after checks that every kernel must pass; nullopt if a tool is missing.
std::optional<IsaReport> judged(const std::string &text, SpirvExtensions extensions = SpirvExtensions::None) {
  XeEmitOptions options;
  options.extensions = extensions;
  options.definitions = deviceShim();
  GpuProgram program(text, "xe-pvc", options);
  if (!program) return std::nullopt;
  GpuCode made = program.spirv();
  if (made.kernels.empty()) return std::nullopt;
  Result<std::vector<std::string>> listings = compileOffline(made, "xe-pvc");
  EXPECT_TRUE(listings.ok()) << (listings.ok() ? "" : listings.error().message);
  if (!listings) return std::nullopt;
  IsaReport report = readIsa((*listings)[0]);
  EXPECT_EQ(report.unknownCalls, 0u);
  EXPECT_EQ(report.spilledBytes, 0);
  return report;
}

const IsaLoop *loopWithProducts(const IsaReport &report) {
  auto found = std::find_if(report.loops.begin(), report.loops.end(), [](const IsaLoop &loop) { return loop.products > 0; });
  return found == report.loops.end() ? nullptr : &*found;
}

#define XT_SKIP_WITHOUT_OCLOC()                                                                                                \
  if (Result<ToolOutput> there = runTool("ocloc", "intel-opencl-icd", {"--version"}); !there)                                  \
  GTEST_SKIP() << there.error().message

// Returns the number of other instructions in the loop of the products, per 32 products.
double othersFor32(const IsaLoop &loop) {
  return 32.0 * static_cast<double>(loop.others()) / static_cast<double>(loop.products);
}

// The limit is 121 other instructions per 32 products without prefetches. Each prefetch costs 7 more.
constexpr double kBar = 121;

TEST(Isa, GemmOfHalves) {
  XT_SKIP_WITHOUT_OCLOC();
  std::optional<IsaReport> report = judged(gemmText({}));
  ASSERT_TRUE(report);
  const IsaLoop *loop = loopWithProducts(*report);
  ASSERT_TRUE(loop);
  EXPECT_EQ(report->registers, 256);
  EXPECT_EQ(loop->products, 32u);
  EXPECT_LE(loop->others(), kBar) << mixText(*loop);
  EXPECT_EQ(blocksText(*loop), "8 load_block2d d16 of 8x16, 8 load_block2d d16v of 16x16");
}

TEST(Isa, GemmWithPrefetches) {
  XT_SKIP_WITHOUT_OCLOC();
  std::optional<IsaReport> report = judged(gemmText({.prefetches = true}));
  ASSERT_TRUE(report);
  const IsaLoop *loop = loopWithProducts(*report);
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->products, 32u);
  EXPECT_EQ(loop->mix.at("prefetch_block2d"), 2u);
  EXPECT_LE(loop->others(), kBar + 2 * 7) << mixText(*loop);
}

// A payload that stays in its register costs one addition for each message in place of four to seven moves. Where payloads for
// all messages would spill, as beside the rounding of tf32, messages share them.
TEST(Isa, PayloadsStayInRegisters) {
  XT_SKIP_WITHOUT_OCLOC();
  struct {
    const char *name;
    GemmVariant variant;
    size_t others; // per 32 products
  } kVariants[] = {{"f16", {}, 50},
                   {"prefetches", {.prefetches = true}, 56},
                   {"bf16", {.elem = "bf16"}, 50},
                   {"extents that are known", {.extent = 4096}, 50},
                   {"B transposed", {.transposed = true}, 50},
                   {"B by columns", {.columns = true}, 50},
                   {"tf32", {.elem = "tf32", .depth = 16}, 790}};
  for (const auto &[name, variant, others] : kVariants) {
    std::optional<IsaReport> report = judged(gemmText(variant), SpirvExtensions::InlineAssembly);
    ASSERT_TRUE(report) << name;
    const IsaLoop *loop = loopWithProducts(*report);
    ASSERT_TRUE(loop) << name;
    EXPECT_EQ(loop->products, 32u) << name;
    EXPECT_LE(loop->others(), others) << name << ": " << mixText(*loop);
    EXPECT_EQ(loop->mix.at("load_block2d"), 16u) << name;
  }
}

// The stores of the result share a payload. Outside of the loop, 530 instructions become 317.
TEST(Isa, StoresShareAPayload) {
  XT_SKIP_WITHOUT_OCLOC();
  std::optional<IsaReport> report = judged(contentsOf(XT_SOURCE_DIR "/stdlib/gemm.xt"), SpirvExtensions::InlineAssembly);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->all.mix["store_block2d"], 16u);
  const IsaLoop *loop = loopWithProducts(*report);
  ASSERT_TRUE(loop);
  EXPECT_LE(report->all.instructions - loop->instructions, 340u) << mixText(report->all);
}

// Behind a branch no messages share a payload, and products of tf32 leave no registers for one of each message.
TEST(Isa, ABranchKeepsTheCallsOfACrowdedLoop) {
  XT_SKIP_WITHOUT_OCLOC();
  std::string text = gemmText({.elem = "tf32", .depth = 16});
  text.replace(text.find("@gemm("), 6, "@gemm(%choice: i32, ");
  text.insert(text.find('\n', text.find("tile_mma")) + 1, "    if %choice > 3 {\n      barrier\n    }\n");
  EXPECT_TRUE(judged(text, SpirvExtensions::InlineAssembly)) << text; // which expects no spill
}

// A step of attention has 32 messages, of two matrices: two payloads.
TEST(Isa, MessagesOfAttentionSharePayloads) {
  XT_SKIP_WITHOUT_OCLOC();
  std::optional<IsaReport> report = judged(contentsOf(XT_SOURCE_DIR "/stdlib/attention.xt"), SpirvExtensions::InlineAssembly);
  ASSERT_TRUE(report);
  const IsaLoop *loop = loopWithProducts(*report);
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->products, 32u);
  EXPECT_EQ(loop->mix.at("load_block2d"), 32u);
  EXPECT_LE(loop->others(), 730u) << mixText(*loop);
}

// The module that shows whether a driver takes inline assembly: this compiler does.
TEST(Isa, TheProbeForInlineAssembly) {
  XT_SKIP_WITHOUT_OCLOC();
  GpuCode code{inlineAssemblyProbe(), {{}}};
  code.kernels[0].entry = "probe";
  Result<std::vector<std::string>> listings = compileOffline(code, "xe-pvc");
  ASSERT_TRUE(listings) << listings.error().message;
  ASSERT_EQ(listings->size(), 1u);
  IsaReport report = readIsa((*listings)[0]);
  EXPECT_EQ(report.all.mix["load_block2d"], 1u) << mixText(report.all);
  EXPECT_EQ(report.unknownCalls, 0u);
}

// The variants may take at most 1.1 times as many instructions per product as f16, and must not spill. tests/bench/xe/README.md
// lists what takes more instructions.
TEST(Isa, GemmInItsVariants) {
  XT_SKIP_WITHOUT_OCLOC();
  struct {
    const char *name;
    GemmVariant variant;
    size_t products;
  } kVariants[] = {
      {"bf16", {.elem = "bf16"}, 32},
      {"i8", {.elem = "i8", .sum = "i32"}, 16},
      {"u8", {.elem = "u8", .sum = "i32"}, 16},
      {"B transposed", {.transposed = true}, 32},
      {"B by columns", {.columns = true}, 32},
      {"B by columns, bf16", {.elem = "bf16", .columns = true}, 32},
      {"B by columns, i8", {.elem = "i8", .sum = "i32", .columns = true}, 16},
      {"bias and gelu", {.epilogue = true}, 32},
      {"extents that are known", {.extent = 4096}, 32},
  };
  for (const auto &[name, variant, products] : kVariants) {
    SCOPED_TRACE(name);
    std::optional<IsaReport> report = judged(gemmText(variant));
    ASSERT_TRUE(report);
    const IsaLoop *loop = loopWithProducts(*report);
    ASSERT_TRUE(loop);
    EXPECT_EQ(loop->products, products);
    EXPECT_LE(othersFor32(*loop), 1.1 * kBar) << mixText(*loop);
  }
}

// Products round their operands to tf32, which takes 7 instructions for each of the 96 registers that a step loads.
TEST(Isa, GemmOfTf32) {
  XT_SKIP_WITHOUT_OCLOC();
  std::optional<IsaReport> report = judged(gemmText({.elem = "tf32", .depth = 16}));
  ASSERT_TRUE(report);
  const IsaLoop *loop = loopWithProducts(*report);
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->products, 32u);
  EXPECT_LE(loop->others(), 1.5 * kBar + 96 * 7) << mixText(*loop);
}

TEST(Isa, Attention) {
  XT_SKIP_WITHOUT_OCLOC();
  std::optional<IsaReport> report = judged(contentsOf(XT_SOURCE_DIR "/stdlib/attention.xt"));
  ASSERT_TRUE(report);
  const IsaLoop *loop = loopWithProducts(*report);
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->products, 32u);
  EXPECT_EQ(loop->messages(), 32u) << mixText(*loop); // one load per product, and no other message
  EXPECT_LE(loop->others(), 900) << mixText(*loop);
}

// The instructions in the basic blocks of a listing that load rows by block messages, or multiply; the kernel's arguments,
// which come by such messages too, are in the first block.
struct InBlocks {
  size_t blockReads = 0, instructions = 0;
};
InBlocks inBlocksOfRows(const std::string &listing) {
  InBlocks all, here;
  bool first = true, products = false;
  auto leave = [&] {
    if (!first && (here.blockReads || products)) {
      all.blockReads += here.blockReads;
      all.instructions += here.instructions;
    }
    here = {};
    products = false;
  };
  std::istringstream lines(listing);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("// B001:")) first = false, here = {};
    if (line.starts_with("// B")) leave();
    if (line.empty() || line.starts_with("//") || line.ends_with(":")) continue;
    ++here.instructions;
    here.blockReads += line.find("block read") != std::string::npos;
    products |= line.find("dpas") != std::string::npos;
  }
  leave();
  return all;
}

// The library's GEMM, whose subgroups compute 16x32 of C from steps of 32 on DG2. Each row of the operands is one message, and
// what a step executes is about 26 other instructions for each product (103 where each lane loaded its own elements). The code
// for blocks that are not whole or not aligned is beside it, and nothing spills.
TEST(Isa, RowsOfOperandsOnDg2) {
  XT_SKIP_WITHOUT_OCLOC();
  XeEmitOptions options;
  options.definitions = deviceShim();
  GpuProgram program(contentsOf(XT_SOURCE_DIR "/stdlib/gemm.xt"), "xe-dg2", options);
  ASSERT_TRUE(program);
  Result<std::vector<std::string>> listings = compileOffline(program.spirv(), "xe-dg2");
  ASSERT_TRUE(listings.ok()) << listings.error().message;
  IsaReport report = readIsa((*listings)[0]);
  EXPECT_EQ(report.unknownCalls, 0u);
  EXPECT_EQ(report.spilledBytes, 0);
  const IsaLoop *loop = loopWithProducts(report);
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->products, 16u);
  InBlocks rows = inBlocksOfRows((*listings)[0]);
  EXPECT_EQ(rows.blockReads, 16u + 32u); // of a and b
  EXPECT_LE(rows.instructions, 16u * 32) << mixText(*loop);
}

TEST(Offline, NamesWithoutTheirParameters) {
  EXPECT_EQ(plainName("_Z45intel_sub_group_2d_block_prefetch_16b_8r16x2cPU3AS1viiiDv2_i"),
            "intel_sub_group_2d_block_prefetch_16b_8r16x2c");
  EXPECT_EQ(plainName("memcpy"), "memcpy");
  EXPECT_EQ(plainName("_Z99short"), "_Z99short");
}

// Without the definitions of functions that Debian's compiler lacks, the error lists their names.
TEST(Offline, UnknownFunctionsAreNamed) {
  XT_SKIP_WITHOUT_OCLOC();
  GpuProgram program(gemmText({}));
  ASSERT_TRUE(program);
  Result<std::vector<std::string>> listings = compileOffline(program.spirv(), "xe-pvc");
  if (listings.ok()) GTEST_SKIP() << "this ocloc has them";
  EXPECT_NE(listings.error().message.find("`intel_sub_group_2d_block_read_16b_8r16x1c`"), std::string::npos)
      << listings.error().message;
  EXPECT_EQ(listings.error().message.find("matrix_mad"), std::string::npos) << listings.error().message;
}

TEST(Offline, HardwareAndModulesThatItRefuses) {
  XT_SKIP_WITHOUT_OCLOC();
  GpuCode none{{1, 2, 3, 4}, std::vector<GpuKernel>(1)};
  EXPECT_FALSE(compileOffline(none, "xe-pvc").ok());
  Result<std::vector<std::string>> unknown = compileOffline(none, "spirv");
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().message.find("`spirv` is not a device that ocloc compiles for"), std::string::npos)
      << unknown.error().message;
}

// The readable output for listings has the lines of loops, and warnings with source lines.
TEST(IsaText, TellsOfSpillsAndOfProductsThatAreNotThere) {
  GpuProgram program(gemmText({}));
  ASSERT_TRUE(program);
  GpuCode made = program.spirv();
  IsaReport report = readIsa(kListing);
  Diagnostics diagnostics;
  diagnostics.wantRemarks(false);
  auto told = [&] {
    return isaText(program.module(), made, std::span(&report, 1), *findTargetInfo("xe-pvc"), program.sources(), diagnostics);
  };
  EXPECT_EQ(told(),
            "@gemm on xe-pvc: 256 registers, 64 bytes spilled, 8 instructions, 1 dpas\n"
            "  4 threads per engine with 256 registers (8 with 128); 1 workgroup of 32 subgroups per core: 32 of 64 threads\n"
            "  loop at line 14: 1 dpas, 5 others: 1 jmpi, 1 load_block2d, 1 mov, 1 prefetch_block2d, 1 spill\n"
            "    blocks: 1 load_block2d d16 of 8x16x2, 1 prefetch_block2d d16 of 8x16x2\n"
            "  all block messages: 1 load_block2d d16 of 8x16x2, 1 prefetch_block2d d16 of 8x16x2\n");
  ASSERT_EQ(diagnostics.all().size(), 1u);
  EXPECT_EQ(diagnostics.all()[0].severity, Severity::Warning);
  EXPECT_EQ(diagnostics.all()[0].message, "`@gemm` needs more than 256 registers: 64 bytes are spilled to memory");
  ASSERT_EQ(diagnostics.all()[0].labels.size(), 1u);
  EXPECT_EQ(diagnostics.all()[0].labels[0].text, "1 message in this loop");

  report.all.products = 0;
  report.spilledBytes = 0;
  report.loops.push_back(report.loops[0]); // there are more loops than in the text, so that no line can be assigned
  EXPECT_NE(told().find("  loop: 1 dpas"), std::string::npos);
  ASSERT_EQ(diagnostics.all().size(), 2u);
  EXPECT_EQ(diagnostics.all()[1].message, "`@gemm` has 32 products, but no `dpas` is in its code");
}

TEST(Occupancy, ByThreadsAndByMemory) {
  const TargetInfo &pvc = *findTargetInfo("xe-pvc"), &dg2 = *findTargetInfo("xe-dg2");
  Occupancy whole = occupancyOf(pvc, 256, 32, 0);
  EXPECT_EQ(whole.engineThreads, 4);
  EXPECT_EQ(whole.workgroups, 1);
  EXPECT_EQ(whole.threads, 32);
  EXPECT_EQ(whole.of, 64);
  EXPECT_FALSE(whole.bySlm);
  Occupancy memory = occupancyOf(pvc, 128, 8, 48 << 10);
  EXPECT_EQ(memory.workgroups, 2);
  EXPECT_TRUE(memory.bySlm);
  EXPECT_EQ(occupancyOf(dg2, 128, 8, 0).workgroups, 16);
  EXPECT_EQ(occupancyOf(pvc, 256, 64, 0).workgroups, 0);
  EXPECT_EQ(text(whole, pvc, 256, 32),
            "4 threads per engine with 256 registers (8 with 128); 1 workgroup of 32 subgroups per core: 32 of 64 threads");
  EXPECT_EQ(text(occupancyOf(*findTargetInfo("spirv"), 128, 1, 0), *findTargetInfo("spirv"), 128, 1), "");
}

} // namespace
} // namespace xt::test
