#include "targets/compile/compile_for.h"

#include "ir/base/text.h"
#include "ir/verify/target_limits.h"

#include "passes/pass_manager.h"
#include "passes/passes.h"
#include <algorithm>

namespace xt {

std::string hardwareName(const Target &target, const TargetInfo *hardware) {
  return std::string(hardware ? hardware->name : target.name());
}

std::string namedHardwareName(const Target &target) {
  std::optional<TargetInfo> named = target.namedHardware({});
  return hardwareName(target, named ? &*named : nullptr);
}

std::string hardwareName(Target &target, const CompileOptions &options) {
  Result<const TargetInfo *> found = target.hardwareOf(options);
  return hardwareName(target, found ? *found : nullptr);
}

std::map<std::string, std::string> dropUnsupported(Module &module, const Target &target, const TargetInfo *hardware) {
  std::map<std::string, std::string> unsupported;
  for (const auto &kernel : module.kernels)
    if (std::string why = target.whyUnsupported(*kernel, hardware); !why.empty()) unsupported[kernel->name] = why;
  auto missing = [&](const std::string &kernel) { return unsupported.contains(kernel); };
  std::erase_if(module.kernels, [&](const auto &kernel) { return missing(kernel->name); });
  std::erase_if(module.tests, [&](const HostTest &test) {
    return anyStmt(test.body,
                   [&](const HostStmt &stmt) { return stmt.kind == HostStmt::Kind::Launch && missing(stmt.kernel); });
  });
  return unsupported;
}

void dropTests(Module &module) {
  module.tests.clear();
  std::erase_if(module.kernels, [](const auto &kernel) { return kernel->name.find('$') != std::string::npos; });
}

Result<void> keepKernel(Module &module, std::string_view name) {
  module.tests.clear();
  std::erase_if(module.kernels, [&](const auto &kernel) { return kernel->name != name; });
  if (module.kernels.empty()) return Error::environment(str("@", name, " cannot be compiled again: the sources have changed"));
  return {};
}

Result<void> runPipeline(const Target &target, Module &module, const TargetInfo *hardware, Diagnostics &diagnostics,
                         std::function<bool()> stop) {
  Result<std::vector<const PassInfo *>> passes = passesNamed(passNames(target.pipeline()));
  if (!passes) return passes.error();
  PassOptions options;
  options.target = hardware;
  options.verifyEach = false;
  options.stop = std::move(stop);
  return runPasses(module, *passes, options, diagnostics);
}

Result<CompiledModule> compileFor(Target &target, std::unique_ptr<Module> module, const SourceManager &sources,
                                  const CompileOptions &options, const CompileSteps &steps, Diagnostics &diagnostics) {
  CompiledModule out;
  out.target = &target;
  out.module = std::move(module);
  Result<const TargetInfo *> found = target.hardwareOf(options);
  if (!found) return found.error();
  const TargetInfo *hardware = *found;
  out.unsupported = dropUnsupported(*out.module, target, hardware);
  if (Result<void> ran = steps.runPasses(*out.module, hardware); !ran) return ran.error();
  if (hardware)
    if (Result<void> fits = checkTargetLimits(*out.module, *hardware, sources, diagnostics); !fits) return fits.error();
  if (steps.beforeCode) steps.beforeCode(*out.module, hardwareName(target, hardware));
  std::optional<Result<std::unique_ptr<Executable>>> executable;
  steps.generateCode([&] { executable = target.compile(*out.module, options, diagnostics); });
  if (!*executable) return executable->error();
  out.executable = std::move(**executable);
  return out;
}

} // namespace xt
