// Runs passes and checks them: the forms that each needs and gives, verification, dumps, timing, and the text that
// reproduces a failing pass.
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
  // The hardware that the module is compiled for. Without it, passes that depend on it are an Error (environment).
  const TargetInfo *target = nullptr;
  // Verify before the first pass and after each.
  bool verifyEach = true;
  // Passes whose results go to `dump` as legal .xt text: all, or the named ones.
  bool dumpAll = false;
  std::vector<std::string> dumpAfter;
  std::function<void(std::string_view pass, const std::string &text)> dump;
  std::function<void(const PassTiming &timing)> timing;
  // If a pass breaks the IR, fails an XT_CHECK or crashes, the file before.xt of the crash bundle is the module from before
  // that pass. Its first line contains the command that runs the pass: "// xt-reproducer: xtc --run=cse before.xt".
  bool keepBefore = false;
  // Asked before each pass: whether to end with an Error of the environment. Empty: no.
  std::function<bool()> stop;
  // Called when a pass begins, so that callers can show which pass is running.
  std::function<void(std::string_view pass)> begins;
  // Returns the difference that appears when the module's text is read back, or nullopt. Called after each pass; a
  // difference is a bug.
  std::function<std::optional<std::string>(const Module &module)> roundTrip;
};

// Runs one pass without any of the checks.
Result<void> runPass(const PassInfo &pass, Module &module, const TargetInfo *target, Diagnostics &diagnostics);

// Runs the passes in order and stops at the first that reports an error. A missing form is a diagnostic; a pass that
// leaves broken IR ends the process like a failed XT_CHECK (kExitCompilerBug).
Result<void> runPasses(Module &module, std::span<const PassInfo *const> passes, const PassOptions &options,
                       Diagnostics &diagnostics);

} // namespace xt
