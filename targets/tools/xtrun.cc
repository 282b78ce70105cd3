// xtrun: compiles .xt files, runs their tests and verifies the results.
#include "ir/base/temporary_files.h"
#include "ir/base/text.h"
#include "ir/interp/field_arithmetic.h"
#include "ir/verify/target_limits.h"
#include "targets/run/roofline.h"
#include "targets/run/test_runner.h"
#include "targets/target.h"
#include "targets/tools/bench_compare.h"
#include "targets/tools/cache_directory.h"
#include "targets/tools/describe.h"
#include "targets/tools/devices.h"
#include "targets/tools/doctor.h"
#include "targets/tools/launch_text.h"
#include "targets/tools/progress.h"
#include "targets/tools/repeat_command.h"
#include "targets/tools/session.h"
#include "targets/tools/tool_process.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>

namespace xt {
namespace {

// A module compiled for one target, with everything that it depends on.
struct Compiled {
  Target *target = nullptr;
  std::unique_ptr<Module> module;
  std::unique_ptr<Executable> executable;
  std::map<std::string, std::string> unsupported; // kernels that the target cannot run (not in the module), and why
  double compileSeconds = 0;                      // for passes and code generation
};

nlohmann::json diagnosticsJson(Session &session) {
  return nlohmann::json::parse(renderJson(session.diagnostics(), session.sources()), nullptr, false);
}

class Run {
public:
  explicit Run(const XtrunOptions &options)
      : options_(options), budget_(MemoryBudget::machineDefault()), progress_(options.quiet || options.json) {}

  int run() {
    if (std::optional<std::string> wrong = readTargets()) return usage(*wrong);
    if (std::optional<std::string> wrong = unknownPass(options_, {})) return usage(*wrong);
    TimeLimit limit(options_.timeLimit, [this] { outOfTime(); });
    if (options_.listDevices) return listDevices(options_);
    if (options_.doctor) return doctor(options_);
    if (options_.describe) return describeFiles();
    Result<uint64_t> cacheBytes = cacheLimit();
    if (!cacheBytes) return usage(cacheBytes.error().message);
    cacheBytes_ = *cacheBytes;
    if (!options_.compare.empty()) {
      Result<BenchBase> base = BenchBase::read(options_.compare);
      if (base)
        base_ = std::move(*base);
      else
        failed(base.error());
    }
    if (!statuses_.empty()) {
      std::lock_guard lock(mutex_);
      return finish();
    }
    if (!launchesKernel(options_) || makeLaunch())
      for (const std::string &file : options_.files)
        if (!standardOutputLost()) runFile(file);
    drawRoofline();
    std::lock_guard lock(mutex_);
    return finish();
  }

private:
  static int usage(const std::string &message) {
    std::fprintf(stderr, "xtrun: %s\n", message.c_str());
    return kExitUsage;
  }

  std::optional<std::string> readTargets() {
    for (const std::string &name : options_.targets) {
      targets_.push_back(findTarget(name));
      if (targets_.back()) continue;
      std::vector<std::string_view> names;
      for (Target *t : allTargets()) names.push_back(t->name());
      return str("unknown target `", name, "`; known are ", join(names, ", "));
    }
    if (options_.device != DeviceChoice::Any && std::ranges::none_of(targets_, &Target::takesDeviceChoice))
      return "--device needs a GPU target, such as --target=xe";
    // Targets without SPIR-V may be listed as well, for comparison.
    bool none = options_.intelExtensions && std::ranges::none_of(targets_, &Target::takesIntelExtensions);
    for (Target *target : targets_)
      if (options_.intelExtensions && !target->takesIntelExtensions() && (none || target->takesDeviceChoice()))
        return notAvailableText("--spirv-extensions=intel", target->name(), std::mem_fn(&Target::takesIntelExtensions));
    return std::nullopt;
  }

  // --- output -------------------------------------------------------------------------------------------------------

  // Prints the results of all files so far and returns the exit status. The caller holds the mutex.
  int finish() {
    progress_.clear();
    if (internalErrorSeen()) statuses_.push_back(ExitStatus::CompilerBug);
    ExitStatus status = worstStatus(statuses_);
    if (options_.json) {
      if (!json_.contains("problems")) json_["problems"] = nlohmann::json::array();
      if (!json_.contains("files")) json_["files"] = nlohmann::json::array();
      json_["status"] = static_cast<int>(status);
      std::printf("%s\n", json_.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    } else if (!reports_.empty() && !options_.quiet) {
      std::printf("%s\n", summaryText(reports_).c_str());
    } else if (reports_.empty() && status == ExitStatus::NothingRun) {
      std::string why = options_.tests.empty() ? "no test in " + join(options_.files, ", ")
                                               : "no test is called \"" + join(options_.tests, "\", \"") + "\"";
      std::fprintf(stderr, "xtrun: nothing was run: %s\n", why.c_str());
    }
    return endProcess(static_cast<int>(status));
  }

  // A running kernel cannot be cancelled: the process prints the results so far and ends.
  void outOfTime() {
    std::lock_guard lock(mutex_);
    std::string during = stage_.empty() ? "" : ", in " + stage_;
    if (!current_.is_null()) json_["files"].push_back(std::move(current_));
    problem(str("the time limit of ", options_.timeLimit, " s has expired", during), ExitStatus::EnvironmentFailed);
    int status = finish();
    std::fflush(stderr);
    removeTemporaries();
    std::_Exit(status);
  }

  void problem(const std::string &message, ExitStatus status) {
    progress_.clear();
    std::fprintf(stderr, "xtrun: %s\n", message.c_str());
    json_["problems"].push_back(message);
    statuses_.push_back(status);
  }

  // Records a failure; returns false, so that the caller can return it. Errors in a launch on the command line are
  // not errors of the file.
  bool failed(const Error &error) {
    std::lock_guard lock(mutex_);
    if (error.kind == Error::Kind::Environment)
      problem(error.message, ExitStatus::EnvironmentFailed);
    else if (!error.message.empty())
      problem(error.message, ExitStatus::Usage);
    else
      statuses_.push_back(launchText_.empty() ? ExitStatus::DoesNotCompile : ExitStatus::Usage);
    return false;
  }

  void showStage(const std::string &stage) {
    std::lock_guard lock(mutex_);
    stage_ = stage;
    progress_.show(stage);
  }

  // --- steps --------------------------------------------------------------------------------------------------------

  int describeFiles() {
    nlohmann::ordered_json files = nlohmann::ordered_json::array();
    for (const std::string &file : options_.files) {
      Session session(options_);
      Result<std::unique_ptr<Module>> module = session.load(file);
      Result<const Kernel *> only = nullptr;
      if (module && !options_.kernel.empty()) only = kernelNamed(**module, options_.kernel, file);
      if (options_.json) {
        nlohmann::ordered_json item = {{"file", file}};
        if (module && only) item.update(describeJson(**module, *only, session.sources()));
        item["diagnostics"] =
            nlohmann::ordered_json::parse(renderJson(session.diagnostics(), session.sources()), nullptr, false);
        files.push_back(std::move(item));
      } else {
        session.printDiagnostics();
        if (module && only) std::fputs(describeText(**module, *only, session.sources()).c_str(), stdout);
      }
      if (!module)
        failed(module.error());
      else if (!only)
        failed(only.error());
    }
    int status = statuses_.empty() ? 0 : static_cast<int>(worstStatus(statuses_));
    if (options_.json) {
      nlohmann::ordered_json all = {{"files", files}, {"status", status}};
      std::printf("%s\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    }
    return status;
  }

  // Turns the launch on the command line into a test block.
  bool makeLaunch() {
    Session session(options_);
    Result<std::unique_ptr<Module>> module = session.load(options_.files[0]);
    if (!module) {
      if (options_.json)
        json_["files"].push_back(
            {{"file", options_.files[0]}, {"tests", nlohmann::json::array()}, {"diagnostics", diagnosticsJson(session)}});
      else
        session.printDiagnostics();
      return failed(module.error());
    }
    Result<std::string> text = launchText(options_, **module, options_.files[0]);
    if (!text) return failed(text.error());
    launchText_ = std::move(*text);
    return true;
  }

  // The output of kernels' prints is shown in the first run of a test, on stderr if stdout is machine-readable.
  CompileOptions compileOptions(Session &session) {
    CompileOptions options;
    options.threads = options_.threads;
    options.print = [this](std::string_view text) {
      std::lock_guard lock(mutex_);
      if (!printing_) return;
      progress_.clear();
      std::fwrite(text.data(), 1, text.size(), options_.json ? stderr : stdout);
    };
    options.checks = options_.checks;
    if (options_.checks.algebra) options.arithmetic = &field_;
    options.found = &session.diagnostics();
    options.device = options_.device;
    options.intelExtensions = options_.intelExtensions;
    options.optimise = options_.optimise;
    options.cacheDirectory = cacheDirectory();
    options.cacheBytes = cacheBytes_;
    options.sources = &session.sources();
    options.note = [this](const std::string &text) {
      std::lock_guard lock(mutex_);
      if (std::find(noted_.begin(), noted_.end(), text) != noted_.end()) return;
      noted_.push_back(text);
      progress_.clear();
      std::fprintf(stderr, "xtrun: %s\n", text.c_str());
    };
    return options;
  }

  Result<std::unique_ptr<Module>> load(Session &session, const std::string &file) {
    return launchText_.empty() ? session.load(file) : session.loadText(kCommandLine, launchText_);
  }

  // Removes tests that are not chosen and kernels that no chosen test launches, so that they are not compiled.
  // Removes nothing if all tests run.
  void dropUnchosen(Module &module) const {
    if (options_.tests.empty() && launchText_.empty()) return;
    std::erase_if(module.tests, [&](const HostTest &test) { return !chosen(test); });
    auto launched = [&](const auto &kernel) {
      return std::ranges::any_of(module.tests, [&](const HostTest &test) {
        return std::ranges::any_of(test.body, [&](const HostStmt &stmt) {
          return stmt.kind == HostStmt::Kind::Launch && stmt.kernel == kernel->name;
        });
      });
    };
    std::erase_if(module.kernels, [&](const auto &kernel) { return !launched(kernel); });
  }

  // Removes kernels that the target cannot run, and the tests that launch them.
  static void dropUnsupported(Compiled &compiled, const TargetInfo *hardware) {
    Module &module = *compiled.module;
    for (const auto &kernel : module.kernels)
      if (std::string why = compiled.target->whyUnsupported(*kernel, hardware); !why.empty())
        compiled.unsupported[kernel->name] = why;
    auto missing = [&](const std::string &kernel) { return compiled.unsupported.contains(kernel); };
    std::erase_if(module.kernels, [&](const auto &kernel) { return missing(kernel->name); });
    std::erase_if(module.tests, [&](const HostTest &test) {
      return std::ranges::any_of(
          test.body, [&](const HostStmt &stmt) { return stmt.kind == HostStmt::Kind::Launch && missing(stmt.kernel); });
    });
  }

  // Compiles the module again for other hardware, without repeating the messages of the first compilation.
  Result<std::unique_ptr<Module>> compileAgain(Session &session, const std::string &file, Target *target,
                                               const TargetInfo &hardware) {
    Compiled again{target, {}, {}, {}};
    Result<std::unique_ptr<Module>> module = load(session, file);
    if (!module) return module.error();
    again.module = std::move(*module);
    dropUnchosen(*again.module);
    dropUnsupported(again, &hardware);
    if (Result<void> ran = session.runPassesQuietly(*again.module, passNames(target->pipeline()), hardware); !ran)
      return ran.error();
    return std::move(again.module);
  }

  bool compile(Session &session, const std::string &file, Target *target, Compiled &out) {
    std::string what = str("compiling ", file, " [", target->name(), "]");
    showStage(what);
    session.onStage([this, what](std::string stage) { showStage(str(what, ": ", stage)); });
    Result<std::unique_ptr<Module>> module = load(session, file);
    if (!module) return failed(module.error());
    double begun = Session::sinceStart();
    out.target = target;
    out.module = std::move(*module);
    Result<const TargetInfo *> hardware = target->hardware(options_.device);
    if (!hardware) return failed(hardware.error());
    dropUnchosen(*out.module);
    dropUnsupported(out, *hardware);
    if (Result<void> ran = session.runPasses(*out.module, passNames(target->pipeline()), false, *hardware); !ran)
      return failed(ran.error());
    if (*hardware)
      if (Result<void> fits = checkTargetLimits(*out.module, **hardware, session.sources(), session.diagnostics()); !fits)
        return failed(fits.error());
    session.beforeCode(*out.module, *hardware ? (*hardware)->name : target->name());
    CompileOptions options = compileOptions(session);
    options.again = [this, &session, file, target](const TargetInfo &other) {
      return compileAgain(session, file, target, other);
    };
    std::optional<Result<std::unique_ptr<Executable>>> executable;
    session.stage("code generation");
    double ms = timed([&] { executable = target->compile(*out.module, options, session.diagnostics()); });
    session.addTiming(str("generate code [", target->name(), "]"), ms);
    if (!*executable) return failed(executable->error());
    out.executable = std::move(**executable);
    out.compileSeconds = (Session::sinceStart() - begun) * 1e-3;
    return true;
  }

  bool chosen(const HostTest &test) const {
    return options_.tests.empty() || std::find(options_.tests.begin(), options_.tests.end(), test.name) != options_.tests.end();
  }

  void runFile(const std::string &file) {
    Session session(options_);
    {
      std::lock_guard lock(mutex_);
      current_ = {{"file", file}, {"tests", nlohmann::json::array()}};
    }
    std::vector<Compiled> compiled;
    bool ok = true;
    for (Target *target : targets_) {
      compiled.emplace_back();
      ok = ok && compile(session, file, target, compiled.back());
    }
    if (ok) session.addTiming("process start to first launch, without buffers and files", Session::sinceStart());
    if (ok) ok = runTests(session, file, compiled);
    std::lock_guard lock(mutex_);
    progress_.clear();
    stage_.clear();
    if (options_.json) {
      current_["diagnostics"] = diagnosticsJson(session);
      json_["files"].push_back(std::move(current_));
    } else {
      session.printDiagnostics();
    }
    current_ = nullptr;
    if (options_.timePasses) session.printTimings();
  }

  RunOptions runOptions(const std::string &file) {
    RunOptions run;
    run.budget = &budget_;
    run.threads = options_.threads;
    size_t slash = file.rfind('/');
    bool beside = options_.dataDir.empty() && launchText_.empty();
    run.dataDirectory = !beside ? options_.dataDir : slash == std::string::npos ? "" : file.substr(0, slash + 1);
    run.summarise = !launchText_.empty() && options_.expects.empty();
    run.repeatCommand = [this, file](const std::string &test, const std::string &target, std::optional<bool> small) {
      return repeatCommand(options_, file, test, target, small);
    };
    if (options_.checks.algebra) run.field = &field_;
    if (options_.bench) run.bench = BenchOptions{.seconds = options_.benchSeconds};
    run.mayPrint = [this](bool may) {
      std::lock_guard lock(mutex_);
      printing_ = may;
    };
    run.progress = [this](const std::string &stage) { showStage(stage); };
    return run;
  }

  // The module from which tests are read: one from which no kernels were removed for a target.
  Result<const Module *> wholeModule(Session &session, const std::string &file, const std::vector<Compiled> &compiled,
                                     std::unique_ptr<Module> &own) {
    for (const Compiled &c : compiled)
      if (c.unsupported.empty()) return c.module.get();
    Result<std::unique_ptr<Module>> module = load(session, file);
    if (!module) return module.error();
    own = std::move(*module);
    return own.get();
  }

  bool runTests(Session &session, const std::string &file, const std::vector<Compiled> &compiled) {
    RunOptions run = runOptions(file);
    std::vector<TargetUnderTest> targets;
    for (const Compiled &c : compiled)
      targets.push_back({std::string(c.target->name()), c.module.get(), c.executable.get(),
                         options_.small.value_or(c.target->wantsSmallSizes(options_.device)), c.unsupported, c.compileSeconds});
    std::unique_ptr<Module> own;
    Result<const Module *> whole = wholeModule(session, file, compiled, own);
    if (!whole) return failed(whole.error());
    for (const HostTest &test : (*whole)->tests) {
      if (!chosen(test) || standardOutputLost()) continue;
      showStage(test.name);
      TestReport report = runTest(**whole, test, targets, run, session.diagnostics());
      if (options_.timePasses) addTimings(session, report);
      std::lock_guard lock(mutex_);
      progress_.clear();
      compareTimes(file, report);
      addReport(session, std::move(report));
    }
    return true;
  }

  void compareTimes(const std::string &file, TestReport &report) {
    if (!base_) return;
    for (const RunReport &run : report.runs) {
      BenchBase::Verdict verdict = base_->compare(file, report.name, run, options_.failIfSlower);
      if (!verdict.text.empty()) report.comparisons.push_back(str("[", run.target, "] ", verdict.text));
      if (verdict.slower) statuses_.push_back(ExitStatus::CheckFailed);
    }
  }

  void drawRoofline() {
    if (options_.roofline.empty()) return;
    std::vector<RooflinePoint> points;
    for (const TestReport &report : reports_)
      for (const RunReport &run : report.runs)
        if (const auto &bench = run.bench; bench && bench->work && bench->rates)
          points.push_back({targets_.size() > 1 ? str(report.name, " [", run.target, "]") : report.name,
                            bench->work->operations, bench->arrayBytes, bench->times.median, *bench->rates});
    if (Result<void> written = writeOutputFile(options_.roofline, {rooflineSvg(points)}); !written) failed(written.error());
  }

  void addReport(Session &session, TestReport report) {
    ExitStatus status = exitStatus(report.status);
    statuses_.push_back(status == ExitStatus::DoesNotCompile && !launchText_.empty() ? ExitStatus::Usage : status);
    if (options_.json)
      current_["tests"].push_back(renderJson(report, session.sources()));
    else if (!options_.quiet || status != ExitStatus::Passed)
      std::fputs(renderText(report, session.sources(), session.useColor()).c_str(), stdout);
    std::fflush(stdout);
    reports_.push_back(std::move(report));
  }

  static void addTimings(Session &session, const TestReport &report) {
    for (const RunReport &r : report.runs) {
      std::string name = str("\"", report.name, "\" [", r.target, "] ");
      session.addTiming(name + "buffers and initial values", r.seconds.setup * 1e3);
      session.addTiming(name + "launches, the faster of two runs", r.seconds.launch * 1e3);
      session.addTiming(name + "verify", r.seconds.verify * 1e3);
    }
  }

  const XtrunOptions &options_;
  MemoryBudget budget_;
  FieldArithmetic field_; // for --check=algebra
  uint64_t cacheBytes_ = 0;
  std::vector<Target *> targets_;
  std::optional<BenchBase> base_; // baseline for the comparison of times
  std::string launchText_; // the test block of the launch on the command line

  // Shared with the thread of the time limit.
  std::mutex mutex_;
  ProgressLine progress_;
  std::vector<TestReport> reports_;
  std::vector<ExitStatus> statuses_;
  nlohmann::json json_, current_; // of all files, and of the current file
  std::string stage_;
  bool printing_ = false;
  std::vector<std::string> noted_; // notes that have been printed already
};

} // namespace
} // namespace xt

int main(int argc, char **argv) {
  xt::startTool("xtrun", argc, argv);
  auto parsed = xt::parseXtrunCommand(argc, argv);
  if (!parsed.options) std::fputs(parsed.text.c_str(), parsed.status == 0 ? stdout : stderr);
  return xt::endProcess(parsed.options ? xt::Run(*parsed.options).run() : parsed.status);
}
