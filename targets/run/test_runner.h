// Runs the test blocks of a module on compiled targets and verifies the results (lang/reference/tests_and_tolerances.md).
#pragma once
#include "targets/run/memory.h"
#include "targets/run/report.h"
#include "targets/target.h"

#include <functional>
#include <map>
#include <optional>

namespace xt {

class CommunicationThread;
class ExpectedValues;
class FieldArithmetic;

// A module compiled for one target. The module may have been through the target's passes; kernels keep their names.
struct TargetUnderTest {
  std::string name;
  const Module *module = nullptr;
  Executable *executable = nullptr;
  bool smallSizes = false; // run the `small` sizes of tests that have them
  std::map<std::string, std::string> unsupported = {}; // kernels that the target cannot run (absent from the module), and why
  double compileSeconds = 0;                           // for RunOptions::bench
};

struct RunOptions {
  MemoryBudget *budget = nullptr; // must outlive the call
  int threads = 0;                // for the host's own work, 0: all cores
  std::string dataDirectory;      // base directory of relative paths in `load` and `save`
  // Returns the command line that repeats one test on one target. `small`: whether it uses the small sizes of the test;
  // nullopt: the test has none.
  std::function<std::string(const std::string &test, const std::string &target, std::optional<bool> small)> repeatCommand;
  std::function<std::string(const std::string &test)> raceCommand; // runs one test with the check for races; null: it is on
  std::function<void(const std::string &stage)> progress; // "unaligned [cpu]: comparing"
  std::function<void(bool)> mayPrint;                     // called before each run: whether its kernels' prints are shown
  std::optional<BenchOptions> bench;                      // time the launches of tests that pass
  bool checks = true; // false: with `bench`, only time the launches, whose kernels have been checked before
  bool saves = true;      // whether `save` statements of the first target write their files
  bool summarise = false; // summarise the final content of the buffers that launches write
  FieldArithmetic *field = nullptr; // the target's arithmetic in an algebraic run: checks compare elements of the field
  // Where not null: sides of checks that do not depend on launches are taken from here and kept here (expected_values.h). All
  // runs that share it must be of tests that differ in text if their files or initial contents differ.
  ExpectedValues *expected = nullptr;
  CommunicationThread *ranks = nullptr; // reaches the ranks that run the same tests; null: this is the only one
  std::function<bool()> outOfTime; // called between launches and before checks
};

// Each target runs the launches twice, from the same initial contents but with two different poison values in `out` buffers. A
// run fails if
//   - a guard byte before, after or between the rows of a buffer changed;
//   - a buffer that no launched kernel writes (ir/effects.h) changed;
//   - no launched kernel writes an `out` buffer that has elements, or an element of an `out` buffer kept both poison values;
//   - the two runs differ in a bit in a buffer whose content does not depend on the order of workgroups
//     (ir/order_dependence.h);
//   - an element fails its check;
//   - a check proves nothing: the bound of an element is too large (looseness.h); or it compares no element, although its
//     left side has no empty buffer; or both sides are the same expression; or it also passes where the left side, or both
//     sides, have the contents from before the launches; or all inputs of the launches with more than one element are
//     constant and so is the reference. A check against `before(...)` (something is unchanged) is accepted if another check
//     proves something;
//   - there are launches but neither a check nor a `save`, or there is no launch in a test that does more than make and
//     save buffers.
// A test that saves but checks nothing is Unchecked, not Failed; it may launch nothing, to make input files. A buffer in an
// expression has its content at the line of the expression.
//
// A test that launches a kernel which a target does not support is Skipped on that target, and as a whole if it runs on no
// target.
//
// When one target runs the small sizes and another the full ones, the latter runs the small ones too. Runs of equal sizes are
// compared with each other: integers must agree; floats whose checks pass are within both bounds, and their difference is
// reported. Buffers that depend on the order of workgroups may differ, and the report says why. Only the first run writes the
// files of `save`.
//
// Errors of the test that are found while it runs are reported to `diagnostics` (05xx) and give FileError.
TestReport runTest(const HostTest &test, const std::vector<TargetUnderTest> &targets, const RunOptions &options,
                   Diagnostics &diagnostics);

} // namespace xt
