// Tests `xtc --emit=isa --report` as users run it: a report on the code that Intel's offline compiler generates.
#include "tests/golden.h"
#include "tests/targets/tools/run_tool.h"
#include "tests/temporary_folder.h"

namespace xt {
namespace {

bool hasOcloc() { return test::runTool("command -v ocloc").status == 0; }
#define XT_SKIP_WITHOUT_OCLOC()                                                                                                \
  if (!hasOcloc()) GTEST_SKIP() << "there is no ocloc: install the package intel-opencl-icd"

void expectIn(const test::ToolRun &run, std::initializer_list<std::string_view> parts) {
  for (std::string_view part : parts)
    EXPECT_NE(run.output.find(part), std::string::npos) << part << "\nis not in\n" << run.output;
}

// DG2 has no block messages, so that even compilers that lack the functions for them know every called function.
TEST(IsaReport, OfAKernelWithSharedMemory) {
  XT_SKIP_WITHOUT_OCLOC();
  test::ToolRun run = test::runTool("%bin/xtc --target=xe-dg2 --emit=isa --report %src/stdlib/transpose.xt");
  EXPECT_EQ(run.status, 0) << run.output;
  expectIn(run, {" on xe-dg2: ", " bytes spilled, ", " threads per engine with ", " bytes of shared local memory\n",
                 "bytes  line  buffer"});
}

TEST(IsaReport, WarnsOfSpilledRegistersWithTheLine) {
  XT_SKIP_WITHOUT_OCLOC();
  test::ToolRun run = test::runTool("%bin/xtc --target=xe-dg2 --emit=isa --report %in/many_registers.xt");
  EXPECT_EQ(run.status, 0) << run.output;
  expectIn(run, {"warning[XT0623]: `@many_registers` needs more than 256 registers: ", "many_registers.xt:3:8"});
}

TEST(IsaReport, PrintsTheListing) {
  XT_SKIP_WITHOUT_OCLOC();
  test::ToolRun run = test::runTool("%bin/xtc --target=xe-dg2 --emit=isa %src/stdlib/gather_rows.xt");
  EXPECT_EQ(run.status, 0) << run.output;
  expectIn(run, {"//.kernel gather_rows", "//.thread_config numGRF="});
}

TEST(IsaReport, SaysWhatTheCompilerDoesNotKnow) {
  XT_SKIP_WITHOUT_OCLOC();
  test::ToolRun functions = test::runTool("%bin/xtc --target=xe-pvc --emit=isa --report %src/examples/01_gemm.xt");
  if (functions.status == 0) GTEST_SKIP() << "this ocloc has the functions of 2D blocks";
  EXPECT_EQ(functions.status, 3);
  expectIn(functions, {"this ocloc lacks functions that the kernels call: `intel_sub_group_2d_block_", "--isa-shim=FILE.ll"});
}

// SPIR-V is written to its file, and the report to standard output.
TEST(IsaReport, BesideSpirv) {
  test::TemporaryFolder folder;
  std::string file = (folder / "report.spv").string();
  test::ToolRun run =
      test::runTool("%bin/xtc --target=xe-dg2 --emit=spirv --report -o " + file + " %src/stdlib/gather_rows.xt");
  EXPECT_EQ(run.status, 0) << run.output;
  expectIn(run, {"@gather_rows: "});
  EXPECT_EQ(test::readText(file).substr(0, 4), std::string("\x03\x02\x23\x07", 4));
}

} // namespace
} // namespace xt
