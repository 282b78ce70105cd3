// Tests that the files that `cmake --install` puts into a folder work there: the tools find the library of kernels and the
// software device beside them.
#include "tests/targets/tools/run_tool.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <unistd.h>

namespace xt::test {
namespace {

namespace fs = std::filesystem;

class Install : public testing::Test {
protected:
  void SetUp() override {
    // ctest builds nothing, so if only one test program was built, the parts that it does not need cannot be installed.
    for (const char *part : {"/bin/xt-lsp", "/bin/xtc", "/lib/libze_xt_soft.so"})
      if (!fs::exists(std::string(XT_BINARY_DIR) + part)) GTEST_SKIP() << part << " is not built";
    folder_ = fs::path(testing::TempDir()) / ("install" + std::to_string(getpid()));
    ToolRun run = runTool("cmake --install " XT_BINARY_DIR " --prefix " + folder_.string());
    ASSERT_EQ(run.status, 0) << run.output;
  }
  void TearDown() override { fs::remove_all(folder_); }
  ToolRun runInstalled(const std::string &command) { return runTool("cd / && " + folder_.string() + "/bin/" + command); }

  fs::path folder_;
};

TEST_F(Install, ImportsComeFromTheInstalledLibrary) {
  ToolRun run = runInstalled("xtrun --small " + (folder_ / "share/xt/stdlib/softmax.xt").string());
  EXPECT_EQ(run.status, 0) << run.output;
  run = runInstalled("xtc --check %src/examples/08_epilogue.xt");
  EXPECT_EQ(run.status, 0) << run.output;
}

TEST_F(Install, TheSoftwareDeviceIsFound) {
  ToolRun run = runInstalled("xtrun --doctor");
  EXPECT_NE(run.output.find((folder_ / "bin/../lib/libze_xt_soft.so").string()), std::string::npos) << run.output;
}

TEST(Version, IsANumberAndACommit) {
  for (const char *tool : {"xtc", "xtrun"}) {
    ToolRun run = runTool(std::string("%bin/") + tool + " --version");
    EXPECT_TRUE(std::regex_match(run.output, std::regex(R"(xt \d+\.\d+\.\d+( \([0-9a-f]{12}(-dirty)?\))?\n)"))) << run.output;
  }
}

} // namespace
} // namespace xt::test
