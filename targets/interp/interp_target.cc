#include "targets/interp/interp_target.h"

#include "ir/interp/interpreter.h"

namespace xt {

namespace {
class InterpExecutable final : public Executable {
public:
  explicit InterpExecutable(PrintSink print) : print_(std::move(print)) {}
  Result<void> launch(const Kernel &kernel, const std::vector<LaunchArg> &args,
                      const std::vector<GridRange> &grid) override {
    return interpret(kernel, args, grid, {{}, print_});
  }

private:
  PrintSink print_;
};

class InterpTarget final : public Target {
public:
  std::string_view name() const override { return "interp"; }
  std::string_view summary() const override { return "the reference interpreter: exact and slow, runs small sizes"; }
  bool wantsSmallSizes() const override { return true; }
  std::vector<std::string_view> pipeline() const override { return {"infer-layouts"}; }
  Result<std::unique_ptr<Executable>> compile(const Module &, const CompileOptions &options, Diagnostics &) override {
    return std::unique_ptr<Executable>(std::make_unique<InterpExecutable>(options.print));
  }
};
} // namespace

Target &interpTarget() {
  static InterpTarget target;
  return target;
}

} // namespace xt
