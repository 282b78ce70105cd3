// The programs of this folder on the GPU targets: each `test` block passes on the software device, and where another target
// runs beside it, both give the same.
#include "ir/base/text.h"
#include "tests/effort.h"
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
  struct Program {
    const char *name, *lastLine;
  };
  // Runs each program beside the interpreter and the CPU on one of the GPUs in turn, the first program on the first GPU; in
  // tests/run --full on all of them.
  static void onEach(const std::vector<const char *> &gpus, const std::vector<Program> &programs) {
    size_t turn = 0;
    for (const Program &program : programs)
      for (const char *gpu : test::byTurns(gpus, turn++))
        passes(str("--target=interp,cpu,", gpu), program.name, program.lastLine);
  }
  // Runs a program of this folder and expects that its tests pass, with this last line of the output.
  static ToolRun passes(const std::string &options, const std::string &program, const std::string &tests) {
    ToolRun run = runTool("%bin/xtrun --device=soft " + options + " %src/tests/targets/xe/run/" + program + ".xt");
    EXPECT_EQ(run.status, 0) << options << '\n' << run.output;
    EXPECT_TRUE(has(run, tests)) << options << '\n' << run.output;
    return run;
  }
};

TEST_F(XePrograms, SizesAtTheEdge) {
  for (const char *gpu : {"xe-pvc", "xe-dg2", "spirv"}) passes(str("--target=cpu,", gpu), "edges", "9 tests: 9 passed");
}

// On DG2, aligned rows of blocks are loaded together, and others lane by lane; the software device checks the alignment.
TEST_F(XePrograms, RowsOfBlocks) {
  for (const char *types : {"-D T=f16", "-D T=bf16", "-D T=i8 -D S=i32", "-D T=u8 -D S=i32", "-D T=f32"})
    passes(str("--target=cpu,xe-dg2 ", types), "rows", "10 tests: 10 passed");
}

TEST_F(XePrograms, LargeTiles) {
  for (const char *gpu : {"xe-pvc", "xe-dg2"}) {
    ToolRun run = passes(str("--remarks --target=cpu,", gpu), "sweeps", "20 tests: 20 passed");
    EXPECT_TRUE(has(run, "@shifted loads whole tiles before it stores, and exchanges them: `%C` overlaps `%A`")) << run.output;
    EXPECT_FALSE(has(run, "@add keeps whole tiles")) << "one buffer for several arguments is the same at all places";
  }
}

// A kernel is compiled again, alone, for launches whose buffers break a rule; its entry point may have another name then.
TEST_F(XePrograms, BuffersThatBreakRules) {
  ToolRun run = passes("--remarks --target=cpu,xe-pvc", "broken_rules", "2 tests: 2 passed");
  for (const char *kernel : {"@_s", "@k_s"})
    EXPECT_TRUE(has(run, str(kernel, " runs without block messages: `%A`: a row has 66 bytes"))) << run.output;
  passes("--target=cpu,nv-sm80", "broken_rules", "2 tests: 2 passed");
}

TEST_F(XePrograms, LayoutsOfLanes) {
  for (const char *gpu : {"xe-pvc", "xe-bmg", "spirv"}) {
    ToolRun run = passes(str("--remarks --target=interp,cpu,", gpu), "lane_layouts", "7 tests: 7 passed");
    EXPECT_TRUE(has(run, "elements move between lanes, as the layouts state: ")) << run.output;
    EXPECT_TRUE(has(run, "elements move between lanes through shared local memory, as the layouts state: ")) << run.output;
  }
}

// MLIR's and IREE's ops on vectors, which are expanded when a file is lowered.
TEST_F(XePrograms, OpsOfOtherDocuments) {
  onEach({"xe-pvc", "xe-bmg", "xe-dg2", "spirv"}, {{"row_row_row", "1 test: 1 passed"},
                                                   {"transfers", "11 tests: 11 passed"},
                                                   {"gathers", "7 tests: 7 passed"},
                                                   {"fragments", "2 tests: 2 passed"}});
}

TEST_F(XePrograms, JointMatrices) {
  onEach({"spirv-coop", "xe-pvc", "xe-bmg", "spirv"},
         {{"joint_matrix", "9 tests: 9 passed"}, {"joint_matrix_chain", "1 test: 1 passed"}});
  passes("--target=interp,cpu,xe-dg2 -D N=8", "joint_matrix", "9 tests: 9 passed");
}

TEST_F(XePrograms, JointMatricesAtLaneScope) {
  onEach({"spirv", "xe-bmg", "xe-pvc"}, {{"lane_matrices", "6 tests: 6 passed"}, {"lane_matrix_chain", "4 tests: 4 passed"}});
  passes("--target=interp,cpu,xe-dg2 -D N=8", "lane_matrices", "6 tests: 6 passed");
  passes("--target=interp,cpu,spirv-coop", "lane_matrices", "6 tests: 6 passed"); // the chain has tf32, which it lacks
}

TEST_F(XePrograms, MatricesInBranchesAndLoops) {
  for (const char *gpu : {"spirv", "spirv-coop"}) passes(str("--target=interp,cpu,", gpu), "matrix_flow", "4 tests: 4 passed");
}

TEST_F(XePrograms, MatricesGoBetweenMemoryAndProducts) {
  for (const char *types : {"-D T=f16", "-D T=f16 -D S=f16", "-D T=bf16", "-D T=i8 -D S=i32"})
    passes(str("--target=interp,cpu,xe-pvc,spirv-coop ", types), "matrices_in_memory", "7 tests: 7 passed");
}

// The matrix unit of xe-dg2 multiplies 8 columns.
TEST_F(XePrograms, AJointMatrixThatTheTargetLacks) {
  ToolRun run = runTool("%bin/xtrun --device=soft --target=xe-dg2 %src/tests/targets/xe/run/joint_matrix_chain.xt");
  EXPECT_EQ(run.status, 2) << run.output;
  EXPECT_TRUE(has(run, "error[XT0612]")) << run.output;
}

TEST_F(XePrograms, NarrowElements) { onEach({"xe-dg2", "xe-pvc", "xe-bmg", "spirv"}, {{"narrow", "12 tests: 12 passed"}}); }

TEST_F(XePrograms, ZerosKeepTheirSigns) { onEach({"spirv", "xe-pvc", "xe-dg2"}, {{"signed_zeros", "8 tests: 8 passed"}}); }

// At every scope, sums are kept in f32 until the end.
TEST_F(XePrograms, SumsOfNarrowFloatsAreRoundedOnce) {
  size_t turn = 0;
  for (const char *type : {"bf16", "f16", "f8E4M3", "f8E5M2"}) {
    std::string targets = "--target=interp,cpu";
    for (const char *gpu : test::byTurns<const char *>({"xe-pvc", "xe-bmg", "xe-dg2", "spirv"}, turn++))
      targets += str(",", gpu);
    ToolRun run = passes(str(targets, " -D T=", type), "narrow_sums", "6 tests: 6 passed");
    EXPECT_FALSE(has(run, "elements differ")) << type << run.output;
  }
}

TEST_F(XePrograms, ASingleRowOfAnyPitch) { passes("--target=interp,xe-pvc,xe-bmg", "one_row", "1 test: 1 passed"); }

TEST_F(XePrograms, ShapesThatTheKernelComputes) {
  for (const char *extensions : {"auto", "none", "inline-assembly"})
    passes(str("--target=interp,xe-pvc,xe-bmg,xe-dg2 --spirv-extensions=", extensions), "own_shapes", "4 tests: 4 passed");
}

TEST_F(XePrograms, ProductsAsTheRfcWritesThem) { passes("--target=cpu,xe-pvc", "rfc_products", "2 tests: 2 passed"); }

} // namespace
} // namespace xt
