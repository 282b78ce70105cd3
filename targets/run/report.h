// The outcome of a test as data, and its renderings.
#pragma once
#include "ir/base/exit_status.h"
#include "ir/base/source.h"
#include "targets/run/bench.h"
#include "targets/run/summary.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace xt {

enum class TestStatus : uint8_t {
  Passed,
  Failed,      // a check, a guard or an assert failed: the kernel is wrong, or the check proves nothing
  FileError,   // the test itself is wrong; the diagnostics say why
  Environment, // a device, a file or a limit failed
  Unchecked,   // launches ran and `save` wrote their results, but no check ran
  Skipped,     // the target cannot run a kernel whatever its code is; the findings say why
};
std::string_view statusText(TestStatus status); // "passed"

struct ElementReport {
  std::vector<int64_t> index;
  std::string got, expected, bound, difference;
  std::string writer; // "workgroup (1, 0), subgroup 3"; empty: unknown
};

struct CheckReport {
  SourceRange range;
  bool passed = false;
  std::string tolerance; // "derived from the expression"
  int64_t compared = 0, different = 0;
  double worstRatio = 0; // largest |difference| / bound among the elements that pass
  std::optional<ElementReport> first, worst;
  std::vector<std::string> patterns; // guesses, likeliest first
  std::string window;                // got and expected values around the first difference, preformatted
  std::vector<std::string> notes;    // weak bounds and similar remarks
  std::string problem;               // why a check fails although all its elements pass: it proves nothing
};

// Another place that a finding is about, and what it is: "required here".
struct RelatedPlace {
  SourceRange range;
  std::string text;
};

// A failure of a run other than a failed check.
struct Finding {
  SourceRange range;
  std::string message;
  std::vector<std::string> notes;
  std::vector<RelatedPlace> related = {};
};

struct RunReport {
  std::string target;
  bool small = false; // ran the small sizes
  std::string sizes;  // "M = 512, N = 512"
  TestStatus status = TestStatus::Passed;
  std::vector<Finding> findings;
  bool refused = false; // a launch does not satisfy what its kernel requires: the findings say which
  std::vector<CheckReport> checks;
  std::vector<std::string> saved;     // the paths of the written files
  std::vector<BufferSummary> outputs; // filled if RunOptions::summarise is set
  std::string repeatCommand;
  std::string raceCommand; // "" unless results are wrong and several subgroups have run, or two runs differ
  struct {
    double setup = 0, launch = 0, verify = 0; // seconds; launch: the faster of both rounds, kernels only
  } seconds;
  struct Ranks {
    int rank = 0, count = 1;
    int64_t communications = 0, received = 0, sent = 0; // bytes of this rank in one run of the launches
  };
  std::optional<Ranks> ranks;       // of a test in which several ranks communicate
  std::optional<BenchReport> bench; // set if RunOptions::bench is set
};

struct TestReport {
  std::string name;
  SourceRange range;
  TestStatus status = TestStatus::Passed; // the worst of its runs
  std::vector<RunReport> runs;
  std::vector<std::string> comparisons; // comparisons between the results of targets
};

// One line for a test that passed, the whole report for one that did not. Ends in a line break.
std::string renderText(const TestReport &report, const SourceManager &sources, bool color);
// "3 tests: 2 passed, 1 failed"
std::string summaryText(const std::vector<TestReport> &reports);
nlohmann::json renderJson(const TestReport &report, const SourceManager &sources);

ExitStatus exitStatus(TestStatus status);
// The first of 64, 70, 2, 3, 1 that occurs; else 0 if a test passed, else 4.
ExitStatus worstStatus(const std::vector<ExitStatus> &statuses);

} // namespace xt
