#include "targets/tools/reduce_file.h"

#include "ir/base/output_file.h"
#include "ir/base/text.h"
#include "lang/lower/disk.h"
#include "lang/reduce/reduce.h"
#include "targets/process/program.h"
#include "targets/tools/progress.h"
#include "targets/tools/session.h"
#include "targets/tools/tool_process.h"

#include <csignal>
#include <unistd.h>

namespace xt {
namespace {

volatile std::sig_atomic_t stopSignal = 0;
volatile std::sig_atomic_t running = 0; // process group of the running command

void stop(int signal) {
  stopSignal = signal;
  if (running) ::kill(-static_cast<pid_t>(running), SIGTERM);
}

// Replaces `{}` by the file; a command without it gets the file as its last argument.
std::string commandFor(const std::string &command, const std::string &file) {
  std::string name = shellQuoted(file), out;
  size_t at = 0;
  for (size_t found; (found = command.find("{}", at)) != std::string::npos; at = found + 2)
    out += command.substr(at, found - at) + name;
  return at == 0 ? str(command, " ", name) : out + command.substr(at);
}

// Runs a shell in its own process group, so that all its processes can be ended; its output and input are /dev/null.
Result<int> runShell(const std::string &command) {
  ChildProgram shell{"/bin/sh", {"-c", command}, "no shell /bin/sh"};
  shell.ownGroup = true;
  Result<pid_t> child = startProgram(shell);
  if (!child) return child.error();
  running = *child;
  if (stopSignal) ::kill(-*child, SIGTERM); // the signal came before `running` was set
  int status = waitForEnd(*child);
  running = 0;
  return status;
}

// The text under test: a file in the folder of the input, so that its imports and its data are found; removed at the end.
class Candidate {
public:
  explicit Candidate(const std::string &input) {
    size_t slash = input.rfind('/') + 1; // npos + 1 is 0
    path_ = str(input.substr(0, slash), ".reduce-", ::getpid(), "-", input.substr(slash));
  }
  ~Candidate() { ::unlink(path_.c_str()); }
  Candidate(const Candidate &) = delete;
  Candidate &operator=(const Candidate &) = delete;
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

std::string resultPath(const XtcOptions &options) {
  if (!options.output.empty()) return options.output;
  const std::string &file = options.files[0];
  return str(file.ends_with(".xt") ? file.substr(0, file.size() - 3) : file, ".reduced.xt");
}

// Asks whether the command finds the text interesting. A failure to run it ends the reduction.
class Question {
public:
  explicit Question(const XtcOptions &options)
      : candidate_(options.files[0]), command_(commandFor(options.reduce, candidate_.path())) {}

  bool ask(const std::string &text) {
    if (failed_) return false;
    Result<void> written = writeOutputFile(candidate_.path(), {text});
    Result<int> status = written ? runShell(command_) : Result<int>(written.error());
    if (!status)
      failed_ = status.error();
    else
      status_ = *status;
    return status && *status == 0 && !stopSignal;
  }
  int status() const { return status_; } // exit status of the last run of the command
  const std::optional<Error> &failed() const { return failed_; }

private:
  Candidate candidate_;
  std::string command_;
  int status_ = 0;
  std::optional<Error> failed_;
};

void watchSignals() {
  struct sigaction action{};
  action.sa_handler = stop;
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
}

int fail(const Error &error) {
  std::fprintf(stderr, "xtc: %s\n", error.message.c_str());
  return kExitEnvironment;
}

} // namespace

int reduceFile(const XtcOptions &options) {
  const std::string &file = options.files[0];
  Result<std::string> text = readFile(file);
  if (!text) return fail(text.error());
  watchSignals();
  Question question(options);
  if (!question.ask(*text)) {
    if (question.failed()) return fail(*question.failed());
    if (stopSignal) return 128 + stopSignal;
    std::fprintf(
        stderr,
        "xtc: the command fails on the original file %s with status %d, but --reduce needs a command that succeeds on it\n",
        file.c_str(), question.status());
    return kExitCheckFailed;
  }
  ProgressLine progress(false);
  size_t tried = 0;
  ReduceHooks hooks;
  hooks.isInteresting = [&](const std::string &candidate) { return question.ask(candidate); };
  hooks.isStopped = [&] { return stopSignal != 0 || question.failed().has_value(); };
  hooks.progress = [&](const ReduceProgress &now) {
    tried = now.tried;
    progress.show(str("reducing ", file, ": ", now.bytes, " of ", text->size(), " bytes, ", now.tried, " candidates tried (",
                      now.pass, ")"));
  };
  std::string reduced = reduceText(*text, hooks);
  progress.clear();
  std::string to = resultPath(options);
  if (Result<void> written = writeOutputFile(to, {reduced}); !written) return fail(written.error());
  std::fprintf(stderr, "xtc: %s: %zu of %zu bytes after %zu candidates%s\n", to.c_str(), reduced.size(), text->size(), tried,
               stopSignal ? "; it was stopped, and more may be removable" : "");
  if (question.failed()) return fail(*question.failed());
  return stopSignal ? 128 + stopSignal : 0;
}

} // namespace xt
