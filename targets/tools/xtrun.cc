// xtrun: compiles .xt files, runs their tests and verifies the results.
#include "ir/base/text.h"
#include "ir/interp/field_arithmetic.h"
#include "ir/print.h"
#include "targets/compile/cache_directory.h"
#include "targets/compile/compile_for.h"
#include "targets/compile/describe.h"
#include "targets/run/roofline.h"
#include "targets/run/test_runner.h"
#include "targets/target.h"
#include "targets/tools/bench_compare.h"
#include "targets/tools/devices.h"
#include "targets/tools/doctor.h"
#include "targets/tools/launch_text.h"
#include "targets/tools/repeat_command.h"
#include "targets/tools/run_outcome.h"
#include "targets/tools/run_ranks.h"
#include "targets/tools/session.h"
#include "targets/tools/tool_process.h"
#include "targets/tools/tune_files.h"
#include "targets/tools/tuned.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <map>

namespace xt {
namespace {

// A module compiled for one target, and how long that took.
struct Compiled : CompiledModule {
  double compileSeconds = 0; // for passes and code generation
};

class Run {
public:
  explicit Run(const XtrunOptions &options) : options_(options), outcome_(options_) {}

  int run() {
    budget_.emplace(MemoryBudget::machineDefault());
    if (std::optional<std::string> wrong = readTargets()) return usage(*wrong);
    if (std::optional<std::string> wrong = unknownPass(options_, {})) return usage(*wrong);
    TimeLimit limit(options_.timeLimit, [this] { outcome_.outOfTime(); });
    if (options_.listDevices) return listDevices(options_);
    if (options_.doctor) return doctor(options_);
    if (options_.describe) return describeFiles();
    if (options_.tune) return tuneFiles(options_);
    if (options_.mpi && !openRanks()) return outcome_.finish();
    Result<uint64_t> cacheBytes = cacheLimit();
    if (!cacheBytes) return usage(cacheBytes.error().message);
    cacheBytes_ = *cacheBytes;
    if (!options_.compare.empty()) {
      Result<BenchBase> base = BenchBase::read(options_.compare);
      if (base)
        base_ = std::move(*base);
      else
        outcome_.failed(base.error());
    }
    if (outcome_.anyFailed()) return outcome_.finish();
    std::vector<Defines> all = combinations(options_.defines, kMostCombinations);
    if (all.empty()) return usage(str("the lists of -D have more than ", kMostCombinations, " combinations"));
    for (const Defines &defines : all) {
      options_.defines = defines;
      combination_ = all.size() > 1 ? text(defines) : "";
      savesFiles_ = &defines == &all.front();
      runFiles();
    }
    drawRoofline();
    return outcome_.finish();
  }

private:
  static constexpr size_t kMostCombinations = 1000;

  void runFiles() {
    if (launchesKernel(options_) && !makeLaunch()) return;
    for (const std::string &file : options_.files)
      if (!standardOutputLost()) runFile(file);
  }

  // Finds the other ranks of --mpi.
  bool openRanks() {
    constexpr double kSeconds = 600; // for a rank that does not answer
    ranks_.emplace(options_.timeLimit > 0 ? options_.timeLimit : kSeconds);
    if (!ranks_->opened()) return outcome_.failed(ranks_->opened().error());
    outcome_.onRank(*ranks_);
    threads_ = ranks_->threads();
    budget_.emplace(MemoryBudget::machineDefault() / ranks_->thread().onThisMachine());
    return true;
  }

  int threads() const { return options_.threads ? options_.threads : threads_; }

  static std::string text(const Defines &defines) {
    std::vector<std::string> parts;
    for (const auto &[name, value] : defines) parts.push_back(str(name, " = ", value));
    return join(parts, ", ");
  }

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
    const bool wanted = needsExtensions(options_.extensions);
    bool none = wanted && std::ranges::none_of(targets_, &Target::takesIntelExtensions);
    for (Target *target : targets_)
      if (wanted && !target->takesIntelExtensions() && (none || target->takesDeviceChoice()))
        return notAvailableText(str("--spirv-extensions=", extensionsName(options_.extensions)), target->name(),
                                std::mem_fn(&Target::takesIntelExtensions));
    return std::nullopt;
  }

  int describeFiles() {
    nlohmann::ordered_json files = nlohmann::ordered_json::array();
    for (const std::string &file : options_.files) {
      Session session(options_);
      if (targets_.size() == 1) session.setTarget(*targets_[0]);
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
        outcome_.failed(module.error());
      else if (!only)
        outcome_.failed(only.error());
    }
    int status = outcome_.anyFailed() ? static_cast<int>(outcome_.worst()) : 0;
    if (options_.json) {
      nlohmann::ordered_json all = {{"files", files}, {"status", status}};
      std::printf("%s\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    }
    return status;
  }

  // Parameters have the values for the target if there is only one. (Several are compiled each with its own.)
  void useTarget(Session &session) {
    CompileOptions where;
    where.device = options_.device;
    if (targets_.size() == 1) session.setTarget(hardwareName(*targets_[0], where));
  }

  // Turns the launch on the command line into a test block.
  bool makeLaunch() {
    Session session(options_);
    useTarget(session);
    outcome_.launchesFromCommandLine(false); // until the file has been read
    Result<std::unique_ptr<Module>> module = session.load(options_.files[0]);
    if (!module) {
      outcome_.addUnread(session, options_.files[0]);
      return outcome_.failed(module.error());
    }
    Result<std::string> text = launchText(options_, **module, options_.files[0]);
    if (!text) return outcome_.failed(text.error());
    launchText_ = std::move(*text);
    outcome_.launchesFromCommandLine(!launchText_.empty());
    return tuneLaunch();
  }

  // Takes the values of parameters that the file of --tune has for the launch on the command line.
  bool tuneLaunch() {
    if (launchText_.empty() || targets_.size() != 1) return true; // targets that are compared run the same kernels
    Session session(options_);
    useTarget(session);
    Result<std::unique_ptr<Module>> module = session.loadText(kCommandLine, launchText_);
    if (!module) return true; // the compilation reports what is wrong
    Result<Defines> values = valuesForLaunch(options_, **module, options_.files[0], *targets_[0]);
    if (!values) return outcome_.failed(values.error());
    for (const auto &value : *values) options_.defines.push_back(value);
    if (!values->empty())
      outcome_.note(str("note: the launch takes ", text(*values), ", as the file of --tune says; --tuning none does not"));
    return true;
  }

  // The options for the compilation of a file. Prints of kernels are shown only in the first run of a test (runOptions).
  CompileOptions compileOptions(Session &session) {
    CompileOptions options;
    options.threads = threads();
    options.print = [this](std::string_view text) { outcome_.print(text); };
    options.checks = options_.checks;
    if (options_.checks.algebra) options.arithmetic = &field_;
    options.found = &session.diagnostics();
    options.device = options_.device;
    options.extensions = options_.extensions;
    options.optimise = options_.optimise;
    options.cacheDirectory = cacheDirectory();
    options.cacheBytes = cacheBytes_;
    options.sources = &session.sources();
    options.note = [this](const std::string &text) { outcome_.note(text); };
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
        return anyStmt(test.body, [&](const HostStmt &stmt) {
          return stmt.kind == HostStmt::Kind::Launch && stmt.kernel == kernel->name;
        });
      });
    };
    std::erase_if(module.kernels, [&](const auto &kernel) { return !launched(kernel); });
  }

  // Compiles a kernel again for other hardware, without repeating the messages of the first compilation.
  Result<std::unique_ptr<Module>> compileAgain(Session &session, const std::string &file, Target *target,
                                               const TargetInfo &hardware, std::string_view kernel) {
    session.setTarget(std::string(hardware.name));
    Result<std::unique_ptr<Module>> module = load(session, file);
    if (!module) return module.error();
    if (Result<void> kept = keepKernel(**module, kernel); !kept) return kept.error();
    if (Result<void> ran = session.runPassesQuietly(**module, passNames(target->pipeline()), hardware); !ran)
      return ran.error();
    return std::move(*module);
  }

  bool compile(Session &session, const std::string &file, Target *target, Compiled &out) {
    std::string what = str("compiling ", file, " [", target->name(), "]");
    outcome_.showStage(what);
    session.onStage([this, what](std::string stage) { outcome_.showStage(str(what, ": ", stage)); });
    CompileOptions options = compileOptions(session);
    session.setTarget(hardwareName(*target, options));
    Result<std::unique_ptr<Module>> module = load(session, file);
    if (!module) return outcome_.failed(module.error());
    double begun = Session::sinceStart();
    dropUnchosen(**module);
    options.again = [this, &session, file, target](const TargetInfo &other, std::string_view kernel) {
      return compileAgain(session, file, target, other, kernel);
    };
    CompileSteps steps;
    steps.runPasses = [&](Module &of, const TargetInfo *hardware) {
      return session.runPasses(of, passNames(target->pipeline()), false, hardware);
    };
    steps.beforeCode = [&](const Module &of, std::string_view hardware) { session.beforeCode(of, hardware); };
    steps.generateCode = [&](const std::function<void()> &run) {
      session.stage("code generation");
      session.addTiming(str("generate code [", target->name(), "]"), timed(run));
    };
    Result<CompiledModule> compiled =
        compileFor(*target, std::move(*module), session.sources(), options, steps, session.diagnostics());
    if (!compiled) return outcome_.failed(compiled.error());
    out = {std::move(*compiled), (Session::sinceStart() - begun) * 1e-3};
    return true;
  }

  bool chosen(const HostTest &test) const {
    return options_.tests.empty() || std::find(options_.tests.begin(), options_.tests.end(), test.name) != options_.tests.end();
  }

  void runFile(const std::string &file) {
    Session session(options_);
    outcome_.beginFile(file);
    std::vector<Compiled> compiled;
    bool ok = true;
    for (Target *target : targets_) {
      compiled.emplace_back();
      ok = ok && compile(session, file, target, compiled.back());
    }
    ok = ok && haveSameTests(session, compiled);
    if (ranks_ && !ranks_->agree("the begin of the tests of " + file, ok ? "ready" : "")) {
      if (ok) outcome_.failed(Error::environment(str("another rank cannot run the tests of ", file)));
      ok = false;
    }
    if (ok) session.addTiming("process start to first launch, without buffers and files", Session::sinceStart(), true);
    if (ok) ok = runTests(session, file, compiled);
    outcome_.endFile(session);
    if (options_.timePasses) session.printTimings();
  }

  RunOptions runOptions(const std::string &file) {
    RunOptions run;
    run.budget = &*budget_;
    run.threads = threads();
    run.saves = savesFiles_;
    size_t slash = file.rfind('/');
    bool beside = options_.dataDir.empty() && launchText_.empty();
    run.dataDirectory = !beside ? options_.dataDir : slash == std::string::npos ? "" : file.substr(0, slash + 1);
    run.summarise = !launchText_.empty() && options_.expects.empty();
    run.repeatCommand = [this, file](const std::string &test, const std::string &target, std::optional<bool> small) {
      return repeatCommand(options_, file, test, target, small, ranks_ ? ranks_->count() : 0);
    };
    if (options_.check.empty())
      run.raceCommand = [this, file](const std::string &test) {
        return raceCommand(options_, file, test, ranks_ ? ranks_->count() : 0);
      };
    if (options_.checks.algebra) run.field = &field_;
    if (ranks_) run.ranks = &ranks_->thread();
    if (options_.bench) run.bench = BenchOptions{.seconds = options_.benchSeconds};
    run.mayPrint = [this](bool may) { outcome_.showPrints(may); };
    run.progress = [this](const std::string &stage) { outcome_.showStage(stage); };
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

  // Whether the tests of all targets are the same: values of parameters for targets may change kernels only.
  bool haveSameTests(Session &session, const std::vector<Compiled> &compiled) {
    std::map<std::string, std::string> texts; // of the tests that were seen, by their names
    for (const Compiled &c : compiled)
      for (const HostTest &test : c.module->tests) {
        std::string text;
        printTest(text, test);
        if (auto [seen, isNew] = texts.emplace(test.name, text); isNew || seen->second == text) continue;
        session.diagnostics()
            .report(DiagCode::TestOfTargets, test.nameRange,
                    str("this test is another one on ", c.target->name(), ", as parameters have values `for` some targets"))
            .note(str("run it with --target=", c.target->name(), " alone, or let the parameters change kernels only"));
        return outcome_.failed(Error::diagnosed());
      }
    return true;
  }

  bool runTests(Session &session, const std::string &file, const std::vector<Compiled> &compiled) {
    RunOptions run = runOptions(file);
    std::vector<TargetUnderTest> targets;
    for (const Compiled &c : compiled)
      targets.push_back({std::string(c.target->name()), c.module.get(), c.executable.get(),
                         options_.small.value_or(c.target->wantsSmallSizes(options_.device)), c.unsupported, c.compileSeconds});
    std::unique_ptr<Module> own;
    Result<const Module *> whole = wholeModule(session, file, compiled, own);
    if (!whole) return outcome_.failed(whole.error());
    for (const HostTest &test : (*whole)->tests) {
      if (!chosen(test) || standardOutputLost()) continue;
      outcome_.showStage(test.name);
      TestReport report = runTest(test, targets, run, session.diagnostics());
      if (!combination_.empty()) report.name += str(" (", combination_, ")");
      if (options_.timePasses) addTimings(session, report);
      bool slower = compareTimes(file, report);
      outcome_.add(session, std::move(report), slower);
    }
    return true;
  }

  // Adds the comparison with the baseline to the report. Returns whether a run is slower than allowed.
  bool compareTimes(const std::string &file, TestReport &report) const {
    bool slower = false;
    if (!base_ || (ranks_ && ranks_->rank() > 0)) return slower; // the ranks have the same times
    for (const RunReport &run : report.runs) {
      BenchBase::Verdict verdict = base_->compare(file, report.name, run, options_.failIfSlower);
      if (!verdict.text.empty()) report.comparisons.push_back(str("[", run.target, "] ", verdict.text));
      slower |= verdict.slower;
    }
    return slower;
  }

  void drawRoofline() {
    if (options_.roofline.empty() || (ranks_ && ranks_->rank() > 0)) return;
    std::vector<RooflinePoint> points;
    for (const TestReport &report : outcome_.reports())
      for (const RunReport &run : report.runs)
        if (const auto &bench = run.bench; bench && bench->work && bench->rates)
          points.push_back({targets_.size() > 1 ? str(report.name, " [", run.target, "]") : report.name,
                            bench->work->operations, bench->arrayBytes, bench->times.median, *bench->rates});
    if (Result<void> written = writeOutputFile(options_.roofline, {rooflineSvg(points)}); !written)
      outcome_.failed(written.error());
  }

  static void addTimings(Session &session, const TestReport &report) {
    for (const RunReport &r : report.runs) {
      std::string name = str("\"", report.name, "\" [", r.target, "] ");
      session.addTiming(name + "buffers and initial values", r.seconds.setup * 1e3);
      session.addTiming(name + "launches, the faster of two runs", r.seconds.launch * 1e3);
      session.addTiming(name + "verify", r.seconds.verify * 1e3);
    }
  }

  XtrunOptions options_; // its `defines` are those of the current combination
  std::string combination_; // "BM = 64"; empty if there is only one
  bool savesFiles_ = true; // whether `save` statements write files: in the first combination
  std::optional<MemoryBudget> budget_;
  int threads_ = 0; // of a rank, where the user gives no number
  FieldArithmetic field_; // for --check=algebra
  uint64_t cacheBytes_ = 0;
  std::vector<Target *> targets_;
  std::optional<BenchBase> base_; // baseline for the comparison of times
  std::string launchText_; // the test block of the launch on the command line
  RunOutcome outcome_;
  std::optional<RunRanks> ranks_; // of --mpi
};

} // namespace
} // namespace xt

int main(int argc, char **argv) {
  xt::startTool("xtrun", argc, argv);
  auto parsed = xt::parseXtrunCommand(argc, argv);
  if (!parsed.options) std::fputs(parsed.text.c_str(), parsed.status == 0 ? stdout : stderr);
  return xt::endProcess(parsed.options ? xt::Run(*parsed.options).run() : parsed.status);
}
