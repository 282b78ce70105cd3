#include "targets/run/test_runner.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "targets/run/rounding.h"
#include "targets/run/test_run.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace xt {

namespace {
struct PlannedRun {
  const TargetUnderTest *target;
  bool small;
};

// Each target runs at its own sizes, and at the small ones too where another target runs only those.
std::vector<PlannedRun> planRuns(const HostTest &test, const std::vector<TargetUnderTest> &targets) {
  std::vector<PlannedRun> runs;
  bool anySmall = test.hasSmall && std::any_of(targets.begin(), targets.end(), [](const auto &t) { return t.smallSizes; });
  for (const TargetUnderTest &target : targets) {
    bool small = test.hasSmall && target.smallSizes;
    runs.push_back({&target, small});
    if (anySmall && !small) runs.push_back({&target, true});
  }
  return runs;
}

struct Difference {
  int64_t elements = 0, first = -1;
  int64_t nans = 0; // pairs of NaNs with different bits, which do not count as different
  double largest = 0, ulps = 0;
};
Difference differenceOf(const RawArray &a, const RawArray &b) {
  Difference difference;
  const ElemInfo &info = elemInfo(a.elem);
  for (int64_t i = 0; i < a.count(); ++i) {
    const std::byte *x = a.bytes.data() + i * a.elemBytes(), *y = b.bytes.data() + i * b.elemBytes();
    if (std::memcmp(x, y, static_cast<size_t>(a.elemBytes())) == 0) continue;
    double p = info.isFloat ? loadFloat(a.elem, x) : 0, q = info.isFloat ? loadFloat(b.elem, y) : 0;
    if (std::isnan(p) && std::isnan(q)) {
      ++difference.nans; // their bits are not part of the result
      continue;
    }
    if (difference.elements++ == 0) difference.first = i;
    if (!info.isFloat) continue;
    double d = p == q ? 0 : std::fabs(p - q);
    difference.largest = d <= difference.largest ? difference.largest : d;
    double ulps = d / ulpAt(info, std::min(std::fabs(p), std::fabs(q)));
    difference.ulps = ulps <= difference.ulps ? difference.ulps : ulps;
  }
  return difference;
}

// Precedence of exit statuses; Unchecked takes precedence over Passed.
int severity(TestStatus status) {
  switch (status) {
  case TestStatus::Skipped:
  case TestStatus::Passed: return 0;
  case TestStatus::Unchecked: return 1;
  case TestStatus::Failed: return 2;
  case TestStatus::Environment: return 3;
  case TestStatus::FileError: return 4;
  }
  XT_UNREACHABLE("status");
}

// The report of a test that launches an unsupported kernel; nullopt if the target can run it.
std::optional<RunReport> skippedRun(const HostTest &test, const PlannedRun &plan) {
  std::optional<RunReport> report;
  anyStmt(test.body, [&](const HostStmt &stmt) {
    if (stmt.kind != HostStmt::Kind::Launch) return false;
    auto found = plan.target->unsupported.find(stmt.kernel);
    if (found == plan.target->unsupported.end()) return false;
    report.emplace();
    report->target = plan.target->name;
    report->small = plan.small;
    report->status = TestStatus::Skipped;
    report->findings.push_back(
        {stmt.range, str("@", stmt.kernel, " cannot run on ", plan.target->name, ": ", found->second), {}});
    return true;
  });
  return report;
}

struct FinishedRun {
  PlannedRun plan;
  std::vector<TestRun::Output> outputs;
};

// Compares two runs of equal sizes, and adds a line for each buffer. Different integers fail the test, unless they may depend
// on the order of workgroups.
void compareRuns(const FinishedRun &a, const FinishedRun &b, TestReport &report) {
  for (size_t i = 0; i < a.outputs.size() && i < b.outputs.size(); ++i) {
    const RawArray &x = a.outputs[i].content, &y = b.outputs[i].content;
    Difference difference = differenceOf(x, y);
    std::string who = str("`%", a.outputs[i].name, "` on ", a.plan.target->name, " and ", b.plan.target->name,
                          a.plan.small ? " (small sizes)" : "");
    if (difference.elements == 0) {
      report.comparisons.push_back(
          str(who, ": equal in every bit", difference.nans ? str(", except in ", counted(difference.nans, "NaN")) : ""));
      continue;
    }
    std::string line = str(who, ": ", difference.elements, " of ", x.count(), " elements differ, the first at ",
                           indexText(indexOf(difference.first, x.sizes)));
    if (OrderCause order = a.outputs[i].order; order != OrderCause::None) {
      report.comparisons.push_back(str(line, "; that is allowed: the content depends on the order in which workgroups run (",
                                       orderCauseText(order), ")"));
      continue;
    }
    if (isInteger(x.elem)) {
      report.comparisons.push_back(line + "; integers must agree");
      if (severity(report.status) < severity(TestStatus::Failed)) report.status = TestStatus::Failed;
      continue;
    }
    char text[80];
    std::snprintf(text, sizeof text, ", by at most %.3g (%.3g ulp)", difference.largest, difference.ulps);
    report.comparisons.push_back(line + text);
  }
}

} // namespace

TestReport runTest(const HostTest &test, const std::vector<TargetUnderTest> &targets, const RunOptions &options,
                   Diagnostics &diagnostics) {
  XT_CHECK(options.budget, "a run needs a memory budget");
  TestReport report;
  report.name = test.name;
  report.range = test.range;
  std::vector<PlannedRun> plans = planRuns(test, targets);
  std::vector<FinishedRun> finished;
  bool first = true; // the first run writes the files of `save`
  for (const PlannedRun &plan : plans) {
    if (std::optional<RunReport> skipped = skippedRun(test, plan)) {
      report.runs.push_back(std::move(*skipped));
      continue;
    }
    TestRun run(test, *plan.target, plan.small, options, diagnostics);
    RunReport result = run.run(first && options.saves);
    first = false;
    bool good = result.status == TestStatus::Passed || result.status == TestStatus::Unchecked;
    if (severity(result.status) > severity(report.status)) report.status = result.status;
    report.runs.push_back(std::move(result));
    // An error of the test occurs in every run, so one report is enough.
    if (report.status == TestStatus::FileError) break;
    if (good && plans.size() > 1) finished.push_back({plan, run.takeOutputs()});
  }
  auto isSkipped = [](const RunReport &run) { return run.status == TestStatus::Skipped; };
  if (std::all_of(report.runs.begin(), report.runs.end(), isSkipped)) report.status = TestStatus::Skipped;
  for (size_t i = 0; i < finished.size(); ++i) {
    auto earlier = std::find_if(finished.begin(), finished.end(),
                                [&](const FinishedRun &r) { return r.plan.small == finished[i].plan.small; });
    if (earlier != finished.begin() + static_cast<ptrdiff_t>(i)) compareRuns(*earlier, finished[i], report);
  }
  return report;
}

} // namespace xt
