// Tests the messages during a long compilation, and that all its processes end when the user interrupts it. A program that
// never ends replaces Intel's offline compiler, so that no test depends on a duration.
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <pty.h>
#include <regex>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace xt {
namespace {

namespace fs = std::filesystem;

constexpr int kWaits = 600; // in tenths of a second; the events occur much sooner

// Runs xtc until it waits for the offline compiler.
class Compiling : public testing::Test {
protected:
  void SetUp() override {
    fs::create_directory(folder_ / "bin");
    fs::create_directory(folder_ / "tmp");
    std::ofstream(folder_ / "bin/ocloc") << "#!/bin/sh\necho $$ > " << (folder_ / "tmp-pid").string() << "\nmv "
                                         << (folder_ / "tmp-pid").string() << " " << (folder_ / "pid").string()
                                         << "\nexec sleep 1000000\n";
    fs::permissions(folder_ / "bin/ocloc", fs::perms::owner_all);
    std::ofstream(folder_ / "copy.xt")
        << "kernel @copy(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {\n  %ta = init_tile %A[0, 0] -> tile<8x16xf32>\n"
           "  %tb = init_tile %B[0, 0] -> tile<8x16xf32>\n  %a = load_tile %ta\n  store_tile %a, %tb\n}\n";
  }
  void TearDown() override {
    if (tool_ > 0) end(SIGKILL);
    if (messages_ >= 0) close(messages_);
  }

  // Starts xtc with a terminal or a pipe as standard error.
  void start(bool terminal) {
    int ends[2] = {-1, -1};
    if (terminal)
      ASSERT_EQ(openpty(&ends[0], &ends[1], nullptr, nullptr, nullptr), 0);
    else
      ASSERT_EQ(pipe(ends), 0);
    messages_ = ends[0];
    tool_ = fork();
    if (tool_ == 0) {
      signal(SIGINT, SIG_DFL);
      dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
      dup2(ends[1], STDERR_FILENO);
      close(ends[0]);
      close(ends[1]);
      setenv("PATH", (folder_ / "bin").string().append(":").append(getenv("PATH")).c_str(), 1);
      setenv("TMPDIR", (folder_ / "tmp").c_str(), 1);
      execl(XT_BINARY_DIR "/bin/xtc", "xtc", "--target=xe-dg2", "--emit=isa", (folder_ / "copy.xt").c_str(), nullptr);
      _exit(127);
    }
    close(ends[1]);
  }

  // Returns the process number of the offline compiler once it runs, or 0.
  pid_t compiler() {
    pid_t found = 0;
    for (int i = 0; i < kWaits && !found; ++i) {
      std::ifstream(folder_ / "pid") >> found;
      if (!found) usleep(100'000);
    }
    return found;
  }

  // Sends the signal and returns the status as given by wait.
  int end(int by) {
    int status = 0;
    kill(tool_, by);
    waitpid(tool_, &status, 0);
    tool_ = 0;
    return status;
  }

  // Returns the output until it contains a match of `pattern` or the program ends.
  std::string messagesUntil(const std::string &pattern) {
    std::string all;
    char buffer[256];
    for (int i = 0; i < kWaits && !std::regex_search(all, std::regex(pattern)); ++i) {
      pollfd ready{messages_, POLLIN, 0};
      if (poll(&ready, 1, 100) <= 0) continue;
      ssize_t n = read(messages_, buffer, sizeof buffer);
      if (n <= 0) break;
      all.append(buffer, static_cast<size_t>(n));
    }
    return all;
  }

  // A process that has ended but was not waited for counts as gone.
  static bool isGone(pid_t process) {
    for (int i = 0; i < kWaits; ++i) {
      std::ifstream in("/proc/" + std::to_string(process) + "/stat");
      std::string number, name, state;
      if (!(in >> number >> name >> state) || state == "Z") return true;
      usleep(100'000);
    }
    return false;
  }

  test::TemporaryFolder folder_;
  pid_t tool_ = 0;
  int messages_ = -1;
};

TEST_F(Compiling, OfflineCompilerEndsWithTheTool) {
  for (int by : {SIGINT, SIGTERM, SIGKILL}) {
    start(false);
    pid_t process = compiler();
    ASSERT_GT(process, 0);
    int status = end(by);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == by) << status;
    EXPECT_TRUE(isGone(process)) << "signal " << by;
    fs::remove(folder_ / "pid");
    close(messages_);
    messages_ = -1;
  }
}

TEST_F(Compiling, TerminalShowsWhatTakesLong) {
  start(true);
  const std::string line = "xtc: [^\\r\\n]*copy\\.xt: Intel's offline compiler \\(ocloc\\), [0-9]+ s";
  std::string seen = messagesUntil(line);
  EXPECT_TRUE(std::regex_search(seen, std::regex(line))) << seen;
}

TEST_F(Compiling, NothingIsShownElsewhere) {
  start(false);
  ASSERT_GT(compiler(), 0);
  // The same program runs on a terminal and begins later. When it has printed a line, the first program would have printed one
  // too.
  pid_t first = std::exchange(tool_, 0);
  int pipe = std::exchange(messages_, -1);
  start(true);
  messagesUntil("\\(ocloc\\), [0-9]+ s[\\s\\S]*\\(ocloc\\), [0-9]+ s");
  end(SIGKILL);
  close(std::exchange(messages_, pipe));
  tool_ = first;
  end(SIGKILL);
  EXPECT_EQ(messagesUntil("copy\\.xt"), "");
}

} // namespace
} // namespace xt
