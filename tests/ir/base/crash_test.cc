// Tests the crash bundle: its contents, its location, and that it is written even during a crash.
#include "ir/base/check.h"
#include "ir/base/crash.h"
#include "ir/base/temporary_files.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace xt {
namespace {

namespace fs = std::filesystem;

class Crash : public testing::Test {
protected:
  std::string path(const std::string &name) const { return folder_ / name; }
  static std::string text(const std::string &file) {
    std::ostringstream out;
    out << std::ifstream(file).rdbuf();
    return out.str();
  }
  // Runs `work` in a child process and keeps its standard error in `said_`. Returns its exit status, or 128 + the number of the
  // signal that ended it.
  int inChild(const std::function<void()> &work) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
      dup2(ends[1], STDERR_FILENO);
      work();
      _exit(0);
    }
    close(ends[1]);
    said_.clear();
    char buffer[4096];
    for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) said_.append(buffer, static_cast<size_t>(n));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  test::TemporaryFolder folder_;
  std::string said_;
};

TEST_F(Crash, AFailedCheckLeavesWhatIsKnown) {
  for (int i = 1; i <= 2; ++i) { // the second bundle does not overwrite the first
    EXPECT_EQ(inChild([&] {
                enableCrashBundles("command: xtc a.xt\n", {folder_.string(), folder_.string()});
                std::string source = "kernel", gone = "gone";
                CrashNote note("files/home/a.xt", source);
                { CrashNote left("files/left.xt", gone); }
                XT_CHECK(false, "seven");
              }),
              kExitCompilerBug);
    std::string bundle = path("xt-crash-" + std::to_string(i));
    EXPECT_NE(said_.find("compiler bug: seven\n"), std::string::npos) << said_;
    EXPECT_NE(said_.find("in the folder " + bundle + ": please send it"), std::string::npos) << said_;
    EXPECT_EQ(text(bundle + "/files/home/a.xt"), "kernel");
    EXPECT_FALSE(fs::exists(bundle + "/files/left.xt"));
    EXPECT_TRUE(fs::exists(bundle + "/backtrace.txt"));
    std::string readme = text(bundle + "/README.txt");
    EXPECT_NE(readme.find("what happened: seven, at "), std::string::npos) << readme;
    EXPECT_NE(readme.find("command: xtc a.xt\n"), std::string::npos) << readme;
  }
}

TEST_F(Crash, WhereTheFirstFolderIsOfNoUseTheSecondIs) {
  EXPECT_EQ(inChild([&] {
              enableCrashBundles("", {"/proc/none", folder_.string()});
              Error error = internalError("compiler bug: cannot select this");
              _exit(internalErrorSeen() && error.message == "compiler bug: cannot select this" ? 7 : 8);
            }),
            7);
  EXPECT_NE(text(path("xt-crash-1/README.txt")).find("what happened: cannot select this\n"), std::string::npos) << said_;
  EXPECT_EQ(inChild([&] {
              enableCrashBundles("", {"/proc/none", "/proc/none"});
              XT_CHECK(false, "seven");
            }),
            kExitCompilerBug);
  EXPECT_NE(said_.find("Please report it with the input."), std::string::npos) << said_;
}

int useUpTheStack(int depth) { // NOLINT(misc-no-recursion)
  volatile char room[4096];
  room[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : useUpTheStack(depth + 1) + room[0];
}

TEST_F(Crash, SignalsLeaveABundleToo) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizers tell of these signals themselves";
#endif
  std::string text_ = "the module";
  int number = 0;
  auto crashes = [&](const char *what, const std::function<void()> &work) {
    EXPECT_EQ(inChild([&] {
                enableCrashBundles("", {folder_.string(), folder_.string()});
                catchCrashSignals();
                TemporaryPath temporary(path("temporary"));
                std::ofstream(path("temporary")) << "x";
                CrashNote note("before.xt", text_);
                work();
              }),
              kExitCompilerBug);
    EXPECT_NE(said_.find(what), std::string::npos) << said_;
    EXPECT_EQ(text(path("xt-crash-" + std::to_string(++number) + "/before.xt")), "the module") << said_;
    EXPECT_FALSE(fs::exists(path("temporary")));
  };
  crashes("SIGSEGV", [] { raise(SIGSEGV); });
  crashes("SIGABRT", [] { std::abort(); });
  crashes("SIGFPE", [] { raise(SIGFPE); });
  crashes("SIGSEGV", [] { useUpTheStack(0); });
}

TEST_F(Crash, NothingIsWrittenWhereItIsNotEnabled) {
  EXPECT_EQ(inChild([&] { XT_CHECK(false, "seven"); }), kExitCompilerBug);
  EXPECT_NE(said_.find("Please report it with the input."), std::string::npos) << said_;
  int ended = inChild([&] {
    enableCrashBundles("", {folder_.string(), folder_.string()});
    catchCrashSignals();
    disableCrashBundles();
    raise(SIGSEGV);
  });
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // the sanitizers end the process with 1
  EXPECT_EQ(ended, 128 + SIGSEGV);
#endif
  EXPECT_NE(ended, kExitCompilerBug);
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

// A bundle contains the user's sources, so other users must not be able to read it.
TEST_F(Crash, OthersCannotReadABundleInASharedFolder) {
  mode_t mask = umask(022);
  for (mode_t shared : {01777, 0755}) {
    fs::remove_all(path("xt-crash-1"));
    ASSERT_EQ(chmod(folder_.path().c_str(), shared), 0);
    inChild([&] {
      enableCrashBundles("", {folder_.string(), folder_.string()});
      writeCrashBundle("seven");
    });
    struct stat info{};
    ASSERT_EQ(stat(path("xt-crash-1").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, shared == 0755 ? 0755U : 0700U);
  }
  umask(mask);
}

} // namespace
} // namespace xt
