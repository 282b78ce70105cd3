// Tests that xtrun caches compiled kernels on disk.
#include "tests/targets/tools/run_tool.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <vector>

namespace xt::test {
namespace {

namespace fs = std::filesystem;

class Cache : public testing::Test {
protected:
  ToolRun run(const std::string &arguments) const {
    return runTool("XT_CACHE_DIR=" + directory + " %bin/xtrun --small " + arguments);
  }
  std::vector<fs::path> files() const { // the files except the key and LLVM's time stamp
    std::vector<fs::path> found;
    for (const auto &entry : fs::directory_iterator(directory))
      if (entry.path().filename().string().starts_with("llvmcache-")) found.push_back(entry.path());
    return found;
  }
  TemporaryFolder folder;
  std::string directory = (folder / "cache").string(); // xtrun makes it
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
  EXPECT_GT(fs::last_write_time(object), long_ago); // the entry was used
  // Tiles of another size give the same code; another kernel has its own.
  EXPECT_EQ(run("-D SOFTMAX_ROWS=16 --test masked %src/stdlib/softmax.xt").status, 0);
  EXPECT_EQ(files().size(), 1U);
  EXPECT_EQ(run("--test whole %src/stdlib/layernorm.xt").status, 0);
  EXPECT_EQ(files().size(), 2U);
}

// -O0 generates different code with the same results.
TEST_F(Cache, CodeThatIsNotOptimisedIsAnObjectOfItsOwn) {
  ToolRun fast = run("--test masked %src/stdlib/softmax.xt"), plain = run("-O0 --test masked %src/stdlib/softmax.xt");
  ASSERT_EQ(fast.status, 0) << fast.output;
  EXPECT_EQ(plain.status, 0) << plain.output;
  EXPECT_EQ(withoutTimes(plain.output), withoutTimes(fast.output));
  ASSERT_EQ(files().size(), 2U);
  EXPECT_NE(fs::file_size(files()[0]), fs::file_size(files()[1]));
  EXPECT_EQ(run("-O3 --test masked %src/stdlib/softmax.xt").status, 0);
  EXPECT_EQ(files().size(), 2U); // -O3 is the default, so its entry is used
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
  std::string home = (folder / "home").string();
  fs::create_directory(home);
  EXPECT_EQ(runTool("HOME=" + home + " XT_CACHE_DIR= %bin/xtrun --small --test masked %src/stdlib/softmax.xt").status, 0);
  EXPECT_TRUE(fs::is_empty(home));
  EXPECT_EQ(
      runTool("unset XT_CACHE_DIR XDG_CACHE_HOME; HOME=" + home + " %bin/xtrun --small --test masked %src/stdlib/softmax.xt")
          .status,
      0);
  EXPECT_TRUE(fs::is_directory(home + "/.cache/xt"));
  EXPECT_EQ(runTool("XT_CACHE_DIR=/proc/none %bin/xtrun --small --test masked %src/stdlib/softmax.xt").status, 0);
}

// --- attacks: the code of another kernel, or planted code, in safe and in unsafe directories ---------------------------

class CacheAttack : public Cache {
protected:
  static std::string bytes(const fs::path &file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
  }
  // Returns the entry that a command creates in an empty cache.
  fs::path entryOf(const std::string &arguments) {
    fs::remove_all(directory);
    ToolRun made = run(arguments);
    EXPECT_EQ(made.status, 0) << made.output;
    EXPECT_EQ(files().size(), 1U);
    return files().at(0);
  }
  static constexpr const char *kSoftmax = "--test masked %src/stdlib/softmax.xt",
                              *kLayernorm = "--test whole %src/stdlib/layernorm.xt";
};

TEST_F(CacheAttack, AnEntryOfAnotherKernelIsCompiledAgain) {
  fs::path other = entryOf(kLayernorm);
  ToolRun both = run(kSoftmax); // uses the same cache and the same secret
  ASSERT_EQ(both.status, 0) << both.output;
  fs::path own = files()[0] == other ? files()[1] : files()[0];
  std::string good = bytes(own), evil = bytes(other);
  fs::rename(other, own);
  ToolRun again = run(kSoftmax);
  EXPECT_EQ(again.status, 0) << again.output;
  EXPECT_EQ(bytes(own), good); // the compiled code, not the planted code
  EXPECT_NE(bytes(own), evil);
}

TEST_F(CacheAttack, AnEntryOfAnotherUsersCacheIsCompiledAgain) {
  fs::path there = entryOf(kSoftmax);
  std::string theirs = bytes(there);
  fs::path own = entryOf(kSoftmax); // made with a different secret
  ASSERT_EQ(own, there);
  std::string good = bytes(own);
  ASSERT_NE(good, theirs);
  std::ofstream(own, std::ios::binary) << theirs;
  ToolRun again = run(kSoftmax);
  EXPECT_EQ(again.status, 0) << again.output;
  EXPECT_EQ(bytes(own), good);
}

TEST_F(CacheAttack, ADirectoryThatOthersWriteToIsLeftAloneWithOneWarning) {
  entryOf(kSoftmax);
  chmod(directory.c_str(), 0777);
  auto time = fs::last_write_time(files()[0]);
  ToolRun ran = run("--target=cpu --test masked %src/stdlib/softmax.xt %src/stdlib/softmax.xt");
  EXPECT_EQ(ran.status, 0) << ran.output;
  size_t first = ran.output.find("xtrun: warning: compiled code is not cached: other users can write to ");
  ASSERT_NE(first, std::string::npos) << ran.output;
  EXPECT_EQ(ran.output.find("compiled code is not cached", first + 40), std::string::npos) << ran.output;
  EXPECT_EQ(files().size(), 1U);
  EXPECT_EQ(fs::last_write_time(files()[0]), time); // the entry was not read either
}

TEST_F(CacheAttack, TheLimitIsAVariable) {
  entryOf(kSoftmax);
  fs::remove_all(directory);
  for (const char *none : {"0", "1K"}) {
    ToolRun ran =
        runTool("XT_CACHE_LIMIT=" + std::string(none) + " XT_CACHE_DIR=" + directory + " %bin/xtrun --small " + kSoftmax);
    EXPECT_EQ(ran.status, 0) << ran.output;
    EXPECT_TRUE(!fs::exists(directory) || files().empty());
  }
  ToolRun wrong = runTool("XT_CACHE_LIMIT=lots %bin/xtrun --small --test masked %src/stdlib/softmax.xt");
  EXPECT_EQ(wrong.status, 64) << wrong.output;
  EXPECT_NE(wrong.output.find("XT_CACHE_LIMIT must be a number of bytes such as 1048576, 64M or 2G, not `lots`"),
            std::string::npos)
      << wrong.output;
}

TEST_F(CacheAttack, ProcessesThatStartTogetherShareIt) {
  ToolRun ran = runTool("export XT_CACHE_DIR=" + directory +
                        "; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do %bin/xtrun --small --quiet --threads 1 --test "
                        "masked %src/stdlib/softmax.xt || echo failed & done; wait");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.output, "");
  EXPECT_EQ(files().size(), 1U);
  std::string before = bytes(files()[0]);
  EXPECT_EQ(run(kSoftmax).status, 0);
  EXPECT_EQ(bytes(files()[0]), before);
}

} // namespace
} // namespace xt::test
