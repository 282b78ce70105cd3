// A kernel that is given as text, run through the CPU target's passes and launched.
#pragma once
#include "lang/lower/lower.h"
#include "passes/pass_manager.h"
#include "passes/passes.h"
#include "tests/targets/cpu/compare.h"

namespace xt {

class TextKernel {
public:
  explicit TextKernel(const std::string &text) {
    auto lowered = lowerFile(sources_, sources_.add("test.xt", text), context_, {}, diagnostics_);
    EXPECT_TRUE(lowered.ok()) << messages();
    if (!lowered.ok()) return;
    module_ = std::move(*lowered);
    std::vector<const PassInfo *> passes = passesOf(cpuTarget().pipeline());
    Result<void> ran = runPasses(*module_, passes, {}, diagnostics_);
    EXPECT_TRUE(ran.ok()) << messages();
  }
  explicit operator bool() const { return module_ != nullptr; }
  std::string messages() const { return renderText(diagnostics_, sources_, false); }
  Kernel &kernel() { return *module_->kernels[0]; }
  Module &module() { return *module_; }

  void expectAsInterpreter(const std::vector<Array *> &arrays, std::vector<GridRange> grid = {}, int threads = 1,
                           Tolerance tolerance = {}) {
    if (!module_) return;
    std::vector<LaunchArray> args;
    for (Array *array : arrays) args.push_back({array, {}});
    xt::expectAsInterpreter(*module_, kernel(), args, std::move(grid), processors(), tolerance, threads);
  }

  // The result of one launch on the host, with its prints.
  struct Outcome {
    bool ok = false;
    Error error;
    std::string printed;
    std::string line; // the source line that the error points to
  };
  Outcome launch(const std::vector<Array *> &arrays, std::vector<GridRange> grid = {}, int threads = 1) {
    Outcome outcome;
    if (!executable_ || threads != threads_) {
      CompileOptions options;
      options.threads = threads_ = threads;
      options.print = [this](std::string_view text) { printed_ += text; };
      auto made = cpuTarget().compile(*module_, options, diagnostics_);
      EXPECT_TRUE(made.ok()) << messages();
      if (!made.ok()) return outcome;
      executable_ = std::move(*made);
    }
    std::vector<LaunchArg> args;
    for (Array *array : arrays) args.push_back(array->arg());
    if (!kernel().grid.empty()) grid = *computeGrid(kernel(), args);
    printed_.clear();
    Result<void> launched = executable_->launch(kernel(), args, grid);
    outcome.ok = launched.ok();
    outcome.printed = printed_;
    if (!launched.ok()) {
      outcome.error = launched.error();
      const SourceFile &file = sources_.file(outcome.error.range.file);
      outcome.line = file.lineText(file.lineColumn(outcome.error.range.begin).line);
    }
    return outcome;
  }

private:
  SourceManager sources_;
  Diagnostics diagnostics_;
  Context context_;
  std::unique_ptr<Module> module_;
  std::unique_ptr<Executable> executable_;
  int threads_ = 0;
  std::string printed_;
};

} // namespace xt
