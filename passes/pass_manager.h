// Runs passes and watches over them: what each needs and gives, verifying, dumping, timing, and the text that replays a
// pass that broke something.
#pragma once
#include "passes/pass.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace xt {

// One row of --time-passes.
struct PassTiming {
  std::string_view pass;
  double milliseconds = 0; // of the pass itself, without verifying and printing
  size_t opsBefore = 0, opsAfter = 0;
};

struct PassOptions {
  // The hardware that the module is compiled for; passes that depend on it are an Error (environment) without.
  const TargetInfo *target = nullptr;
  // Verify before the first pass and after each.
  bool verifyEach = true;
  // Which passes' results go to `dump`, as legal .xt text: all, or those named.
  bool dumpAll = false;
  std::vector<std::string> dumpAfter;
  std::function<void(std::string_view pass, const std::string &text)> dump;
  std::function<void(const PassTiming &timing)> timing;
  // If a pass breaks the IR, fails an XT_CHECK or crashes, before.xt of the crash bundle is the module from before it,
  // under a line that says how to run that pass: "// xt-reproducer: xtc --run=cse before.xt".
  bool keepBefore = false;
  // Called when a pass begins, for those who tell users what takes so long.
  std::function<void(std::string_view pass)> begins;
  // What differs when the module's text is read back, or nullopt. Called after each pass; a difference is a bug.
  std::function<std::optional<std::string>(const Module &module)> roundTrip;
};

// One pass and nothing around it.
Result<void> runPass(const PassInfo &pass, Module &module, const TargetInfo *target, Diagnostics &diagnostics);

// Runs the passes in order and stops at the first that reports an error. A module that does not hold what a pass needs
// is a diagnostic; a pass that leaves behind broken IR ends the process like a failed XT_CHECK (kExitCompilerBug).
Result<void> runPasses(Module &module, std::span<const PassInfo *const> passes, const PassOptions &options,
                       Diagnostics &diagnostics);

} // namespace xt
