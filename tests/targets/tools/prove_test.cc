// `xtc --prove`: claims for all sizes, and counterexamples that fail when they run.
#include "run_tool.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace xt {
namespace {
using test::runTool;

const char *const kFolder = XT_SOURCE_DIR "/tests/targets/tools/prove/";

std::string prove(const std::string &file, int status) {
  auto run = runTool("%bin/xtc --prove " + file);
  EXPECT_EQ(run.status, status) << run.output;
  return run.output;
}

#define SKIP_WITHOUT_Z3()                                                                                              \
  if (runTool("%bin/xtc --prove %in/good.xt").output.find("package libz3-4") != std::string::npos)                    \
  GTEST_SKIP() << "libz3 is not installed (Debian: libz3-4)"

TEST(Prove, ProductsTransposesAndSoftmaxOfTheLibrary) {
  SKIP_WITHOUT_Z3();
  for (const char *name : {"gemm", "gemm_variants", "transpose", "softmax", "layernorm", "rmsnorm", "activations", "attention"}) {
    std::string output = prove(std::string(XT_SOURCE_DIR "/stdlib/") + name + ".xt", 0);
    EXPECT_NE(output.find("each element of"), std::string::npos) << output;
    EXPECT_NE(output.find("no two workgroups store the same element"), std::string::npos) << output;
  }
}

// Runs the test block in the output, appended to the kernels of the file.
test::ToolRun runCounterexample(const std::string &file, const std::string &output, const std::string &options) {
  size_t begin = output.find("\ntest \"");
  EXPECT_NE(begin, std::string::npos) << output;
  std::string name = output.substr(begin + 7, output.find('"', begin + 7) - begin - 7);
  std::ifstream source(file);
  std::stringstream text;
  text << source.rdbuf() << output.substr(begin, output.find("\n}\n", begin) + 3 - begin);
  std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "xt_counterexample.xt";
  std::ofstream(path) << text.str();
  auto run = runTool("%bin/xtrun --test '" + name + "' " + options + " " + path.string());
  std::filesystem::remove(path);
  return run;
}

TEST(Prove, FindsTheSmallestSizesThatLeaveElementsOut) {
  SKIP_WITHOUT_Z3();
  std::string file = std::string(kFolder) + "missing_tail.xt", output = prove(file, 1);
  EXPECT_NE(output.find("an element of `%B` is never stored at dim(%A, 0) = 1, dim(%A, 1) = 1"), std::string::npos) << output;
  EXPECT_EQ(runTool("%bin/xtrun --test 'whole tiles only' " + file).status, 0); // its own test does not show the error
  auto run = runCounterexample(file, output, "");
  EXPECT_EQ(run.status, 1) << run.output;
  EXPECT_NE(run.output.find("were never written"), std::string::npos) << run.output;
}

TEST(Prove, FindsTheSmallestSizesAtWhichWorkgroupsMeet) {
  SKIP_WITHOUT_Z3();
  std::string file = std::string(kFolder) + "overlap.xt", output = prove(file, 1);
  EXPECT_NE(output.find("two workgroups store the same element of `%B` at dim(%A, 0) = 1, dim(%A, 1) = 25"), std::string::npos) << output;
  auto run = runCounterexample(file, output, "--check=race");
  EXPECT_EQ(run.status, 1) << run.output;
  EXPECT_NE(run.output.find("race"), std::string::npos) << run.output;
}

TEST(Prove, FollowsLoopsBranchesAndViews) {
  SKIP_WITHOUT_Z3();
  std::string output = prove(std::string(kFolder) + "loops.xt", 1);
  for (const char *line : {"proved  @rows\n  where dim(%A, 1) = %width", "proved  @vector\n",
                           "where it reads the padding that it names",
                           "fails: a workgroup stores an element more than once to `%B`",
                           "undecided: where this stores to `%B` depends on data"})
    EXPECT_NE(output.find(line), std::string::npos) << line << "\n" << output;
}

TEST(Prove, AFileThatDoesNotCompileIsNoProof) {
  EXPECT_EQ(runTool("%bin/xtc --prove no-such-file.xt").status, 3);
  EXPECT_EQ(runTool("%bin/xtc --prove --check %in/good.xt").status, 64);
}

} // namespace
} // namespace xt
