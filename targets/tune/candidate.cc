#include "targets/tune/candidate.h"

#include "ir/base/text.h"
#include "targets/compile/front_end.h"

#include <algorithm>

namespace xt {

TuneSource::TuneSource(const TuneOptions &given, TuneValues with) : options(given), values(std::move(with)) {
  diagnostics.wantRemarks(false);
}

Result<void> TuneSource::load(const std::string &text, const std::string &test) {
  LowerOptions lowering;
  lowering.defines = options.defines;
  lowering.defines.insert(lowering.defines.end(), values.begin(), values.end());
  lowering.sizes = options.sizes;
  lowering.imports = options.imports();
  lowering.target = options.hardware;
  Result<std::unique_ptr<Module>> loaded = loadModule(sources, sources.add(options.path, text), context, lowering, diagnostics);
  if (!loaded) return loaded.error();
  module = std::move(*loaded);
  std::erase_if(module->tests, [&](const HostTest &other) { return other.name != test; });
  std::erase_if(module->kernels, [&](const auto &kernel) {
    return std::ranges::none_of(module->tests, [&](const HostTest &of) {
      return anyStmt(of.body,
                     [&](const HostStmt &stmt) { return stmt.kind == HostStmt::Kind::Launch && stmt.kernel == kernel->name; });
    });
  });
  return {};
}

bool Candidate::compile(const std::string &text, const std::string &test) {
  if (!source_.load(text, test) || !source_.test()) return false;
  test_ = *source_.test();
  CompileOptions options;
  options.threads = options_.threads;
  options.device = options_.device;
  options.cacheDirectory = options_.cacheDirectory;
  options.cacheBytes = options_.cacheBytes;
  options.sources = &source_.sources;
  CompileSteps steps;
  steps.runPasses = [&](Module &of, const TargetInfo *hardware) {
    return runPipeline(*options_.target, of, hardware, source_.diagnostics);
  };
  Result<CompiledModule> compiled =
      compileFor(*options_.target, std::move(source_.module), source_.sources, options, steps, source_.diagnostics);
  if (!compiled || !compiled->unsupported.empty()) return false;
  compiled_ = std::move(*compiled);
  return true;
}

RunOptions Candidate::runOptions(MemoryBudget &budget) const {
  RunOptions options;
  options.budget = &budget;
  options.threads = options_.threads;
  options.saves = false;
  size_t slash = options_.path.rfind('/');
  options.dataDirectory = slash == std::string::npos ? "" : options_.path.substr(0, slash + 1);
  return options;
}

RunReport Candidate::run(const RunOptions &options, bool small) {
  TargetUnderTest target{std::string(options_.target->name()), compiled_.module.get(), compiled_.executable.get(), small};
  return runTest(*test_, {target}, options, source_.diagnostics).runs.at(0);
}

// What is wrong with a run, or "".
std::string Candidate::problemOf(const RunReport &report) const {
  if (report.status == TestStatus::Passed) return "";
  if (!report.findings.empty()) return report.findings[0].message;
  for (const CheckReport &check : report.checks) {
    if (check.passed) continue;
    return check.problem.empty() ? str(check.different, " of ", check.compared, " elements are wrong") : check.problem;
  }
  for (const Diagnostic *diagnostic : source_.diagnostics.sorted())
    if (diagnostic->severity == Severity::Error) return diagnostic->message;
  return report.status == TestStatus::Unchecked ? "the test has no check" : std::string(statusText(report.status));
}

Candidate::Checked Candidate::check(MemoryBudget &budget, bool small, ExpectedValues &expected) {
  RunOptions options = runOptions(budget);
  options.expected = &expected;
  RunReport report = run(options, small);
  return {.runs = !report.refused, .problem = problemOf(report)};
}

std::optional<BenchReport> Candidate::time(MemoryBudget &budget, BenchOptions bench) {
  RunOptions options = runOptions(budget);
  options.checks = false;
  bench.warmOnly = true;
  options.bench = bench;
  return run(options, options_.small).bench;
}

} // namespace xt
