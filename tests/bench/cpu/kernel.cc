#include "tests/bench/cpu/kernel.h"

#include "ir/base/text.h"
#include "lang/lower/disk.h"
#include "lang/lower/lower.h"
#include "passes/pass_manager.h"
#include "passes/passes.h"
#include "targets/cpu/cpu_target.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace xt::bench {
namespace {

// The objects that a launch needs. They live as long as the side's function.
struct Compiled {
  SourceManager sources;
  Diagnostics diagnostics;
  Context context;
  std::unique_ptr<Module> module;
  std::unique_ptr<Executable> executable;
};

Result<void> makeCode(Compiled &c, int threads) {
  CompileOptions options;
  options.threads = threads;
  Result<CpuInfo> cpu = ourProcessor();
  if (!cpu.ok()) return cpu.error();
  if (!hostCanRun(*cpu)) return Error::environment(str("this machine cannot run code for ", cpu->name));
  auto compiled = compileForCpu(*c.module, *cpu, options, c.diagnostics);
  if (!compiled.ok()) return compiled.error();
  c.executable = std::move(*compiled);
  return {};
}

// Does everything up to code generation. If this fails, returns null and appends the reason to `why`.
std::shared_ptr<Compiled> lower(const KernelText &kernel, std::string &why) {
  auto c = std::make_shared<Compiled>();
  LowerOptions options;
  options.defines = kernel.defines;
  options.imports = importsFromDisk();
  auto lowered = lowerFile(c->sources, c->sources.add(kernel.file, kernel.text), c->context, options, c->diagnostics);
  if (lowered.ok()) {
    c->module = std::move(*lowered);
    if (runPasses(*c->module, passesOf(cpuTarget().pipeline()), {}, c->diagnostics).ok()) return c;
  }
  why += "xt: " + renderText(c->diagnostics, c->sources, false) + "\n";
  return nullptr;
}

[[noreturn]] void giveUp(const std::string &message) {
  std::fprintf(stderr, "xt: %s\n", message.c_str());
  std::exit(1);
}

} // namespace

const char *otherProcessor() { return std::getenv("XT_BENCH_PROCESSOR"); }

Result<CpuInfo> ourProcessor() { return cpuInfo(otherProcessor() ? otherProcessor() : "host"); }

LaunchArg argument(const Matrix &matrix, std::vector<int64_t> sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t d = sizes.size() - 1; d-- > 0;) strides[d] = strides[d + 1] * sizes[d + 1];
  LaunchArg arg;
  arg.kind = LaunchArg::Kind::Buffer;
  arg.buffer = {matrix.data.get(), matrix.elem, std::move(sizes), std::move(strides)};
  return arg;
}

LaunchArg argument(const Matrix &matrix) { return argument(matrix, {matrix.rows, matrix.columns}); }

LaunchArg argument(double number) {
  LaunchArg arg;
  arg.kind = LaunchArg::Kind::Float;
  arg.number = number;
  return arg;
}

std::function<void()> launchOf(const KernelText &text, const std::vector<LaunchArg> &args, int threads, std::string &why) {
  auto c = lower(text, why);
  if (!c) return {};
  if (Result<void> made = makeCode(*c, threads); !made.ok()) {
    why += str("xt: ", made.error().message, "\n");
    return {};
  }
  const auto &kernels = c->module->kernels;
  auto found = std::find_if(kernels.begin(), kernels.end(), [&](const auto &kernel) { return kernel->name == text.kernel; });
  if (found == kernels.end()) {
    why += str("xt: ", text.file, " has no kernel `@", text.kernel, "`\n");
    return {};
  }
  Result<std::vector<GridRange>> grid = computeGrid(**found, args);
  if (!grid.ok()) {
    why += str("xt: ", grid.error().message, "\n");
    return {};
  }
  return [c, args, kernel = found->get(), grid = std::move(*grid)] {
    if (Result<void> launched = c->executable->launch(*kernel, args, grid); !launched.ok()) giveUp(launched.error().message);
  };
}

std::vector<double> secondsOfCompiling(const std::vector<KernelText> &kernels, std::string &why) {
  std::vector<double> seconds;
  for (const KernelText &text : kernels) {
    auto c = lower(text, why);
    if (!c) return {};
    std::clock_t start = std::clock(); // CPU time of this process
    if (Result<void> made = makeCode(*c, 1); !made.ok()) {
      why += str("xt: ", made.error().message, "\n");
      return {};
    }
    seconds.push_back(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return seconds;
}

} // namespace xt::bench
