#include "targets/process/child_work.h"

#include "ir/base/crash.h"
#include "ir/base/exit_status.h"
#include "ir/base/temporary_files.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace xt {
namespace {

TEST(ChildWork, GivesTheResultAndChangesNothingHere) {
  int changed = 0;
  std::string large(300'000, 'x');
  auto result = inChildProcess("makes texts", [&] {
    changed = 1;
    return large;
  });
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(*result, large);
  EXPECT_EQ(changed, 0);
}

// If a limit of the system is exceeded, this is not a bug of the compiler: no crash bundle is written, and the exit status is
// that of an error of the environment.
TEST(ChildWork, LackOfMemoryIsAnErrorOfTheEnvironment) {
  auto limited = inChildProcess("makes texts", []() -> std::string { _exit(kExitEnvironment); });
  ASSERT_FALSE(limited);
  EXPECT_EQ(limited.error().kind, Error::Kind::Environment);
  EXPECT_EQ(limited.error().message, "the system is out of memory for the process that makes texts");
  auto killed = inChildProcess("makes texts", [] {
    kill(getpid(), SIGKILL);
    return std::string();
  });
  ASSERT_FALSE(killed);
  EXPECT_NE(killed.error().message.find("was killed, probably because the system ran out of memory"), std::string::npos)
      << killed.error().message;
  EXPECT_FALSE(internalErrorSeen());
}

TEST(ChildWork, TemporaryFilesOfTheParentStay) {
  test::TemporaryFolder folder;
  std::string file = (folder / "file").string();
  std::ofstream(file) << "x";
  TemporaryPath known(file);
  EXPECT_TRUE(inChildProcess("makes texts", [] {
    removeTemporaries();
    return std::string();
  }));
  EXPECT_TRUE(std::filesystem::exists(file));
}

// This must be the last test of this program, because the whole process remembers an internal error.
TEST(ChildWorkEnd, ACrashIsAMistakeOfTheCompiler) {
  auto crashed = inChildProcess("makes texts", [] {
    std::signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
    return std::string();
  });
  ASSERT_FALSE(crashed);
  EXPECT_EQ(crashed.error().message, "compiler bug: the process that makes texts crashed (signal 11)");
  EXPECT_TRUE(internalErrorSeen());
}

} // namespace
} // namespace xt
