#include "targets/xe/isa/external_tool.h"

#include "ir/base/output_file.h"
#include "ir/base/text.h"
#include "targets/xe/end_with_parent.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
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

struct Command {
  std::vector<char *> words, variables;
  const char *directory; // null: the current one
};

// Runs in the child between fork and exec, where a multithreaded process may do only a few things. Writes
// errno to `problem` if it fails.
[[noreturn]] void become(const Command &command, pid_t parent, int output, int problem) {
  endWithParent(parent);
  for (int ignored : {SIGPIPE, SIGXFSZ}) signal(ignored, SIG_DFL); // signals that this process ignores must not be ignored in other programs
  int input = open("/dev/null", O_RDONLY);
  bool ready = input >= 0 && dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0;
  ready = ready && (!command.directory || chdir(command.directory) == 0);
  if (ready) execvpe(command.words[0], command.words.data(), command.variables.data());
  int error = errno;
  (void)!write(problem, &error, sizeof error);
  _exit(127);
}

// Returns 0, or the errno of the child that could not run the program.
int startProblem(int from) {
  int error = 0;
  ssize_t n;
  while ((n = read(from, &error, sizeof error)) < 0 && errno == EINTR) {}
  return n == sizeof error ? error : 0;
}

int waitFor(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace

Result<ToolOutput> runTool(const std::string &program, std::string_view package, const std::vector<std::string> &arguments,
                           const std::string &directory, const std::vector<std::string> &environment) {
  Pipe pipe, problem; // the latter is closed when the program starts
  if (!pipe.open() || !problem.open()) return Error::environment(str("no pipe to ", program, ": ", std::strerror(errno)));
  std::vector<std::string> words = {program}, variables = environment;
  words.insert(words.end(), arguments.begin(), arguments.end());
  for (char **variable = environ; *variable; ++variable) variables.emplace_back(*variable);
  Command command{pointersTo(words), pointersTo(variables), directory.empty() ? nullptr : directory.c_str()};
  pid_t parent = getpid(), child = fork();
  if (child == 0) become(command, parent, pipe.write, problem.write);
  if (child < 0) return Error::environment(str("cannot run ", program, ": ", std::strerror(errno)));
  problem.closeWrite();
  if (int failed = startProblem(problem.read)) {
    waitFor(child);
    if (failed == ENOENT) return Error::environment(str("there is no program `", program, "` in PATH: install the package ", package));
    return Error::environment(str("cannot run ", program, ": ", std::strerror(failed)));
  }
  pipe.closeWrite();
  ToolOutput result;
  std::array<char, 4096> buffer;
  for (ssize_t n; (n = read(pipe.read, buffer.data(), buffer.size())) != 0;) {
    if (n > 0) result.output.append(buffer.data(), static_cast<size_t>(n));
    else if (errno != EINTR) break;
  }
  result.status = waitFor(child);
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
