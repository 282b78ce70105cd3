// Runs the test blocks of a module on compiled targets and verifies the results (language.md, section 7).
#pragma once
#include "targets/run/memory.h"
#include "targets/run/report.h"
#include "targets/target.h"

#include <functional>
#include <map>
#include <optional>

namespace xt {

class FieldArithmetic;

// A module compiled for one target. The module may have gone through the target's passes; kernels keep their names.
struct TargetUnderTest {
  std::string name;
  const Module *module = nullptr;
  Executable *executable = nullptr;
  bool smallSizes = false; // run the `small` sizes of tests that have some
  std::map<std::string, std::string> unsupported = {}; // kernels that it cannot run, which the module lacks, and why
  double compileSeconds = 0;                           // for RunOptions::bench
};

struct RunOptions {
  MemoryBudget *budget = nullptr; // must outlive the call
  int threads = 0;                // of the host's own work, 0: all cores
  std::string dataDirectory;      // where relative paths of `load` and `save` start
  // The command line that repeats one test on one target; `small`: at which sizes, of a test that has small ones.
  std::function<std::string(const std::string &test, const std::string &target, std::optional<bool> small)>
      repeatCommand;
  std::function<void(const std::string &stage)> progress; // "unaligned [cpu]: comparing"
  std::function<void(bool)> mayPrint;                     // before each run: whether its kernels' prints are shown
  std::optional<BenchOptions> bench;                      // time the launches of tests that pass
  bool summarise = false; // say what the buffers that launches write hold at the end
  FieldArithmetic *field = nullptr; // with which the target computes: checks compare elements of the field
  std::function<bool()> outOfTime;                        // asked between launches and before checks
};

// Each target runs the launches twice, from the same initial contents but with two different poisons in `out` buffers.
// A run fails if
//   - a guard byte before, after or between the rows of a buffer changed;
//   - a buffer that no launched kernel writes (ir/effects.h) changed;
//   - an element of an `out` buffer that a launch writes, or that is passed to none, kept both poisons;
//   - the two runs differ in a bit in a buffer whose content does not depend on the order of workgroups
//     (ir/order_dependence.h);
//   - an element fails its check;
//   - a check proves nothing: both sides are the same expression; it also passes where the left side, or both, stand
//     for the contents before the launches; or all inputs of the launches with more than one element are constant and
//     so is the reference. A check against `before(...)`, that something is unchanged, is accepted beside a check that
//     proves something;
//   - there are launches but neither a check nor a `save`, or nothing is launched by a test that does
//     more than make and save buffers.
// A test that saves and checks nothing is Unchecked, not Failed; it may launch nothing, to make input files. An expression's buffers stand for what they hold at its line.
//
// A test that launches a kernel which a target does not support is Skipped there, and as a whole where none runs it.
//
// When a target runs the small sizes and another the full ones, the other runs the small ones too. Runs of equal sizes
// are compared with each other: integers must agree; floats whose checks pass are within both bounds, and how far they
// are apart is reported. Buffers that depend on the order of workgroups may differ, and the report says why. `save` writes in the first run only.
//
// Mistakes of the test found while it runs are reported to `diagnostics` (05xx) and give FileError.
TestReport runTest(const Module &module, const HostTest &test, const std::vector<TargetUnderTest> &targets,
                   const RunOptions &options, Diagnostics &diagnostics);

} // namespace xt
