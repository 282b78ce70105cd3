#include "targets/process/program.h"

#include "ir/base/text.h"
#include "targets/process/external_tool.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace xt {
namespace {

namespace fs = std::filesystem;

std::string outputOf(const std::string &command, const ToolSetting &setting = {}) {
  auto ran = runTool("sh", "dash", {"-c", command}, setting);
  return ran ? str(ran->status, ":", ran->output) : ran.error().message;
}

TEST(ExternalTool, GivesOutputAndStatus) {
  EXPECT_EQ(outputOf("echo out; echo err >&2; exit 7"), "7:out\nerr\n");
  EXPECT_EQ(outputOf("cat; echo end"), "0:end\n") << "its input is empty";
  EXPECT_EQ(outputOf("kill -TERM $$"), str(128 + SIGTERM, ":"));
  EXPECT_EQ(outputOf("pwd; echo $XT_ONE", {.directory = "/", .environment = {"XT_ONE=1"}}), "0:/\n1\n");
  EXPECT_EQ(outputOf("printf 12345", {.mostOutput = 3}), "0:123") << "the rest is dropped, and the program ends";
}

TEST(ExternalTool, AMissingProgramIsAnErrorWithThePackage) {
  auto ran = runTool("no-such-program", "some-package", {});
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().message, "no program `no-such-program` in PATH: install the package some-package");
  auto lost = runTool("sh", "dash", {}, {.directory = "/no/such/folder"});
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().message, "cannot run sh in /no/such/folder: No such file or directory");
}

// Our tools ignore SIGPIPE and SIGXFSZ, but other programs rely on the effect of these signals.
TEST(Program, IgnoredSignalsAreNotPassedOn) {
  for (int ignored : {SIGPIPE, SIGXFSZ}) {
    auto before = std::signal(ignored, SIG_IGN);
    EXPECT_EQ(outputOf(str("kill -", ignored, " $$; echo survived")), str(128 + ignored, ":"));
    std::signal(ignored, before);
  }
}

TEST(Program, CanBeEndedWithAllItsProcesses) {
  ChildProgram program{"sh", {"-c", "sleep 1000000 & wait"}, "missing"};
  program.ownGroup = true;
  auto child = startProgram(program);
  ASSERT_TRUE(child) << child.error().message;
  EXPECT_EQ(getpgid(*child), *child);
  kill(-*child, SIGKILL);
  EXPECT_EQ(waitForEnd(*child), 128 + SIGKILL);
}

TEST(Program, IsEndedAfterItsProcessorTime) {
  ChildProgram program{"sh", {"-c", "while :; do :; done"}, "missing"};
  program.processorSeconds = 1;
  auto child = startProgram(program);
  ASSERT_TRUE(child) << child.error().message;
  EXPECT_EQ(waitForEnd(*child), 128 + SIGXCPU);
}

// A program must not outlive the process that started it, however that process ends.
TEST(Program, EndsWithTheProcessThatStartedIt) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  pid_t starter = fork();
  if (starter == 0) {
    auto child = startProgram({"sleep", {"1000000"}, "missing"});
    pid_t number = child ? *child : 0;
    (void)!write(ends[1], &number, sizeof number);
    kill(getpid(), SIGKILL);
  }
  pid_t program = 0;
  EXPECT_EQ(read(ends[0], &program, sizeof program), static_cast<ssize_t>(sizeof program));
  int status = 0;
  waitpid(starter, &status, 0);
  ASSERT_GT(program, 0);
  auto isRunning = [&] {
    std::ifstream in("/proc/" + std::to_string(program) + "/stat");
    std::string number, name, state;
    return static_cast<bool>(in >> number >> name >> state) && state != "Z";
  };
  for (int i = 0; i < 600 && isRunning(); ++i) usleep(100'000);
  EXPECT_FALSE(isRunning());
  close(ends[0]), close(ends[1]);
}

TEST(ScratchDirectory, GoesWithItsFiles) {
  std::string path;
  {
    auto scratch = ScratchDirectory::make();
    ASSERT_TRUE(scratch);
    path = scratch->path();
    std::ofstream(scratch->file("k.spv")) << "x";
    EXPECT_TRUE(fs::exists(path + "/k.spv"));
  }
  EXPECT_FALSE(fs::exists(path));
}

} // namespace
} // namespace xt
