#include "targets/xe/soft/spirv_words.h"

#include "ir/base/text.h"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

extern char **environ;

namespace xt::soft {
namespace {

constexpr const char *kTool = "llvm-spirv-15"; // the command and Debian's package

// An anonymous file, which disappears however the process ends.
class ScratchFile {
public:
  explicit ScratchFile(const char *name) : descriptor_(memfd_create(name, MFD_CLOEXEC)) {}
  ~ScratchFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  ScratchFile(const ScratchFile &) = delete;
  ScratchFile &operator=(const ScratchFile &) = delete;
  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  bool fill(std::string_view bytes) {
    while (!bytes.empty()) {
      ssize_t put = write(descriptor_, bytes.data(), bytes.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return false;
      bytes.remove_prefix(static_cast<size_t>(put));
    }
    return lseek(descriptor_, 0, SEEK_SET) == 0;
  }
  std::string contents() const {
    std::string bytes;
    char buffer[16384];
    for (ssize_t n; (n = pread(descriptor_, buffer, sizeof buffer, static_cast<off_t>(bytes.size()))) > 0;)
      bytes.append(buffer, static_cast<size_t>(n));
    return bytes;
  }

private:
  int descriptor_;
};

// The exit status; an Error if the program cannot be started.
Result<int> runTool(const ScratchFile &in, const ScratchFile &out, const ScratchFile &log) {
  std::string arguments[] = {kTool, "-r", "--spirv-target-env=SPV-IR", "/dev/stdin", "-o", "-"};
  std::vector<char *> argv;
  for (std::string &argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, log.descriptor(), STDERR_FILENO);
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
  ScratchFile in("xt.spv"), out("xt.bc"), log("xt.log");
  if (!in || !out || !log || !in.fill({reinterpret_cast<const char *>(words.data()), words.size_bytes()}))
    return Error::environment(str("cannot make a temporary file in memory: ", std::strerror(errno)));
  Result<int> status = runTool(in, out, log);
  if (!status) return status.error();
  std::string bitcode = out.contents();
  if (*status != 0 || bitcode.empty()) {
    std::string text = log.contents();
    text.resize(std::min(text.find("PLEASE submit"), text.size())); // after a failed assertion, the stack trace follows
    return Error::kernel(str(kTool, " does not read this SPIR-V (status ", *status, "): ", text));
  }
  return bitcode;
}

} // namespace xt::soft
