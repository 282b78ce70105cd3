// xtrun: compiles .xt files, runs their tests and verifies the results.
#include "ir/base/text.h"
#include "targets/run/test_runner.h"
#include "targets/target.h"
#include "targets/tools/command_test.h"
#include "targets/tools/describe.h"
#include "targets/tools/session.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <thread>
#include <unistd.h>

namespace xt {
namespace {

// A module compiled for one target, with everything that it lives in.
struct Compiled {
  Target *target = nullptr;
  std::unique_ptr<Module> module;
  std::unique_ptr<Executable> executable;
};

std::string quoted(const std::string &text) {
  if (!text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,+") == std::string::npos)
    return text;
  std::string out = "'";
  for (char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

// The command that repeats one test on one target.
std::string repeatCommand(const XtrunOptions &options, const std::string &file, const std::string &test, const std::string &target) {
  std::string command = str("xtrun --target=", target);
  if (!launchesKernel(options)) command += " --test " + quoted(test);
  if (!options.kernel.empty()) command += " --kernel " + quoted(options.kernel);
  for (const auto &[option, list] : {std::pair("--arg", &options.args), std::pair("--out", &options.outs), std::pair("--expect", &options.expects)})
    for (const auto &[name, value] : *list) command += str(" ", option, " ", quoted(name + "=" + value));
  if (!options.grid.empty()) command += " --grid " + join(options.grid, ",");
  for (const auto &[name, value] : options.tolerances) command += str(" --", name, " ", quoted(value));
  for (const auto &[name, value] : options.defines) command += str(" -D ", quoted(name + "=" + value));
  if (!options.dataDir.empty()) command += " --data-dir " + quoted(options.dataDir);
  if (options.small) command += *options.small ? " --small" : " --full";
  if (!options.check.empty() && target == "interp") command += " --check=" + options.check;
  if (options.threads) command += str(" --threads ", options.threads);
  return command + " " + quoted(file);
}

// A line on the terminal that the next one replaces; nothing where standard error is no terminal.
class Progress {
public:
  explicit Progress(bool quiet) : on_(!quiet && isatty(STDERR_FILENO)) {}
  ~Progress() { clear(); }
  void show(const std::string &text) {
    if (on_) std::fprintf(stderr, "\r\033[K%s", text.c_str()), shown_ = true;
  }
  void clear() {
    if (shown_) std::fputs("\r\033[K", stderr), shown_ = false;
  }

private:
  bool on_, shown_ = false;
};

// Ends the process when the time is over: a kernel that does not end cannot be asked to.
void startTimeLimit(double seconds) {
  if (seconds <= 0) return;
  std::thread([seconds] {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    std::fprintf(stderr, "xtrun: the time limit of %g s is over\n", seconds);
    std::_Exit(static_cast<int>(ExitStatus::EnvironmentFailed));
  }).detach();
}

class Run {
public:
  explicit Run(const XtrunOptions &options) : options_(options), budget_(MemoryBudget::machineDefault()), progress_(options.quiet || options.json) {}

  int run() {
    for (const std::string &name : options_.targets) {
      Target *target = findTarget(name);
      if (!target) {
        std::vector<std::string_view> names;
        for (Target *t : allTargets()) names.push_back(t->name());
        std::fprintf(stderr, "xtrun: no target is called `%s`; there are %s\n", name.c_str(), join(names, ", ").c_str());
        return kExitUsage;
      }
      targets_.push_back(target);
    }
    if (std::optional<std::string> problem = unknownPass(options_, {})) {
      std::fprintf(stderr, "xtrun: %s\n", problem->c_str());
      return kExitUsage;
    }
    startTimeLimit(options_.timeLimit);
    if (options_.describe) return describeFiles();
    if (launchesKernel(options_) && !makeCommandTest()) return static_cast<int>(worstStatus(statuses_));
    for (const std::string &file : options_.files) runFile(file);
    ExitStatus status = worstStatus(statuses_);
    if (options_.json) {
      json_["status"] = static_cast<int>(status);
      std::printf("%s\n", json_.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    } else if (!reports_.empty() && !options_.quiet) {
      std::printf("%s\n", summaryText(reports_).c_str());
    } else if (reports_.empty() && status == ExitStatus::NothingRun) {
      if (options_.tests.empty()) std::fprintf(stderr, "xtrun: nothing was run: there is no test in %s\n", join(options_.files, ", ").c_str());
      else std::fprintf(stderr, "xtrun: nothing was run: no test is called \"%s\"\n", join(options_.tests, "\", \"").c_str());
    }
    return static_cast<int>(status);
  }

private:
  void environmentFailed(const std::string &message) {
    progress_.clear();
    std::fprintf(stderr, "xtrun: %s\n", message.c_str());
    statuses_.push_back(ExitStatus::EnvironmentFailed);
  }

  int describeFiles() {
    for (const std::string &file : options_.files) {
      Session session(options_);
      Result<std::unique_ptr<Module>> module = session.load(file);
      if (!module) session.printDiagnostics(), failed(module.error());
      else std::fputs(describe(**module, options_.kernel, options_.json).c_str(), stdout);
    }
    return statuses_.empty() ? 0 : static_cast<int>(worstStatus(statuses_));
  }

  // The launch of the command line as a test block of its own.
  bool makeCommandTest() {
    Session session(options_);
    Result<std::unique_ptr<Module>> module = session.load(options_.files[0]);
    if (!module) return session.printDiagnostics(), failed(module.error());
    Result<std::string> text = commandTest(options_, **module, options_.files[0]);
    if (text) return commandText_ = std::move(*text), true;
    if (text.error().kind == Error::Kind::Environment) return failed(text.error());
    std::fprintf(stderr, "xtrun: %s\n", text.error().message.c_str());
    statuses_.push_back(ExitStatus::Usage);
    return false;
  }

  // Notes a failure; false for the caller to stop.
  bool failed(const Error &error) {
    if (error.kind == Error::Kind::Environment) environmentFailed(error.message);
    else statuses_.push_back(ExitStatus::DoesNotCompile);
    return false;
  }

  // What kernels print is shown in the first run of a test, on stderr where stdout is for a machine.
  CompileOptions compileOptions(Session &session) {
    CompileOptions options;
    options.threads = options_.threads;
    options.print = [this](std::string_view text) {
      if (!printing_) return;
      progress_.clear();
      std::fwrite(text.data(), 1, text.size(), options_.json ? stderr : stdout);
    };
    options.checks = options_.checks;
    options.found = &session.diagnostics();
    return options;
  }

  bool compile(Session &session, const std::string &file, Target *target, Compiled &out) {
    Result<std::unique_ptr<Module>> module = commandText_.empty() ? session.load(file) : session.loadText(kCommandLine, commandText_);
    if (!module) return failed(module.error());
    out.target = target;
    out.module = std::move(*module);
    std::vector<std::string_view> passes = target->pipeline();
    if (Result<void> ran = session.runPasses(*out.module, passes, false); !ran) return failed(ran.error());
    std::optional<Result<std::unique_ptr<Executable>>> executable;
    double ms = timed([&] { executable = target->compile(*out.module, compileOptions(session), session.diagnostics()); });
    session.addTiming(str("generate code [", target->name(), "]"), ms);
    if (!*executable) return failed(executable->error());
    out.executable = std::move(**executable);
    return true;
  }

  bool chosen(const HostTest &test) const {
    return options_.tests.empty() || std::find(options_.tests.begin(), options_.tests.end(), test.name) != options_.tests.end();
  }

  void runFile(const std::string &file) {
    Session session(options_);
    std::vector<Compiled> compiled;
    bool ok = true;
    for (Target *target : targets_) {
      compiled.emplace_back();
      ok = ok && compile(session, file, target, compiled.back());
    }
    if (ok) session.addTiming("process start to first launch, buffers and files aside", Session::sinceStart());
    nlohmann::json tests = nlohmann::json::array();
    if (ok) runTests(session, file, compiled, tests);
    progress_.clear();
    if (options_.json) {
      nlohmann::json diagnostics = nlohmann::json::parse(renderJson(session.diagnostics(), session.sources()), nullptr, false);
      json_["files"].push_back({{"file", file}, {"tests", tests}, {"diagnostics", diagnostics}});
    } else {
      session.printDiagnostics();
    }
    if (options_.timePasses) session.printTimings();
  }

  void runTests(Session &session, const std::string &file, const std::vector<Compiled> &compiled, nlohmann::json &tests) {
    RunOptions run;
    run.budget = &budget_;
    run.threads = options_.threads;
    size_t slash = file.rfind('/');
    run.dataDirectory = !options_.dataDir.empty() || !commandText_.empty() ? options_.dataDir : slash == std::string::npos ? "." : file.substr(0, slash + 1);
    run.repeatCommand = [&](const std::string &test, const std::string &target) { return repeatCommand(options_, file, test, target); };
    run.mayPrint = [this](bool may) { printing_ = may; };
    run.progress = [this](const std::string &stage) { progress_.show(stage); };
    std::vector<TargetUnderTest> targets;
    for (const Compiled &c : compiled)
      targets.push_back({std::string(c.target->name()), c.module.get(), c.executable.get(), options_.small.value_or(c.target->wantsSmallSizes())});
    for (const HostTest &test : compiled[0].module->tests) {
      if (!chosen(test)) continue;
      progress_.show(test.name);
      TestReport report = runTest(*compiled[0].module, test, targets, run, session.diagnostics());
      progress_.clear();
      statuses_.push_back(exitStatus(report.status));
      if (options_.json) tests.push_back(renderJson(report, session.sources()));
      else if (!options_.quiet || report.status != TestStatus::Passed) std::fputs(renderText(report, session.sources(), session.useColor()).c_str(), stdout);
      std::fflush(stdout);
      if (options_.timePasses)
        for (const RunReport &r : report.runs) {
          session.addTiming(str("\"", test.name, "\" [", r.target, "] buffers and initial values"), r.seconds.setup * 1e3);
          session.addTiming(str("\"", test.name, "\" [", r.target, "] launches, the faster of two runs"), r.seconds.launch * 1e3);
          session.addTiming(str("\"", test.name, "\" [", r.target, "] verify"), r.seconds.verify * 1e3);
        }
      reports_.push_back(std::move(report));
    }
  }

  const XtrunOptions &options_;
  MemoryBudget budget_;
  Progress progress_;
  std::vector<Target *> targets_;
  std::vector<TestReport> reports_;
  std::vector<ExitStatus> statuses_;
  nlohmann::json json_;
  std::string commandText_; // the test of a launch that the command line describes
  bool printing_ = false;
};

} // namespace
} // namespace xt

int main(int argc, char **argv) {
  auto parsed = xt::parseXtrunCommand(argc, argv);
  if (!parsed.options) {
    std::fputs(parsed.text.c_str(), parsed.status == 0 ? stdout : stderr);
    return parsed.status;
  }
  return xt::Run(*parsed.options).run();
}
