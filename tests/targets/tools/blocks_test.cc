// Tests test blocks as described in lang/reference/tests_and_tolerances.md. Each file of blocks/ passes on both targets; for
// fail_NAME.xt, the output and the exit status are in NAME.txt.
#include "tests/golden.h"
#include "tests/targets/tools/run_tool.h"
#include "tests/temporary_folder.h"

namespace xt {
namespace {

namespace fs = std::filesystem;

// Tests run in a copy of the folder, because they create files in the folders of their sources.
class Blocks : public ::testing::Test {
protected:
  void SetUp() override {
    fs::copy(fs::path(XT_SOURCE_DIR) / "tests/targets/tools/blocks", folder_.path(), fs::copy_options::recursive);
  }
  test::ToolRun run(const std::string &file) const {
    return test::runTool("cd " + folder_.string() + " && %bin/xtrun --target=interp,cpu " + file);
  }

  test::TemporaryFolder folder_;
};

bool mustFail(const fs::path &path) { return path.filename().string().starts_with("fail_"); }

TEST_F(Blocks, EachPassesOnBothTargets) {
  for (const auto &path : test::filesIn("targets/tools/blocks", ".xt")) {
    if (mustFail(path)) continue;
    test::ToolRun ran = run(path.filename());
    EXPECT_EQ(ran.status, 0) << path << '\n' << ran.output;
  }
}

TEST_F(Blocks, EachFailureIsReported) {
  for (const auto &path : test::filesIn("targets/tools/blocks", ".xt")) {
    if (!mustFail(path)) continue;
    test::ToolRun ran = run(path.filename());
    EXPECT_NE(ran.status, 0) << path;
    EXPECT_EQ(ran.output.find("compiler bug"), std::string::npos) << ran.output;
    EXPECT_EQ(ran.output.find(folder_.string()), std::string::npos) << "a path of this run is in the text";
    fs::path golden = path;
    test::expectGolden(golden.replace_extension(".txt"),
                       test::withoutTimes(ran.output) + "=> " + std::to_string(ran.status) + "\n");
  }
}

// Compares random expressions with numpy's results on the same arrays.
TEST_F(Blocks, ExpressionsAgreeWithNumpy) {
  std::string python = "/usr/bin/python3";
  if (test::runTool(python + " -c 'import numpy'").status != 0) python = "python3";
  if (test::runTool(python + " -c 'import numpy'").status != 0) GTEST_SKIP() << "no python3 with numpy is installed";
  test::ToolRun ran =
      test::runTool(python + " %src/tests/targets/tools/expressions.py %bin/xtrun " + folder_.string() + " 1 250");
  EXPECT_EQ(ran.status, 0) << ran.output;
}

} // namespace
} // namespace xt
