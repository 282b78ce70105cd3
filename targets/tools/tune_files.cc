#include "targets/tools/tune_files.h"

#include "ir/base/output_file.h"
#include "ir/base/reports.h"
#include "ir/base/text.h"
#include "targets/compile/cache_directory.h"
#include "targets/run/report.h"
#include "targets/tools/progress.h"
#include "targets/tools/session.h"
#include "targets/tune/tune_json.h"

#include <nlohmann/json.hpp>

#include <csignal>
#include <cstdio>

namespace xt {
namespace {

using Json = nlohmann::ordered_json;

volatile std::sig_atomic_t interrupted = 0;

// The first Ctrl-C ends the search with what it has found; the second one ends the process.
void stopAtInterrupt() {
  struct sigaction action{};
  action.sa_handler = [](int) { interrupted = 1; };
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &action, nullptr);
}

std::string milliseconds(double seconds) {
  char text[40];
  std::snprintf(text, sizeof text, "%.4g", seconds * 1e3);
  return text;
}

std::string recordText(const TuneRecord &record) {
  char ratio[40];
  std::snprintf(ratio, sizeof ratio, "%.3g", record.defaults.median / record.best.median);
  return str("  @", record.kernel, ": ", valuesText(record.values), ": ", milliseconds(record.best.median), " ms (",
             milliseconds(record.best.low), " to ", milliseconds(record.best.high), "), ", ratio,
             " times as fast as the declared values (", milliseconds(record.defaults.median), " ms)\n");
}

std::string reportText(const std::string &file, const TuneReport &report, std::string_view target) {
  std::string out = str(file, ", \"", report.test, "\" [", target, "]: ");
  if (!report.problem.empty()) return str(out, "not tuned: ", report.problem, "\n");
  const TuneRecord &first = report.records.at(0);
  char seconds[40];
  std::snprintf(seconds, sizeof seconds, "%.3g", report.seconds);
  out += str("timed ", first.timed, " of ", first.candidates, " combinations of ", join(report.parameters, ", "), " in ",
             seconds, " s", report.unusable ? str(", ", report.unusable, " do not compile") : "",
             report.unfit ? str(", ", report.unfit, " cannot be launched (", report.firstUnfit, ")") : "",
             report.wrong ? str(", ", report.wrong, " are wrong (", report.firstWrong, ")") : "",
             report.complete ? "" : ", without having finished", "\n");
  for (const TuneRecord &record : report.records) out += recordText(record);
  return out;
}

class Tuning {
public:
  explicit Tuning(const XtrunOptions &options) : options_(options), line_(options.quiet || options.json) {}

  int run() {
    stopAtInterrupt();
    if (std::optional<std::string> wrong = prepare()) {
      std::fprintf(stderr, "xtrun: %s\n", wrong->c_str());
      return kExitUsage;
    }
    for (const std::string &file : options_.files)
      if (!interrupted) tuneFile(file);
    line_.clear();
    if (interrupted) std::fputs("xtrun: interrupted: what was found until then is kept\n", stderr);
    int status = static_cast<int>(statuses_.empty() ? ExitStatus::NothingRun : worstStatus(statuses_));
    if (options_.json)
      std::printf("%s\n",
                  Json{{"tests", tests_}, {"status", status}}.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
    return status;
  }

private:
  std::optional<std::string> prepare() {
    if (options_.targets.size() != 1) return "--tune takes one target";
    tuning_.target = findTarget(options_.targets[0]);
    Result<uint64_t> cacheBytes = cacheLimit();
    if (!cacheBytes) return cacheBytes.error().message;
    tuning_.tests = options_.tests;
    tuning_.defines = options_.defines;
    tuning_.sizes = options_.sizes;
    tuning_.device = options_.device;
    tuning_.threads = options_.threads;
    tuning_.seconds = options_.budget;
    tuning_.small = options_.small.value_or(tuning_.target->wantsSmallSizes(options_.device));
    tuning_.cacheDirectory = cacheDirectory();
    tuning_.cacheBytes = *cacheBytes;
    tuning_.stopped = [] { return interrupted != 0; };
    tuning_.progress = [this](const std::string &stage) { line_.show(stage); };
    return std::nullopt;
  }

  void tuneFile(const std::string &file) {
    Result<std::vector<TuneRecord>> records = readTuneFile(tunePath(file));
    if (!records) return failed(records.error());
    if (Result<void> writable = checkOutputFile(tunePath(file)); !writable) return failed(writable.error());
    SourceManager sources;
    Diagnostics diagnostics;
    tuning_.path = file;
    auto finished = [&](const TuneReport &report) { add(file, report, *records); };
    Result<std::vector<TuneReport>> reports = tune(tuning_, sources, diagnostics, finished);
    line_.clear();
    if (!reports) {
      std::fputs(renderText(diagnostics, sources, false).c_str(), stderr);
      return failed(reports.error());
    }
    if (reports->empty() && !interrupted)
      failed(Error::environment(str(file, ": no test ", options_.tests.empty() ? "is there to tune" : "has that name")));
  }

  void failed(const Error &error) {
    if (error.kind != Error::Kind::Diagnosed) std::fprintf(stderr, "xtrun: %s\n", error.message.c_str());
    statuses_.push_back(error.kind == Error::Kind::Diagnosed ? ExitStatus::DoesNotCompile : ExitStatus::EnvironmentFailed);
  }

  // Prints what was found for a test, and writes it, so that it is there whatever comes later.
  void add(const std::string &file, const TuneReport &report, std::vector<TuneRecord> &records) {
    line_.clear();
    if (options_.json)
      tests_.push_back(tuneJson(file, report));
    else
      std::fputs(reportText(file, report, tuning_.target->name()).c_str(), stdout);
    std::fflush(stdout);
    if (report.records.empty()) return;
    for (const TuneRecord &record : report.records) addRecord(records, record);
    if (Result<void> written = writeOutputFile(tunePath(file), {tuneText(records)}); !written) return failed(written.error());
    statuses_.push_back(ExitStatus::Passed);
  }

  const XtrunOptions &options_;
  ProgressLine line_;
  TuneOptions tuning_;
  std::vector<ExitStatus> statuses_;
  Json tests_ = Json::array();
};

} // namespace

int tuneFiles(const XtrunOptions &options) { return Tuning(options).run(); }

} // namespace xt
