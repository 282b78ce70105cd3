#include "targets/run/report.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "targets/run/memory.h"
#include "targets/run/raw_array.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace xt {

std::string_view statusText(TestStatus status) {
  switch (status) {
  case TestStatus::Passed: return "passed";
  case TestStatus::Failed: return "failed";
  case TestStatus::FileError: return "does not compile";
  case TestStatus::Environment: return "could not run";
  case TestStatus::Unchecked: return "ran without checks";
  case TestStatus::Skipped: return "skipped";
  }
  XT_UNREACHABLE("status");
}

ExitStatus exitStatus(TestStatus status) {
  switch (status) {
  case TestStatus::Passed:
  case TestStatus::Unchecked: return ExitStatus::Passed;
  case TestStatus::Skipped: return ExitStatus::NothingRun;
  case TestStatus::Failed: return ExitStatus::CheckFailed;
  case TestStatus::FileError: return ExitStatus::DoesNotCompile;
  case TestStatus::Environment: return ExitStatus::EnvironmentFailed;
  }
  XT_UNREACHABLE("status");
}

ExitStatus worstStatus(const std::vector<ExitStatus> &statuses) {
  auto has = [&](ExitStatus s) { return std::find(statuses.begin(), statuses.end(), s) != statuses.end(); };
  for (ExitStatus s : {ExitStatus::Usage, ExitStatus::CompilerBug, ExitStatus::DoesNotCompile, ExitStatus::EnvironmentFailed,
                       ExitStatus::CheckFailed, ExitStatus::Passed})
    if (has(s)) return s;
  return ExitStatus::NothingRun;
}

namespace {
class TextReport {
public:
  TextReport(const SourceManager &sources, bool color) : sources_(sources), color_(color) {}

  std::string render(const TestReport &report) {
    for (const RunReport &run : report.runs) renderRun(report, run);
    auto fine = [](const RunReport &run) { return exitStatus(run.status) == ExitStatus::Passed; };
    // Each run has passed its checks, but the results differ between targets.
    if (report.status == TestStatus::Failed && std::all_of(report.runs.begin(), report.runs.end(), fine))
      out_ += str(paint("31", statusText(report.status)), "  ", report.name, "  the targets differ\n");
    for (const std::string &line : report.comparisons) out_ += "  " + line + "\n";
    return std::move(out_);
  }

private:
  void renderRun(const TestReport &report, const RunReport &run) {
    bool good = run.status == TestStatus::Passed || run.status == TestStatus::Unchecked;
    bool skipped = run.status == TestStatus::Skipped;
    out_ += paint(good ? "32" : skipped ? "33" : "31", statusText(run.status));
    out_ += str("  ", report.name, " [", run.target, run.small ? ", small" : "", "]");
    if (good) out_ += str("  ", timeText(run.seconds.launch), passedWords(run));
    out_ += "\n";
    if (run.ranks && good) out_ += str("  ", ranksLine(*run.ranks), "\n");
    if (run.bench)
      for (const std::string &text : benchLines(*run.bench)) out_ += str("  ", text, "\n");
    for (const Finding &finding : run.findings) {
      out_ += str("  ", place(finding.range), finding.message, "\n");
      for (const RelatedPlace &other : finding.related) out_ += str("    ", place(other.range), "note: ", other.text, "\n");
      for (const std::string &note : finding.notes) out_ += str("    note: ", note, "\n");
    }
    for (const CheckReport &check : run.checks) renderCheck(check);
    for (const BufferSummary &output : run.outputs) out_ += str("  ", summaryLine(output), "\n");
    for (const std::string &path : run.saved) out_ += str("  saved ", path, "\n");
    if (good || skipped) return;
    if (!run.sizes.empty()) out_ += str("  sizes: ", run.sizes, "\n");
    if (!run.repeatCommand.empty()) out_ += str("  to repeat: ", run.repeatCommand, "\n");
    if (!run.raceCommand.empty()) out_ += str("  to look for races: ", run.raceCommand, "\n");
  }

  void renderCheck(const CheckReport &check) {
    if (check.passed) {
      for (const std::string &note : check.notes) out_ += str("  ", place(check.range), "note: ", note, "\n");
      return;
    }
    out_ += str("  ", place(check.range), "`", source(check.range), "`\n");
    if (!check.problem.empty()) out_ += str("    ", check.problem, "\n");
    if (check.different)
      out_ += str("    ", check.different, " of ", check.compared,
                  check.compared == 1 ? " element differs" : " elements differ", " (tolerance: ", check.tolerance, ")\n");
    for (const std::string &pattern : check.patterns) out_ += str("    pattern: ", pattern, "\n");
    if (check.first && check.worst && check.first->index != check.worst->index) {
      element("worst", *check.worst);
      element("first", *check.first);
    } else if (check.first) {
      element("first and worst", *check.first);
    }
    out_ += check.window;
    for (const std::string &note : check.notes) out_ += str("    note: ", note, "\n");
  }

  void element(std::string_view which, const ElementReport &e) {
    out_ += str("    ", which, e.index.empty() ? "" : " at " + indexText(e.index), ": got ", e.got, ", expected ", e.expected,
                ", difference ", e.difference, ", bound ", e.bound, e.writer.empty() ? "" : ", written by " + e.writer, "\n");
  }

  static std::string passedWords(const RunReport &run) {
    std::string words;
    if (!run.checks.empty()) {
      double ratio = 0;
      int64_t compared = 0;
      for (const CheckReport &check : run.checks) ratio = std::max(ratio, check.worstRatio), compared += check.compared;
      char text[60];
      std::snprintf(text, sizeof text, ratio > 0 ? ", largest error %.2g of its bound" : ", no error", ratio);
      words = str(", ", compared, compared == 1 ? " element" : " elements", text);
    }
    return words;
  }
  static std::string ranksLine(const RunReport::Ranks &ranks) {
    return str("rank ", ranks.rank, " of ", ranks.count, " received ", bytesText(ranks.received), " and sent ",
               bytesText(ranks.sent), " in ", ranks.communications,
               ranks.communications == 1 ? " communication" : " communications");
  }
  static std::string timeText(double seconds) {
    char text[40];
    if (seconds < 1e-5)
      std::snprintf(text, sizeof text, "%.2g us", seconds * 1e6);
    else if (seconds < 1e-3)
      std::snprintf(text, sizeof text, "%.0f us", seconds * 1e6);
    else if (seconds < 1)
      std::snprintf(text, sizeof text, "%.3g ms", seconds * 1e3);
    else
      std::snprintf(text, sizeof text, "%.3g s", seconds);
    return text;
  }
  // One line for each figure.
  static std::vector<std::string> benchLines(const BenchReport &bench) {
    const BenchTimes &times = bench.times;
    std::vector<std::string> lines{str("median ", timeText(times.median), " (95%: ", timeText(times.low), " to ",
                                       timeText(times.high), ", ", times.count, times.count == 1 ? " run" : " runs",
                                       "; the first run took ", timeText(times.first), ")")};
    auto rate = [&](double amount, const char *unit) {
      char text[48];
      std::snprintf(text, sizeof text, "%.4g G%s/s", amount / times.median * 1e-9, unit);
      return std::string(text);
    };
    auto share = [&](double amount, double most, const char *unit, const std::string &what) {
      char text[64];
      std::snprintf(text, sizeof text, ", %.1f%% of the %.4g G%s/s ", 100 * amount / times.median / most, most * 1e-9, unit);
      return most > 0 ? text + what : std::string();
    };
    if (bench.work && times.median > 0) {
      lines.push_back(rate(bench.work->operations, "FLOP"));
      if (bench.rates)
        lines.back() += share(bench.work->operations, bench.rates->operations, "FLOP",
                              str("of products of ", elemName(bench.rates->elem), " in registers"));
      lines.push_back(str("tiles: ", rate(bench.work->bytes, "B")));
    }
    if (bench.arrayBytes > 0 && times.median > 0) {
      lines.push_back(str("arrays, each read or written once: ", rate(bench.arrayBytes, "B")));
      if (bench.rates) lines.back() += share(bench.arrayBytes, bench.rates->bytes, "B", "of a copy");
    }
    if (bench.cold) lines.push_back(str("with cold caches: median ", timeText(bench.cold->median)));
    if (bench.emptySeconds > 0) lines.push_back(str("empty launch: ", timeText(bench.emptySeconds)));
    if (bench.compileSeconds > 0) lines.push_back(str("compilation: ", timeText(bench.compileSeconds)));
    return lines;
  }
  std::string place(SourceRange range) const {
    if (range.file == 0) return "";
    const SourceFile &file = sources_.file(range.file);
    if (file.origin() == SourceOrigin::Generated) return str(file.name(), ": ");
    LineColumn at = file.lineColumn(range.begin);
    return str(file.name(), ":", at.line, ":", at.column, ": ");
  }
  std::string source(SourceRange range) const {
    if (range.file == 0) return "check";
    return std::string(sources_.file(range.file).slice(range));
  }
  std::string paint(const char *code, std::string_view text) const {
    return color_ ? str("\x1b[1;", code, "m", text, "\x1b[0m") : std::string(text);
  }

  const SourceManager &sources_;
  bool color_;
  std::string out_;
};

nlohmann::json placeJson(SourceRange range, const SourceManager &sources) {
  if (range.file == 0) return nullptr;
  const SourceFile &file = sources.file(range.file);
  if (file.origin() == SourceOrigin::Generated) return {{"file", file.name()}};
  LineColumn at = file.lineColumn(range.begin);
  return {{"file", file.name()}, {"line", at.line}, {"column", at.column}, {"begin", range.begin}, {"end", range.end}};
}

nlohmann::json elementJson(const std::optional<ElementReport> &e) {
  if (!e) return nullptr;
  return {{"index", e->index},           {"got", e->got},     {"expected", e->expected},
          {"difference", e->difference}, {"bound", e->bound}, {"writer", e->writer}};
}

// Numbers that JSON cannot represent (NaN, inf) stay strings, as do integers beyond 2^53.
nlohmann::json summaryJson(const BufferSummary &s) {
  return {{"name", s.name}, {"shape", s.sizes}, {"type", elemName(s.elem)}, {"min", s.least},  {"max", s.greatest},
          {"mean", s.mean}, {"nan", s.nans},    {"inf", s.infinities},      {"first", s.first}};
}

nlohmann::json checkJson(const CheckReport &check, const SourceManager &sources) {
  std::string_view text = check.range.file ? sources.file(check.range.file).slice(check.range) : std::string_view();
  return {{"at", placeJson(check.range, sources)},
          {"text", text},
          {"passed", check.passed},
          {"tolerance", check.tolerance},
          {"compared", check.compared},
          {"different", check.different},
          {"worstRatio", check.worstRatio},
          {"first", elementJson(check.first)},
          {"worst", elementJson(check.worst)},
          {"patterns", check.patterns},
          {"window", check.window},
          {"notes", check.notes},
          {"problem", check.problem}};
}
nlohmann::json findingJson(const Finding &finding, const SourceManager &sources) {
  nlohmann::json json = {{"at", placeJson(finding.range, sources)}, {"message", finding.message}, {"notes", finding.notes}};
  for (const RelatedPlace &other : finding.related)
    json["related"].push_back({{"at", placeJson(other.range, sources)}, {"message", other.text}});
  return json;
}

nlohmann::json benchJson(const BenchReport &bench) {
  const BenchTimes &times = bench.times;
  nlohmann::json json = {
      {"median", times.median}, {"low", times.low}, {"high", times.high}, {"first", times.first}, {"count", times.count}};
  if (bench.work) json["operations"] = bench.work->operations, json["bytes"] = bench.work->bytes;
  if (bench.arrayBytes > 0) json["arrayBytes"] = bench.arrayBytes;
  if (bench.cold) json["cold"] = bench.cold->median;
  if (bench.rates)
    json["machine"] = {
        {"elem", elemName(bench.rates->elem)}, {"operations", bench.rates->operations}, {"bytes", bench.rates->bytes}};
  json["emptyLaunch"] = bench.emptySeconds;
  json["compile"] = bench.compileSeconds;
  return json;
}
} // namespace

std::string renderText(const TestReport &report, const SourceManager &sources, bool color) {
  return TextReport(sources, color).render(report);
}

std::string summaryText(const std::vector<TestReport> &reports) {
  std::string text = str(reports.size(), reports.size() == 1 ? " test" : " tests");
  bool first = true;
  for (TestStatus status : {TestStatus::Passed, TestStatus::Unchecked, TestStatus::Skipped, TestStatus::Failed,
                            TestStatus::FileError, TestStatus::Environment}) {
    auto count = std::count_if(reports.begin(), reports.end(), [&](const TestReport &r) { return r.status == status; });
    if (!count) continue;
    text += str(first ? ": " : ", ", count, " ", statusText(status));
    first = false;
  }
  return text;
}

nlohmann::json renderJson(const TestReport &report, const SourceManager &sources) {
  nlohmann::json runs = nlohmann::json::array();
  for (const RunReport &run : report.runs) {
    nlohmann::json findings = nlohmann::json::array(), checks = nlohmann::json::array();
    for (const Finding &finding : run.findings) findings.push_back(findingJson(finding, sources));
    for (const CheckReport &check : run.checks) checks.push_back(checkJson(check, sources));
    nlohmann::json outputs = nlohmann::json::array();
    for (const BufferSummary &output : run.outputs) outputs.push_back(summaryJson(output));
    runs.push_back(
        {{"target", run.target},
         {"small", run.small},
         {"sizes", run.sizes},
         {"status", statusText(run.status)},
         {"findings", findings},
         {"checks", checks},
         {"saved", run.saved},
         {"outputs", outputs},
         {"repeat", run.repeatCommand},
         {"races", run.raceCommand},
         {"seconds", {{"setup", run.seconds.setup}, {"launch", run.seconds.launch}, {"verify", run.seconds.verify}}}});
    if (run.ranks)
      runs.back()["ranks"] = {{"rank", run.ranks->rank},
                              {"count", run.ranks->count},
                              {"communications", run.ranks->communications},
                              {"received", run.ranks->received},
                              {"sent", run.ranks->sent}};
    if (run.bench) runs.back()["bench"] = benchJson(*run.bench);
  }
  return {{"test", report.name},
          {"at", placeJson(report.range, sources)},
          {"status", statusText(report.status)},
          {"runs", runs},
          {"comparisons", report.comparisons}};
}

} // namespace xt
