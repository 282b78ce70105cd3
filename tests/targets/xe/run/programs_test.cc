// The programs of this folder on the GPU targets: each `test` block passes on the software device, and where another target runs
// beside it, both give the same.
#include "tests/targets/xe/run/xe_device.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

using test::runTool;
using test::ToolRun;

class XePrograms : public ::testing::Test {
protected:
  void SetUp() override {
    if (std::string package = test::missingXePackage(); !package.empty())
      GTEST_SKIP() << "Debian's package " << package << " is not installed";
  }
  static bool has(const ToolRun &run, const std::string &text) { return run.output.find(text) != std::string::npos; }
};

TEST_F(XePrograms, SizesAtTheEdge) {
  for (const char *target : {"xe-pvc", "xe-dg2", "spirv"}) {
    ToolRun run =
        runTool(std::string("%bin/xtrun --device=soft --target=cpu,") + target + " %src/tests/targets/xe/run/edges.xt");
    EXPECT_EQ(run.status, 0) << run.output;
    EXPECT_TRUE(has(run, "9 tests: 9 passed")) << run.output;
  }
}

TEST_F(XePrograms, LargeTiles) {
  for (const char *target : {"xe-pvc", "xe-dg2", "spirv"}) {
    ToolRun run = runTool(std::string("%bin/xtrun --device=soft --remarks --target=cpu,") + target +
                          " %src/tests/targets/xe/run/sweeps.xt");
    EXPECT_EQ(run.status, 0) << run.output;
    EXPECT_TRUE(has(run, "20 tests: 20 passed")) << run.output;
    EXPECT_TRUE(has(run, "@shifted keeps whole tiles before it stores them: `%C` overlaps `%A`")) << run.output;
    EXPECT_FALSE(has(run, "@add keeps whole tiles")) << "one buffer for several arguments is the same at all places";
  }
}

TEST_F(XePrograms, LayoutsOfLanes) {
  for (const char *target : {"xe-pvc", "xe-bmg", "spirv"}) {
    ToolRun run = runTool(std::string("%bin/xtrun --device=soft --remarks --target=interp,cpu,") + target +
                          " %src/tests/targets/xe/run/lane_layouts.xt");
    EXPECT_EQ(run.status, 0) << run.output;
    EXPECT_TRUE(has(run, "7 tests: 7 passed")) << run.output;
    EXPECT_TRUE(has(run, "elements move between lanes, as the layouts state: ")) << run.output;
    EXPECT_TRUE(has(run, "elements move between lanes through shared local memory, as the layouts state: ")) << run.output;
  }
}

// MLIR's and IREE's ops on vectors, and joint matrices: all are expanded when a file is lowered.
TEST_F(XePrograms, OpsOfOtherDocuments) {
  struct Program {
    std::string name, tests;
  };
  const Program programs[] = {{"row_row_row", "1 test: 1 passed"},
                              {"transfers", "11 tests: 11 passed"},
                              {"gathers", "7 tests: 7 passed"},
                              {"fragments", "2 tests: 2 passed"}};
  for (const char *gpu : {"xe-pvc", "xe-bmg", "xe-dg2", "spirv"})
    for (const Program &program : programs) {
      ToolRun run = runTool(std::string("%bin/xtrun --device=soft --target=interp,cpu,") + gpu + " %src/tests/targets/xe/run/" +
                            program.name + ".xt");
      EXPECT_EQ(run.status, 0) << run.output;
      EXPECT_TRUE(has(run, program.tests)) << run.output;
    }
}

TEST_F(XePrograms, JointMatrices) {
  for (const char *gpu : {"xe-pvc", "xe-bmg", "xe-dg2", "spirv"}) {
    bool narrow = std::string(gpu) == "xe-dg2"; // its matrix unit multiplies 8 columns
    std::string command = std::string("%bin/xtrun --device=soft --target=interp,cpu,") + gpu;
    ToolRun run = runTool(command + (narrow ? " -D N=8" : "") + " %src/tests/targets/xe/run/joint_matrix.xt");
    EXPECT_EQ(run.status, 0) << run.output;
    EXPECT_TRUE(has(run, "9 tests: 9 passed")) << run.output;
    ToolRun chain = runTool(command + " %src/tests/targets/xe/run/joint_matrix_chain.xt");
    EXPECT_EQ(chain.status, narrow ? 2 : 0) << chain.output;
    EXPECT_TRUE(has(chain, narrow ? "error[XT0612]" : "1 test: 1 passed")) << chain.output;
  }
}

TEST_F(XePrograms, NarrowElements) {
  for (const char *gpu : {"xe-pvc", "xe-bmg", "xe-dg2", "spirv"}) {
    ToolRun run =
        runTool(std::string("%bin/xtrun --device=soft --target=interp,") + gpu + " %src/tests/targets/xe/run/narrow.xt");
    EXPECT_EQ(run.status, 0) << run.output;
    EXPECT_TRUE(has(run, "12 tests: 12 passed")) << run.output;
  }
}

TEST_F(XePrograms, ZerosKeepTheirSigns) {
  for (const char *gpu : {"xe-pvc", "xe-dg2", "spirv"}) {
    ToolRun run = runTool(std::string("%bin/xtrun --device=soft --target=interp,cpu,") + gpu +
                          " %src/tests/targets/xe/run/signed_zeros.xt");
    EXPECT_EQ(run.status, 0) << run.output;
    EXPECT_TRUE(has(run, "7 tests: 7 passed")) << run.output;
  }
}

// At every scope, sums are kept in f32 until the end.
TEST_F(XePrograms, SumsOfNarrowFloatsAreRoundedOnce) {
  for (const char *type : {"bf16", "f16", "f8E4M3", "f8E5M2"}) {
    ToolRun run = runTool(std::string("%bin/xtrun --device=soft --target=interp,cpu,xe-pvc,xe-bmg,xe-dg2,spirv -D T=") + type +
                          " %src/tests/targets/xe/run/narrow_sums.xt");
    EXPECT_EQ(run.status, 0) << type << run.output;
    EXPECT_TRUE(has(run, "6 tests: 6 passed")) << type << run.output;
    EXPECT_FALSE(has(run, "elements differ")) << type << run.output;
  }
}

TEST_F(XePrograms, ASingleRowOfAnyPitch) {
  ToolRun run = runTool("%bin/xtrun --device=soft --target=interp,xe-pvc,xe-bmg %src/tests/targets/xe/run/one_row.xt");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(has(run, "1 test: 1 passed")) << run.output;
}

TEST_F(XePrograms, ProductsAsTheRfcWritesThem) {
  ToolRun run = runTool("%bin/xtrun --device=soft --target=cpu,xe-pvc %src/tests/targets/xe/run/rfc_products.xt");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(has(run, "2 tests: 2 passed")) << run.output;
}

} // namespace
} // namespace xt
