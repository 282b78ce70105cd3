#include "targets/process/program.h"

#include "ir/base/text.h"
#include "targets/process/end_with_parent.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace xt {
namespace {

std::vector<char *> pointersTo(std::vector<std::string> &texts) {
  std::vector<char *> pointers;
  for (std::string &text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

struct Command {
  std::vector<char *> words, variables;
  const char *directory; // null: this process's
  int streams[3];
  bool ownGroup;
};

// Makes `from`, or /dev/null, the standard stream `to`. The descriptors in `from` are never standard streams themselves: these
// are open in every tool (ir/base/process.h).
bool connect(int from, int to) {
  if (from >= 0) return dup2(from, to) >= 0;
  int nothing = open("/dev/null", to == STDIN_FILENO ? O_RDONLY : O_WRONLY);
  return nothing >= 0 && dup2(nothing, to) >= 0 && close(nothing) == 0;
}

// In the child, between fork and exec: calls only what is allowed there in a process of several threads. Sends the errno of a
// failure to `problem`.
[[noreturn]] void become(const Command &command, pid_t parent, int problem) {
  endWithParent(parent);
  if (command.ownGroup) setpgid(0, 0);
  for (int ignored : {SIGPIPE, SIGXFSZ}) signal(ignored, SIG_DFL); // exec would pass on that this process ignores them
  bool ready = connect(command.streams[0], STDIN_FILENO) && connect(command.streams[1], STDOUT_FILENO) && connect(command.streams[2], STDERR_FILENO);
  ready = ready && (!command.directory || chdir(command.directory) == 0);
  if (ready) execvpe(command.words[0], command.words.data(), command.variables.data());
  int error = errno;
  (void)!write(problem, &error, sizeof error);
  _exit(127);
}

// 0, or the errno that kept the program from starting.
int startProblem(int from) {
  int error = 0;
  ssize_t n;
  while ((n = read(from, &error, sizeof error)) < 0 && errno == EINTR) {}
  return n == sizeof error ? error : 0;
}

} // namespace

Result<pid_t> startProgram(const Program &program) {
  int problem[2]; // its end for writing is closed when the program starts
  if (pipe2(problem, O_CLOEXEC) != 0) return Error::environment(str("no pipe to ", program.name, ": ", std::strerror(errno)));
  std::vector<std::string> words = {program.name}, variables = program.environment;
  words.insert(words.end(), program.arguments.begin(), program.arguments.end());
  for (char **variable = environ; *variable; ++variable) variables.emplace_back(*variable);
  Command command{pointersTo(words), pointersTo(variables), program.directory.empty() ? nullptr : program.directory.c_str(),
                  {program.input, program.output, program.errors}, program.ownGroup};
  pid_t parent = getpid(), child = fork();
  if (child == 0) become(command, parent, problem[1]);
  int failed = child < 0 ? errno : 0;
  close(problem[1]);
  if (child > 0 && (failed = startProblem(problem[0])) != 0) waitForEnd(child);
  close(problem[0]);
  if (failed == ENOENT) return Error::environment(program.missing);
  if (failed) return Error::environment(str("cannot run ", program.name, ": ", std::strerror(failed)));
  return child;
}

int waitForEnd(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 127; // only if somebody else has waited for it
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace xt
