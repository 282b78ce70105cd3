#include "ir/base/temporary_files.h"

#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace xt {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFiles, ASignalRemovesThem) {
  test::TemporaryFolder folder;
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    pid_t child = fork();
    if (child == 0) {
      removeTemporariesOnSignals();
      for (const char *file : {"file", "kept"}) std::ofstream(folder / file) << "x";
      fs::create_directory(folder / "inner");
      // There are more entries than one read of the directory returns.
      for (int i = 0; i < 300; ++i) std::ofstream(folder / "inner" / std::to_string(i)) << "x";
      TemporaryPath file((folder / "file").string()), inner((folder / "inner").string());
      { TemporaryPath kept((folder / "kept").string()); }
      raise(signal);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
    EXPECT_FALSE(fs::exists(folder / "file"));
    EXPECT_FALSE(fs::exists(folder / "inner"));
    EXPECT_TRUE(fs::exists(folder / "kept"));
  }
  // If the process ignores a signal, for example because of `nohup`, the signal stays ignored.
  pid_t child = fork();
  if (child == 0) {
    std::signal(SIGHUP, SIG_IGN);
    removeTemporariesOnSignals();
    raise(SIGHUP);
    _exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

// A child inherits the registered paths, which belong to its parent.
TEST(TemporaryFiles, AChildForgetsThoseOfItsParent) {
  test::TemporaryFolder folder;
  std::string file = (folder / "file").string();
  std::ofstream(file) << "x";
  TemporaryPath known(file);
  for (bool forgets : {true, false}) {
    pid_t child = fork();
    if (child == 0) {
      if (forgets) forgetTemporaries();
      removeTemporaries();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(fs::exists(file), forgets);
  }
}

TEST(TemporaryFiles, RandomDigitsDiffer) {
  std::string one = randomDigits(), two = randomDigits();
  EXPECT_EQ(one.size(), 16U);
  EXPECT_EQ(one.find_first_not_of("0123456789abcdef"), std::string::npos) << one;
  EXPECT_NE(one, two);
}

} // namespace
} // namespace xt
