#include "targets/xe/isa/external_tool.h"

#include "ir/base/output_file.h"
#include "ir/base/text.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace xt {
namespace {

struct Pipe {
  int read = -1, write = -1;
  bool open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read = ends[0], write = ends[1];
    return true;
  }
  void closeWrite() {
    if (write >= 0) close(write);
    write = -1;
  }
  ~Pipe() {
    if (read >= 0) close(read);
    closeWrite();
  }
};

std::vector<char *> pointersTo(std::vector<std::string> &texts) {
  std::vector<char *> pointers;
  for (std::string &text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

} // namespace

Result<ToolOutput> runTool(const std::string &program, std::string_view package, const std::vector<std::string> &arguments,
                           const std::string &directory, const std::vector<std::string> &environment) {
  Pipe pipe;
  if (!pipe.open()) return Error::environment(str("no pipe to ", program, ": ", std::strerror(errno)));
  std::vector<std::string> words = {program}, variables = environment;
  words.insert(words.end(), arguments.begin(), arguments.end());
  for (char **variable = environ; *variable; ++variable) variables.emplace_back(*variable);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (!directory.empty()) posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe.write, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipe.write, STDERR_FILENO);
  // What this process ignores (ir/base/process.h) is no matter of other programs.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  sigaddset(&signals, SIGXFSZ);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  int failed = posix_spawnp(&child, program.c_str(), &actions, &attributes, pointersTo(words).data(), pointersTo(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failed == ENOENT) return Error::environment(str("there is no program `", program, "` in PATH: install the package ", package));
  if (failed) return Error::environment(str("cannot run ", program, ": ", std::strerror(failed)));
  pipe.closeWrite();
  ToolOutput result;
  std::array<char, 4096> buffer;
  for (ssize_t n; (n = read(pipe.read, buffer.data(), buffer.size())) != 0;) {
    if (n > 0) result.output.append(buffer.data(), static_cast<size_t>(n));
    else if (errno != EINTR) break;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

Result<ScratchDirectory> ScratchDirectory::make() {
  std::error_code failed;
  std::string path = (std::filesystem::temp_directory_path(failed) / "xt-XXXXXX").string();
  if (failed || !mkdtemp(path.data())) return Error::environment(str("no directory for temporary files: ", std::strerror(errno)));
  return ScratchDirectory(std::move(path));
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

Result<std::string> disassembleSpirv(const std::vector<uint8_t> &spirv) {
  Result<ScratchDirectory> scratch = ScratchDirectory::make();
  if (!scratch) return scratch.error();
  std::string_view bytes(reinterpret_cast<const char *>(spirv.data()), spirv.size());
  if (Result<void> written = writeOutputFile(scratch->file("k.spv"), {bytes}); !written) return written.error();
  Result<ToolOutput> ran = runTool("spirv-dis", "spirv-tools", {"k.spv"}, scratch->path());
  if (!ran) return ran.error();
  if (ran->status != 0) return Error::environment(str("spirv-dis failed: ", ran->output));
  return std::move(ran->output);
}

} // namespace xt
