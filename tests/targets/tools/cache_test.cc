// xtrun keeps compiled kernels on disk.
#include "tests/targets/tools/run_tool.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace xt::test {
namespace {

namespace fs = std::filesystem;

class Cache : public testing::Test {
protected:
  void SetUp() override { fs::remove_all(directory); }
  void TearDown() override { fs::remove_all(directory); }
  ToolRun run(const std::string &arguments) const { return runTool("XT_CACHE_DIR=" + directory + " %bin/xtrun --small " + arguments); }
  std::vector<fs::path> files() const { // beside them LLVM notes when it looked last
    std::vector<fs::path> found;
    for (const auto &entry : fs::directory_iterator(directory))
      if (entry.path().filename() != "llvmcache.timestamp") found.push_back(entry.path());
    return found;
  }
  std::string directory = testing::TempDir() + "xt_run_cache_" + std::to_string(getpid());
};

TEST_F(Cache, KeepsAnObjectAndTakesItAgain) {
  ToolRun first = run("--test masked %src/stdlib/softmax.xt");
  ASSERT_EQ(first.status, 0) << first.output;
  ASSERT_EQ(files().size(), 1U);
  fs::path object = files()[0];
  auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(24);
  fs::last_write_time(object, long_ago);
  ToolRun second = run("--test masked %src/stdlib/softmax.xt");
  EXPECT_EQ(withoutTimes(second.output), withoutTimes(first.output));
  ASSERT_EQ(files(), std::vector<fs::path>{object});
  EXPECT_GT(fs::last_write_time(object), long_ago); // it was used
  // Tiles of another size have the same code; another kernel has its own.
  EXPECT_EQ(run("-D SOFTMAX_ROWS=16 --test masked %src/stdlib/softmax.xt").status, 0);
  EXPECT_EQ(files().size(), 1U);
  EXPECT_EQ(run("--test whole %src/stdlib/layernorm.xt").status, 0);
  EXPECT_EQ(files().size(), 2U);
}

// -O0 makes other code, which gives the same.
TEST_F(Cache, CodeThatIsNotOptimisedIsAnObjectOfItsOwn) {
  ToolRun fast = run("--test masked %src/stdlib/softmax.xt"), plain = run("-O0 --test masked %src/stdlib/softmax.xt");
  ASSERT_EQ(fast.status, 0) << fast.output;
  EXPECT_EQ(plain.status, 0) << plain.output;
  EXPECT_EQ(withoutTimes(plain.output), withoutTimes(fast.output));
  ASSERT_EQ(files().size(), 2U);
  EXPECT_NE(fs::file_size(files()[0]), fs::file_size(files()[1]));
  EXPECT_EQ(run("-O3 --test masked %src/stdlib/softmax.xt").status, 0);
  EXPECT_EQ(files().size(), 2U); // the default's
}

TEST_F(Cache, ADamagedEntryIsCompiledAgain) {
  ASSERT_EQ(run("--test masked %src/stdlib/softmax.xt").status, 0);
  fs::path object = files().at(0);
  auto size = fs::file_size(object);
  {
    std::fstream file(object, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(size / 2)) << "something else";
  }
  ToolRun again = run("--test masked %src/stdlib/softmax.xt");
  EXPECT_EQ(again.status, 0) << again.output;
  EXPECT_EQ(fs::file_size(object), size);
  fs::resize_file(object, size / 2);
  EXPECT_EQ(run("--test masked %src/stdlib/softmax.xt").status, 0);
  EXPECT_EQ(fs::file_size(object), size);
}

TEST_F(Cache, NothingIsWrittenWhereNothingShallBe) {
  std::string home = directory + "_home";
  fs::create_directories(home);
  EXPECT_EQ(runTool("HOME=" + home + " XT_CACHE_DIR= %bin/xtrun --small --test masked %src/stdlib/softmax.xt").status, 0);
  EXPECT_TRUE(fs::is_empty(home));
  EXPECT_EQ(runTool("unset XT_CACHE_DIR XDG_CACHE_HOME; HOME=" + home + " %bin/xtrun --small --test masked %src/stdlib/softmax.xt").status, 0);
  EXPECT_TRUE(fs::is_directory(home + "/.cache/xt"));
  EXPECT_EQ(runTool("XT_CACHE_DIR=/proc/none %bin/xtrun --small --test masked %src/stdlib/softmax.xt").status, 0);
  fs::remove_all(home);
}

} // namespace
} // namespace xt::test
