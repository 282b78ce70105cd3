#include "targets/process/program.h"

#include "ir/base/text.h"
#include "targets/process/end_with_parent.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
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
  int processorSeconds;
  bool ownGroup;
};

// Makes `from`, or /dev/null, the standard stream `to`. The descriptors in `from` are never standard streams themselves: these
// are open in every tool (ir/base/process.h).
bool connect(int from, int to) {
  if (from >= 0) return dup2(from, to) >= 0;
  int nothing = open("/dev/null", to == STDIN_FILENO ? O_RDONLY : O_WRONLY);
  return nothing >= 0 && dup2(nothing, to) >= 0 && close(nothing) == 0;
}

// Why a program did not start.
struct StartProblem {
  int error = 0; // errno; 0: it started
  bool atExec = false;
};

// In the child, between fork and exec: calls only what is allowed there in a process of several threads. Sends a failure to
// `problem`.
[[noreturn]] void become(const Command &command, pid_t parent, int problem) {
  endWithParent(parent);
  if (command.ownGroup) setpgid(0, 0);
  for (int ignored : {SIGPIPE, SIGXFSZ}) signal(ignored, SIG_DFL); // exec would pass on that this process ignores them
  bool ready = connect(command.streams[0], STDIN_FILENO) && connect(command.streams[1], STDOUT_FILENO) &&
               connect(command.streams[2], STDERR_FILENO);
  ready = ready && (!command.directory || chdir(command.directory) == 0);
  const auto seconds = static_cast<rlim_t>(command.processorSeconds);
  const rlimit limit{seconds, seconds + 1}; // the soft limit sends SIGXCPU, the hard limit SIGKILL
  ready = ready && (command.processorSeconds == 0 || setrlimit(RLIMIT_CPU, &limit) == 0);
  if (ready) execvpe(command.words[0], command.words.data(), command.variables.data());
  StartProblem failed{errno, ready};
  (void)!write(problem, &failed, sizeof failed);
  _exit(127);
}

StartProblem startProblem(int from) {
  StartProblem problem;
  ssize_t n;
  while ((n = read(from, &problem, sizeof problem)) < 0 && errno == EINTR) {}
  return n == sizeof problem ? problem : StartProblem();
}

} // namespace

Result<pid_t> startProgram(const ChildProgram &program) {
  int problem[2]; // its end for writing is closed when the program starts
  if (pipe2(problem, O_CLOEXEC) != 0)
    return Error::environment(str("cannot make a pipe to ", program.name, ": ", std::strerror(errno)));
  std::vector<std::string> words = {program.name}, variables = program.environment;
  words.insert(words.end(), program.arguments.begin(), program.arguments.end());
  for (char **variable = environ; *variable; ++variable) variables.emplace_back(*variable);
  Command command{pointersTo(words),
                  pointersTo(variables),
                  program.directory.empty() ? nullptr : program.directory.c_str(),
                  {program.input, program.output, program.errors},
                  program.processorSeconds,
                  program.ownGroup};
  pid_t parent = getpid(), child = fork();
  if (child == 0) become(command, parent, problem[1]);
  StartProblem failed{child < 0 ? errno : 0};
  close(problem[1]);
  if (child > 0) failed = startProblem(problem[0]);
  close(problem[0]);
  if (child > 0 && failed.error) waitForEnd(child);
  if (failed.atExec && failed.error == ENOENT) return Error::environment(program.missing);
  if (failed.error) {
    std::string where = failed.atExec || program.directory.empty() ? "" : str(" in ", program.directory);
    return Error::environment(str("cannot run ", program.name, where, ": ", std::strerror(failed.error)));
  }
  return child;
}

int waitForEnd(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 127; // only if somebody else has waited for it
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace xt
