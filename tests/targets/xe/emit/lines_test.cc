// Tests the lines of source files in GPU code, which must not change the code otherwise.
#include "ir/base/output_file.h"
#include "targets/xe/isa/disassembler.h"
#include "targets/xe/isa/isa_report.h"
#include "targets/xe/isa/offline_compiler.h"
#include "tests/targets/xe/emit/gpu_program.h"

#include <set>

namespace xt::test {
namespace {

constexpr const char *kText = R"(




kernel @k(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>)
    grid (%i = 0 to dim(%C, 0) step 16, %j = 0 to dim(%C, 1) step 16) {
  %ta = init_tile %A[%i, 0] -> tile<16x16xf16>
  %tb = init_tile %B[0, %j] -> tile<16x16xf16>
  %acc = constant 0.0 : vector<16x16xf32>
  for %k = 0 to dim(%A, 1) step 16 {
    %a = load_tile %ta
    %b = load_tile %tb
    %acc = tile_mma %a, %b, %acc
    %ta = update_tile_offset %ta, 0, 16
    %tb = update_tile_offset %tb, 16, 0
  }
  %tc = init_tile %C[%i, %j] -> tile<16x16xf32>
  store_tile %acc, %tc
}
)";

constexpr const char *kImporting = R"(import "std/activations"
kernel @k(%A: memref<16x16xf32>) {
  %t = init_tile %A[0, 0] -> tile<16x16xf32>
  %a = load_tile %t
  %b = @relu(%a)
  store_tile %b, %t
}
)";

// Returns the lines that OpLine names before instructions that contain `what`.
std::set<int> linesOf(const std::string &assembly, std::string_view what) {
  std::set<int> found;
  int line = 0;
  std::istringstream text(assembly);
  for (std::string each; std::getline(text, each);) {
    if (size_t at = each.find("OpLine %"); at != std::string::npos)
      line = std::atoi(each.c_str() + each.find(' ', at + 8));
    else if (each.find("OpLabel") != std::string::npos)
      line = 0;
    else if (each.find(what) != std::string::npos && line)
      found.insert(line);
  }
  return found;
}

TEST(SpirvLines, NameTheSourceOfEachInstruction) {
  GpuProgram program(kText);
  ASSERT_TRUE(program);
  Result<std::string> assembly = disassembleSpirv(program.spirv().binary);
  if (!assembly) GTEST_SKIP() << assembly.error().message;
  EXPECT_NE(assembly->find("OpString \"test.xt\""), std::string::npos);
  EXPECT_NE(assembly->find("DebugFunction"), std::string::npos);
  EXPECT_EQ(linesOf(*assembly, "intel_sub_group_f16_f16_matrix_mad"), std::set<int>{14});
  EXPECT_EQ(linesOf(*assembly, "intel_sub_group_2d_block_read"), (std::set<int>{12, 13}));
  EXPECT_EQ(linesOf(*assembly, "intel_sub_group_2d_block_write"), std::set<int>{19});
}

TEST(SpirvLines, AreLeftOutWhereThereAreNoSources) {
  GpuProgram program(kText);
  ASSERT_TRUE(program);
  Diagnostics diagnostics;
  Result<GpuCode> plain = compileToSpirv(program.module(), *findTargetInfo("xe-pvc"), {}, diagnostics);
  ASSERT_TRUE(plain);
  std::string words(plain->binary.begin(), plain->binary.end());
  EXPECT_EQ(words.find("OpenCL.DebugInfo.100"), std::string::npos);
  EXPECT_EQ(words.find("test.xt"), std::string::npos);
}

TEST(SpirvLines, AreValid) {
  for (auto [target, text] : {std::pair("xe-pvc", kText), {"xe-dg2", kText}, {"xe-pvc", kImporting}}) {
    GpuProgram program(text, target);
    ASSERT_TRUE(program);
    GpuCode made = program.spirv();
    Result<ScratchDirectory> scratch = ScratchDirectory::make();
    ASSERT_TRUE(scratch);
    ASSERT_TRUE(writeOutputFile(scratch->file("k.spv"),
                                {std::string_view(reinterpret_cast<const char *>(made.binary.data()), made.binary.size())}));
    Result<ToolOutput> checked = runTool("spirv-val", "spirv-tools", {"k.spv"}, {.directory = scratch->path()});
    if (!checked) GTEST_SKIP() << checked.error().message;
    EXPECT_EQ(checked->status, 0) << checked->output;
  }
}

// The lines of an inlined function that was imported from another file must refer to that file.
TEST(SpirvLines, NameTheFileOfAnImportedFunction) {
  GpuProgram program(kImporting);
  ASSERT_TRUE(program);
  Result<std::string> assembly = disassembleSpirv(program.spirv().binary);
  if (!assembly) GTEST_SKIP() << assembly.error().message;
  EXPECT_NE(assembly->find("activations.xt\""), std::string::npos);
  EXPECT_EQ(countOf("DebugSource", *assembly), 2u);
  EXPECT_EQ(countOf("DebugLexicalBlock", *assembly), 1u);
}

// Intel's compiler must read the lines, and generate the same instructions as without them.
TEST(SpirvLines, ReachTheInstructionSet) {
  if (Result<ToolOutput> there = runTool("ocloc", "intel-opencl-icd", {"--version"}); !there)
    GTEST_SKIP() << there.error().message;
  GpuProgram program(kText, "xe-dg2");
  ASSERT_TRUE(program);
  Diagnostics diagnostics;
  Result<GpuCode> plain = compileToSpirv(program.module(), *findTargetInfo("xe-dg2"), {}, diagnostics);
  ASSERT_TRUE(plain);
  auto with = compileOffline(program.spirv(), "xe-dg2"), without = compileOffline(*plain, "xe-dg2");
  ASSERT_TRUE(with && without);
  EXPECT_NE((*with)[0].find("test.xt\n"), std::string::npos);
  for (const char *line : {"// Line 12\n", "// Line 13\n", "// Line 14\n", "// Line 19\n"})
    EXPECT_NE((*with)[0].find(line), std::string::npos) << line;
  EXPECT_EQ((*without)[0].find("// Line "), std::string::npos);
  IsaReport one = readIsa((*with)[0]), other = readIsa((*without)[0]);
  EXPECT_EQ(one.all.instructions, other.all.instructions);
  EXPECT_EQ(one.all.mix, other.all.mix);
  EXPECT_EQ(one.spilledBytes, other.spilledBytes);
}

} // namespace
} // namespace xt::test
