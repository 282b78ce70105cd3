#include "tests/bench/xe/ours.h"

#include "ir/verify/target_limits.h"
#include "lang/lower/lower.h"
#include "passes/pass_manager.h"
#include "passes/pipelines.h"
#include "targets/xe/emit/emit.h"
#include "targets/xe/isa/offline_compiler.h"
#include "tests/targets/xe/isa/shim.h"

namespace xt::bench {

Result<IsaReport> ourCode(const std::string &text, SpirvExtensions extensions) {
  const TargetInfo &target = *findTargetInfo("xe-pvc");
  SourceManager sources;
  Diagnostics diagnostics;
  Context context;
  auto refused = [&] { return Error::environment("xtc refuses it: " + renderText(diagnostics, sources, false)); };
  auto module = lowerFile(sources, sources.add("kernel.xt", text), context, {}, diagnostics);
  if (!module.ok()) return refused();
  auto &kernels = (*module)->kernels;
  if (kernels.empty()) return Error::environment("the text has no kernel");
  kernels.erase(kernels.begin() + 1, kernels.end());
  (*module)->tests.clear(); // they launch the other kernels, too
  PassOptions options;
  options.target = &target;
  if (Result<void> ran = runPasses(**module, passesOf(kLanePipeline), options, diagnostics); !ran.ok()) return refused();
  if (!checkTargetLimits(**module, target, sources, diagnostics).ok()) return refused();
  XeEmitOptions emitOptions;
  emitOptions.extensions = extensions;
  emitOptions.definitions = test::deviceShim();
  Result<GpuCode> program = compileToSpirv(**module, target, emitOptions, diagnostics);
  if (!program.ok()) return program.error();
  Result<std::vector<std::string>> listings = compileOffline(*program, target.name);
  if (!listings.ok()) return listings.error();
  return readIsa((*listings)[0]);
}

const IsaLoop *innerLoop(const IsaReport &report) {
  const IsaLoop *found = nullptr;
  auto weight = [](const IsaLoop &loop) { return std::pair(loop.products, loop.instructions); };
  for (const IsaLoop &loop : report.loops)
    if (loop.innermost && (!found || weight(*found) < weight(loop))) found = &loop;
  return found;
}

} // namespace xt::bench
