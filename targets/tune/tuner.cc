#include "targets/tune/tuner.h"

#include "ir/base/text.h"
#include "ir/print.h"
#include "targets/compile/front_end.h"
#include "targets/tune/candidate.h"
#include "targets/tune/device_name.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace xt {
namespace {

using Clock = std::chrono::steady_clock;

// The share of the time that finding the fastest combinations may take; the rest is for measuring these precisely.
constexpr double kSearchShare = 0.8;
constexpr size_t kFinalists = 3;
// A parameter is not varied if none of its first values compiles, or if these make the same kernels.
constexpr size_t kMostTried = 16, kMostEqual = 3;
// A combination is given up when its first launches take longer than this many times the best time.
constexpr double kGivenUp = 1.2;

// What a user sees of a test and the kernels that it launches: buffers, checks, types of parameters. Parameters that change it are
// part of the problem, and not of its solution.
std::string problemText(const TuneSource &source) {
  std::string text;
  printTest(text, *source.test());
  for (const auto &kernel : source.module->kernels)
    for (size_t i = 0; i < kernel->paramCount; ++i) text += str("\n", kernel->name, " ", typeText(kernel->param(i)->type()));
  return text;
}

std::string kernelsText(const TuneSource &source) {
  std::string text;
  for (const auto &kernel : source.module->kernels) printKernel(text, *kernel, nullptr);
  return text;
}

// One test: which parameters are varied, the search, and what it found.
class TestTuning {
public:
  TestTuning(const TuneOptions &options, const std::string &text, const std::string &test, std::string device)
      : options_(options), text_(text), base_(options, {}), device_(std::move(device)),
        budget_(MemoryBudget::machineDefault()) {
    report_.test = test;
  }

  TuneReport run() {
    begun_ = Clock::now();
    if (report_.problem = prepare(); report_.problem.empty()) {
      search();
      conclude();
    }
    report_.seconds = elapsed();
    return std::move(report_);
  }

private:
  struct Varied {
    std::string name;
    std::vector<std::string> values;
  };

  double elapsed() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }
  bool stopped() const { return options_.stopped && options_.stopped(); }
  bool mayGoOn() const { return !stopped() && elapsed() < options_.seconds * kSearchShare; }
  void progress(const std::string &what) const {
    if (options_.progress) options_.progress(str("\"", report_.test, "\": ", what));
  }

  std::string prepare();
  std::optional<Varied> varied(const ModuleParam &param);
  TuneValues valuesAt(const TunePoint &point) const;
  std::vector<std::shared_ptr<Candidate>> compile(const std::vector<TunePoint> &points);
  std::optional<double> measure(Candidate &candidate, std::optional<double> best);
  void search();
  void keep(std::shared_ptr<Candidate> candidate);
  void conclude();
  TuneRecord record(const BenchLaunch &launch, const Candidate &fastest, const BenchTimes &best,
                    const BenchTimes &defaults) const;
  double shareOfTime(double share) const { return std::clamp(options_.seconds * share, 0.05, 2.0); }
  bool checksSmall() const { return options_.small || (base_.test() && base_.test()->hasSmall); }

  const TuneOptions &options_;
  const std::string &text_;
  TuneSource base_; // with the values that the file declares
  const std::string device_;
  MemoryBudget budget_;
  ExpectedValues expected_; // of all candidates, destroyed before the budget
  TuneReport report_;
  Clock::time_point begun_;
  std::vector<Varied> varied_;
  TuneValues given_; // parameters that matter and are not varied, and all that -D sets
  TunePoint start_;
  std::optional<TuneSearch> search_;
  std::vector<std::shared_ptr<Candidate>> kept_; // the fastest ones so far, and the one with the declared values
};

// Decides which parameters are varied. Returns why there is nothing to do, or "".
std::string TestTuning::prepare() {
  if (Result<void> loaded = base_.load(text_, report_.test); !loaded) return loaded.error().message;
  if (base_.module->kernels.empty()) return "it launches no kernel";
  std::vector<size_t> counts;
  for (const ModuleParam &param : base_.module->params) {
    bool fixed = std::ranges::find(options_.defines, param.name, &TuneValues::value_type::first) != options_.defines.end();
    std::optional<Varied> of = fixed ? std::nullopt : varied(param);
    if (!of) {
      if (fixed) given_.emplace_back(param.name, param.value);
      continue;
    }
    start_.push_back(static_cast<size_t>(std::ranges::find(of->values, param.value) - of->values.begin()));
    counts.push_back(of->values.size());
    report_.parameters.push_back(of->name);
    varied_.push_back(std::move(*of));
  }
  if (varied_.empty())
    return "it has no parameter to tune: `param … in [...]` lists the values to try, unless -D, the launch or the type of a "
           "buffer "
           "fixes one";
  search_.emplace(std::move(counts), start_);
  return "";
}

// The values to try for a parameter; nullopt if it is not varied.
std::optional<TestTuning::Varied> TestTuning::varied(const ModuleParam &param) {
  auto givenByLaunch = [&](const auto &kernel) { return kernel->name.find("$" + param.name + "=") != std::string::npos; };
  if (std::ranges::any_of(base_.module->kernels, givenByLaunch)) return std::nullopt;
  Varied out{param.name, param.choices};
  if (std::ranges::find(out.values, param.value) == out.values.end()) out.values.insert(out.values.begin(), param.value);
  size_t equal = 0;
  for (size_t i = 0; i < out.values.size() && i < kMostTried && equal < kMostEqual; ++i) {
    const std::string &value = out.values[i];
    if (value == param.value) continue;
    TuneSource other(options_, {{param.name, value}});
    if (!other.load(text_, report_.test) || !other.test()) continue; // not alone; perhaps together with another one
    if (problemText(other) != problemText(base_)) {
      given_.emplace_back(param.name, param.value);
      return std::nullopt;
    }
    if (kernelsText(other) != kernelsText(base_)) return out;
    ++equal;
  }
  return std::nullopt;
}

TuneValues TestTuning::valuesAt(const TunePoint &point) const {
  TuneValues values;
  for (size_t i = 0; i < varied_.size(); ++i) values.emplace_back(varied_[i].name, varied_[i].values[point[i]]);
  return values;
}

// Compiles several combinations at once; null for those that the target cannot run.
std::vector<std::shared_ptr<Candidate>> TestTuning::compile(const std::vector<TunePoint> &points) {
  std::vector<std::shared_ptr<Candidate>> all(points.size());
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i; (i = next++) < points.size();) {
      auto candidate = std::make_shared<Candidate>(options_, points[i], valuesAt(points[i]));
      options_.guard([&] {
        if (candidate->compile(text_, report_.test)) all[i] = candidate;
      });
    }
  };
  // The device of a GPU, which compiles too, is used by one thread at a time.
  const size_t wanted = options_.target->takesDeviceChoice()
                            ? 1
                            : std::min<size_t>(points.size(), std::max(1u, std::thread::hardware_concurrency()));
  std::function<void()> task = work;
  auto serve = [](void *what) -> void * { return (*static_cast<std::function<void()> *>(what))(), nullptr; };
  std::vector<pthread_t> helpers;
  for (pthread_t helper{}; helpers.size() + 1 < wanted; helpers.push_back(helper))
    if (pthread_create(&helper, nullptr, serve, &task) != 0) break; // std::thread would throw where no thread is to be had
  work();
  for (pthread_t helper : helpers) pthread_join(helper, nullptr);
  return all;
}

// Checks and times a candidate; nullopt if it is wrong.
std::optional<double> TestTuning::measure(Candidate &candidate, std::optional<double> best) {
  Candidate::Checked checked = candidate.check(budget_, checksSmall(), expected_);
  if (!checked.problem.empty()) {
    size_t &count = checked.runs ? report_.wrong : report_.unfit;
    std::string &first = checked.runs ? report_.firstWrong : report_.firstUnfit;
    if (count++ == 0) first = str(valuesText(candidate.values()), ": ", checked.problem);
    return std::nullopt;
  }
  BenchOptions bench{.seconds = shareOfTime(0.01), .precision = 0.02, .hopeless = best.value_or(0) * kGivenUp};
  std::optional<BenchReport> timed = candidate.time(budget_, bench);
  return timed ? std::optional(timed->times.low) : std::nullopt; // what else runs on the machine makes medians vary
}

void TestTuning::search() {
  const size_t most = 2 * std::max<size_t>(1, std::thread::hardware_concurrency());
  while (mayGoOn()) {
    std::vector<TunePoint> points = search_->next(most);
    if (points.empty()) {
      report_.complete = true;
      return;
    }
    std::vector<std::shared_ptr<Candidate>> candidates = compile(points);
    for (size_t i = 0; i < points.size(); ++i) {
      bool first = search_->measured() == 0; // the declared values are always measured, for the comparison
      if (!first && !mayGoOn()) return;
      std::optional<double> best = search_->bestSeconds();
      std::optional<double> seconds = candidates[i] ? measure(*candidates[i], best) : std::nullopt;
      if (!candidates[i]) ++report_.unusable;
      search_->add(points[i], seconds);
      if (seconds) keep(candidates[i]);
      best = search_->bestSeconds();
      progress(str(search_->measured(), " of ", search_->candidates(), " combinations",
                   best ? str(", the best takes ", *best * 1e3, " ms") : ""));
    }
  }
}

void TestTuning::keep(std::shared_ptr<Candidate> candidate) {
  kept_.push_back(std::move(candidate));
  std::vector<TunePoint> fastest = search_->best(kFinalists);
  std::erase_if(kept_, [&](const std::shared_ptr<Candidate> &of) {
    return of->point() != start_ && std::ranges::find(fastest, of->point()) == fastest.end();
  });
}

// Measures the fastest combinations and the declared one precisely, and checks the winner at the sizes that were timed.
void TestTuning::conclude() {
  std::optional<BenchReport> defaults;
  std::vector<std::pair<BenchReport, std::shared_ptr<Candidate>>> finals;
  for (const auto &candidate : kept_) {
    std::optional<BenchReport> timed = candidate->time(budget_, {.seconds = shareOfTime(0.04), .precision = 0.005});
    if (!timed) continue;
    if (candidate->point() == start_) defaults = *timed;
    finals.emplace_back(std::move(*timed), candidate);
  }
  std::ranges::stable_sort(finals, {}, [](const auto &final) { return final.first.times.low; });
  for (const auto &[timed, candidate] : finals) {
    bool checked = checksSmall() == options_.small || candidate->check(budget_, options_.small, expected_).problem.empty();
    if (!checked) continue;
    for (const BenchLaunch &launch : timed.launches)
      addRecord(report_.records, record(launch, *candidate, timed.times, defaults ? defaults->times : timed.times));
    return;
  }
  report_.problem = report_.wrong > 0   ? str("no combination is right; ", report_.firstWrong)
                    : report_.unfit > 0 ? str("no combination can be launched; ", report_.firstUnfit)
                                        : "no combination could be measured";
}

TuneRecord TestTuning::record(const BenchLaunch &launch, const Candidate &fastest, const BenchTimes &best,
                              const BenchTimes &defaults) const {
  TuneRecord out;
  std::string name = launch.kernel;
  size_t dollar = std::min(name.find('$'), name.size());
  out.kernel = name.substr(0, dollar); // behind it: the values that the launch gives, "gemm$BM=128$BN=64"
  out.given = given_;
  for (size_t at = dollar; at < name.size();) {
    size_t end = std::min(name.find('$', at + 1), name.size()), equals = name.find('=', at);
    out.given.emplace_back(name.substr(at + 1, equals - at - 1), name.substr(equals + 1, end - equals - 1));
    at = end;
  }
  out.target = options_.target->name();
  out.device = device_;
  out.threads = options_.threads;
  out.arrays = launch.arrays;
  out.values = fastest.values();
  out.best = best;
  out.defaults = defaults;
  out.timed = search_->measured() - report_.unusable - report_.unfit - report_.wrong;
  out.candidates = search_->candidates();
  return out;
}

} // namespace

Result<std::vector<TuneReport>> tune(const TuneOptions &given, SourceManager &sources, Diagnostics &diagnostics,
                                     const std::function<void(const TuneReport &)> &finished) {
  TuneOptions options = given;
  CompileOptions compiled;
  compiled.device = options.device;
  options.hardware = hardwareName(*options.target, compiled);
  Result<std::string> text = readFile(options.path);
  if (!text) return text.error();
  Context context;
  LowerOptions lowering{
      .defines = options.defines, .sizes = options.sizes, .imports = options.imports(), .target = options.hardware};
  Result<std::unique_ptr<Module>> module =
      loadModule(sources, sources.add(options.path, *text), context, lowering, diagnostics);
  if (!module) return module.error();
  Result<std::string> device = deviceName(*options.target, options.device);
  if (!device) return device.error();
  std::vector<TuneReport> reports;
  for (const HostTest &test : (*module)->tests) {
    bool chosen = options.tests.empty() || std::ranges::find(options.tests, test.name) != options.tests.end();
    if (!chosen || (options.stopped && options.stopped())) continue;
    reports.push_back(TestTuning(options, *text, test.name, *device).run());
    if (finished) finished(reports.back());
  }
  return reports;
}

} // namespace xt
