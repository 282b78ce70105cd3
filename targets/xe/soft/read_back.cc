#include "targets/xe/soft/spirv_words.h"

#include "ir/base/text.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

extern char **environ;

namespace xt::soft {
namespace {

constexpr const char *kTool = "llvm-spirv-15"; // the command and Debian's package

// A folder of its own, gone with its files at the end.
class ScratchFolder {
public:
  ScratchFolder() {
    const char *base = std::getenv("TMPDIR");
    path_ = str(base && *base ? base : "/tmp", "/xt-soft-XXXXXX");
    if (!mkdtemp(path_.data())) path_.clear();
  }
  ~ScratchFolder() {
    if (path_.empty()) return;
    for (const char *name : {"in.spv", "out.bc", "log"}) unlink(file(name).c_str());
    rmdir(path_.c_str());
  }
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;
  bool valid() const { return !path_.empty(); }
  std::string file(const char *name) const { return str(path_, "/", name); }

private:
  std::string path_;
};

std::string contents(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The exit status; an Error where the program does not start.
Result<int> runTool(const ScratchFolder &folder) {
  std::string in = folder.file("in.spv"), out = folder.file("out.bc"), log = folder.file("log");
  std::string arguments[] = {kTool, "-r", "--spirv-target-env=SPV-IR", in, "-o", out};
  std::vector<char *> argv;
  for (std::string &argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  int failed = posix_spawnp(&child, kTool, &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed == ENOENT)
    return Error::environment(str("the software Xe device needs the command ", kTool,
                                  " to read SPIR-V, and it is not in PATH; "
                                  "install Debian's package ",
                                  kTool));
  if (failed) return Error::environment(str("cannot start ", kTool, ": ", std::strerror(failed)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return Error::environment(str("lost ", kTool, ": ", std::strerror(errno)));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace

Result<std::string> readBack(std::span<const uint32_t> words) {
  ScratchFolder folder;
  if (!folder.valid()) return Error::environment(str("cannot make a temporary folder: ", std::strerror(errno)));
  {
    std::ofstream file(folder.file("in.spv"), std::ios::binary);
    file.write(reinterpret_cast<const char *>(words.data()), static_cast<std::streamsize>(words.size_bytes()));
    if (!file.flush()) return Error::environment("cannot write a temporary file");
  }
  Result<int> status = runTool(folder);
  if (!status) return status.error();
  std::string bitcode = contents(folder.file("out.bc"));
  if (*status != 0 || bitcode.empty()) {
    std::string log = contents(folder.file("log"));
    log.resize(std::min(log.find("PLEASE submit"), log.size())); // where it failed an assertion there follows its stack
    return Error::kernel(str(kTool, " does not read this SPIR-V (status ", *status, "): ", log));
  }
  return bitcode;
}

} // namespace xt::soft
