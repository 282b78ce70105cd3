// Tests that the files that `cmake --install` puts into a folder work there: the tools find the library of kernels and the
// software device beside them.
#include "tests/effort.h"
#include "tests/targets/tools/run_tool.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

namespace xt::test {
namespace {

namespace fs = std::filesystem;

class Install : public testing::Test {
protected:
  void SetUp() override {
    ToolRun run = runTool("cmake --install " XT_BINARY_DIR " --prefix " + folder_.string());
    ASSERT_EQ(run.status, 0) << run.output;
  }
  ToolRun runInstalled(const std::string &command) { return runTool("cd / && " + folder_.string() + "/bin/" + command); }

  TemporaryFolder folder_;
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

TEST_F(Install, ThePackageOfDebianHasEverything) {
  if (kSanitized) GTEST_SKIP() << "nobody packs a sanitized build";
  if (runTool("cpack --version && dpkg-deb --version && dpkg-shlibdeps --version").status != 0)
    GTEST_SKIP() << "cpack or Debian's tools for packages are not installed";
  std::string deb = (folder_ / "deb").string(), root = (folder_ / "root").string();
  ToolRun run = runTool("cpack -G DEB --config " XT_BINARY_DIR "/CPackConfig.cmake -B " + deb);
  ASSERT_EQ(run.status, 0) << run.output;
  run = runTool("dpkg-deb --field " + deb + "/xt_*.deb Depends");
  EXPECT_NE(run.output.find("libllvm"), std::string::npos) << run.output;
  EXPECT_EQ(run.output.find("mpi"), std::string::npos) << run.output; // only xt-mpi needs one
  run = runTool("dpkg-deb -x " + deb + "/xt_*.deb " + root);
  ASSERT_EQ(run.status, 0) << run.output;
  run = runTool("cd / && " + root + "/usr/bin/xtrun --small " + root + "/usr/share/xt/stdlib/softmax.xt");
  EXPECT_EQ(run.status, 0) << run.output;
  for (const char *file : {"include/xt/xt.h", "lib/libxt.so.0", "lib/cmake/xt/xt-config.cmake", "lib/pkgconfig/xt.pc",
                           "share/xt/editors/vscode/package.json"})
    EXPECT_TRUE(fs::exists(root + "/usr/" + file)) << file;
  EXPECT_FALSE(fs::exists(root + "/usr/include/xt/mpi.h"));
  if (!fs::exists(XT_BINARY_DIR "/lib/libxt_mpi.so")) return; // built on a machine without MPI
  run = runTool("dpkg-deb --field " + deb + "/xt-mpi_*.deb Depends");
  EXPECT_NE(run.output.find("mpi"), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("xt (= "), std::string::npos) << run.output;
  run = runTool("dpkg-deb -x " + deb + "/xt-mpi_*.deb " + root);
  ASSERT_EQ(run.status, 0) << run.output;
  for (const char *file : {"include/xt/mpi.h", "lib/libxt_mpi.so.0", "lib/pkgconfig/xt-mpi.pc"})
    EXPECT_TRUE(fs::exists(root + "/usr/" + file)) << file;
}

TEST(Version, IsANumberAndACommit) {
  for (const char *tool : {"xtc", "xtrun"}) {
    ToolRun run = runTool(std::string("%bin/") + tool + " --version");
    EXPECT_TRUE(std::regex_match(run.output, std::regex(R"(xt \d+\.\d+\.\d+( \([0-9a-f]{12}(-dirty)?\))?\n)"))) << run.output;
  }
}

} // namespace
} // namespace xt::test
