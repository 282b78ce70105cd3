// Runs programs from text on the interpreter under any schedule, and keeps the output of prints.
#pragma once
#include "ir/interp/interpreter.h"
#include "lang/lower/lower.h"
#include "passes/pass_manager.h"
#include "passes/passes.h"
#include "targets/run/test_runner.h"

#include <gtest/gtest.h>

namespace xt {

class InterpExecutableUnderTest final : public Executable {
public:
  explicit InterpExecutableUnderTest(InterpOptions options) : options_(std::move(options)) {}
  Result<void> launch(const Kernel &kernel, const std::vector<LaunchArg> &args, const std::vector<GridRange> &grid) override {
    return interpret(kernel, args, grid, options_);
  }

private:
  InterpOptions options_;
};

class InterpProgram {
public:
  explicit InterpProgram(std::string text, const std::string &name = "test.xt") {
    uint32_t file = sources.add(name, std::move(text));
    auto lowered = lowerFile(sources, file, context, {}, diagnostics);
    EXPECT_TRUE(lowered.ok()) << messages();
    if (!lowered) return;
    module = std::move(*lowered);
    const PassInfo *passes[] = {findPass("infer-layouts")};
    EXPECT_TRUE(runPasses(*module, passes, {}, diagnostics).ok()) << messages();
  }
  std::string messages() const { return renderText(diagnostics, sources, false); }

  // Runs a test and appends the output of the first of its two rounds to `printed`.
  TestReport run(const HostTest &test, InterpOptions interp = {}) {
    bool may = false;
    interp.print = [&](std::string_view text) {
      if (may) printed += text;
    };
    InterpExecutableUnderTest executable(interp);
    RunOptions options;
    options.budget = &budget;
    options.mayPrint = [&](bool first) { may = first; };
    printed.clear();
    return runTest(test, {{"interp", module.get(), &executable, true}}, options, diagnostics);
  }

  SourceManager sources;
  Diagnostics diagnostics;
  Context context;
  std::unique_ptr<Module> module;
  MemoryBudget budget{int64_t{1} << 30};
  std::string printed;
};

} // namespace xt
