// One combination of values: the file compiled with them for a target, and its test.
#pragma once
#include "targets/compile/compile_for.h"
#include "targets/run/expected_values.h"
#include "targets/run/test_runner.h"
#include "targets/tune/search.h"
#include "targets/tune/tuner.h"

namespace xt {

// A file of kernels as the front end reads it with some values of its parameters.
struct TuneSource {
  explicit TuneSource(const TuneOptions &options, TuneValues values);

  // The file with these values, and of its tests only the named one, with the kernels that it launches. An Error if the file does
  // not compile with them.
  Result<void> load(const std::string &text, const std::string &test);
  const HostTest *test() const { return module && !module->tests.empty() ? module->tests.data() : nullptr; }

  const TuneOptions &options;
  TuneValues values; // in place of those that the file declares
  SourceManager sources;
  Context context;
  Diagnostics diagnostics;
  std::unique_ptr<Module> module;
};

class Candidate {
public:
  Candidate(const TuneOptions &options, TunePoint point, TuneValues values)
      : options_(options), source_(options, std::move(values)), point_(std::move(point)) {}

  // Compiles the test's kernels. Returns whether the target can run them.
  bool compile(const std::string &text, const std::string &test);
  struct Checked {
    bool runs = true; // false: a launch was refused, since the kernel requires other sizes with these values
    std::string problem; // why it was refused, or what is wrong; "" if nothing is
  };
  // Runs the test and its checks. `expected` has what other candidates have computed of them.
  Checked check(MemoryBudget &budget, bool small, ExpectedValues &expected);
  // Times the launches; stops early if they take longer than `bench.hopeless` seconds (0: never).
  std::optional<BenchReport> time(MemoryBudget &budget, BenchOptions bench);

  const TunePoint &point() const { return point_; }
  const TuneValues &values() const { return source_.values; }

private:
  RunOptions runOptions(MemoryBudget &budget) const;
  RunReport run(const RunOptions &run, bool small);
  std::string problemOf(const RunReport &report) const;

  const TuneOptions &options_;
  TuneSource source_;
  TunePoint point_;
  std::optional<HostTest> test_;
  CompiledModule compiled_; // destroyed before the source, whose types it uses
};

} // namespace xt
