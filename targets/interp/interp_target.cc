#include "targets/interp/interp_target.h"

#include "ir/gpu/slm_layout.h"
#include "ir/interp/interpreter.h"
#include "ir/interp/program.h"

#include <algorithm>

namespace xt {

namespace {
class InterpExecutable final : public Executable {
public:
  explicit InterpExecutable(const CompileOptions &options) : options_(options) {}
  Result<void> launch(const Kernel &kernel, const std::vector<LaunchArg> &args, const std::vector<GridRange> &grid) override {
    InterpOptions interp;
    interp.print = options_.print;
    interp.checks = options_.checks;
    if (options_.arithmetic) interp.arithmetic = options_.arithmetic;
    Diagnostics found;
    interp.found = &found;
    interp.sources = options_.sources;
    Result<void> done = interpret(kernel, args, grid, interp);
    for (const Diagnostic &diagnostic : found.all()) addOnce(diagnostic);
    return done;
  }

private:
  // Passes a finding on unless it has been reported already: a test runs its launches twice, and both runs find it.
  void addOnce(const Diagnostic &diagnostic) {
    if (!options_.found) return;
    auto same = [&](const Diagnostic &other) {
      return other.code == diagnostic.code && other.range == diagnostic.range && other.message == diagnostic.message;
    };
    const std::vector<Diagnostic> &all = options_.found->all();
    if (std::none_of(all.begin(), all.end(), same)) options_.found->report(diagnostic.code, diagnostic.range, "") = diagnostic;
  }

  CompileOptions options_;
};

class InterpTarget final : public Target {
public:
  std::string_view name() const override { return "interp"; }
  std::string_view summary() const override { return "the reference interpreter: exact and slow, runs small sizes"; }
  bool wantsSmallSizes(DeviceChoice) const override { return true; }
  Pipeline pipeline() const override { return kFrontPipeline; }
  Result<std::unique_ptr<Executable>> compile(const Module &module, const CompileOptions &options,
                                              Diagnostics &diagnostics) override {
    for (const auto &kernel : module.kernels)
      if (!fitsHost(*kernel, slmLayout(*kernel), diagnostics) || !fitsInterpreter(*kernel, diagnostics))
        return Error::diagnosed();
    return std::unique_ptr<Executable>(std::make_unique<InterpExecutable>(options));
  }
};
} // namespace

Target &interpTarget() {
  static InterpTarget target;
  return target;
}

} // namespace xt
