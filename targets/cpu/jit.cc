#include "targets/cpu/jit.h"

#include "targets/cpu/code_units.h"
#include "targets/cpu/outlined_loops.h"
#include "targets/cpu/runtime_symbols.h"
#include "targets/llvm/machine.h"

#include <algorithm>

namespace xt {
namespace {

using Kind = CodeUnit::Kind;

Result<LoadedLoop> loadLoop(const std::string &object) {
  auto code = LinkedObject::link(object, runtimeSymbols());
  if (!code) return code.error();
  Result<void *> address = (*code)->find(kLoopSymbol);
  if (!address) return address.error();
  return LoadedLoop{std::move(*code), *address, largestFrame(object)};
}

} // namespace

const Jit::LoadedKernel *Jit::find(std::string_view kernelName) const {
  for (const LoadedKernel &kernel : kernels_)
    if (kernel.code.name == kernelName) return &kernel;
  return nullptr;
}

Result<std::unique_ptr<Jit>> Jit::compile(const Module &module, const CpuInfo &cpu, const ObjectCache &cache, bool optimise, ThreadPool &pool,
                                          Diagnostics &diagnostics) {
  llvm::LLVMContext context;
  context.setDiscardValueNames(true);
  Result<EmittedModule> emitted = emitKernels(module, cpu, context, diagnostics);
  if (!emitted) return emitted.error();
  Result<std::vector<CodeUnit>> units = codeUnits(*emitted, cpu, optimise);
  if (!units) return units.error();
  std::unique_ptr<Jit> result(new Jit);
  if (Result<void> loaded = result->load(*units, cpu, cache, pool); !loaded) return loaded.error();
  for (KernelCode &code : emitted->kernels) {
    const LinkedObject &object = code.outlines ? *result->callers_ : *result->others_;
    Result<void *> address = object.find(code.symbol);
    if (!address) return address.error();
    result->kernels_.push_back({std::move(code), reinterpret_cast<KernelFunction>(*address)});
  }
  return result;
}

// Loops that this process has are not compiled again.
Result<void> Jit::load(const std::vector<CodeUnit> &units, const CpuInfo &cpu, const ObjectCache &cache, ThreadPool &pool) {
  LoopLibrary &library = LoopLibrary::ofProcess();
  std::vector<ExternalSymbol> symbols = runtimeSymbols();
  size_t loopFrame = 0;
  auto use = [&](const CodeUnit &unit, std::shared_ptr<const LoadedLoop> loop) {
    symbols.push_back({unit.symbol, loop->address});
    loopFrame = std::max(loopFrame, loop->frameBytes);
    loops_.push_back(std::move(loop));
  };
  std::vector<const CodeUnit *> missing;
  for (const CodeUnit &unit : units) {
    std::shared_ptr<const LoadedLoop> loop = unit.kind == Kind::Loop ? library.find(unit.key) : nullptr;
    if (loop) use(unit, std::move(loop));
    else missing.push_back(&unit);
  }
  Result<std::vector<std::string>> objects = objectsOf(missing, cpu, cache, pool);
  if (!objects) return objects.error();
  for (size_t i = 0; i < missing.size(); ++i) { // loops come before what calls them
    const std::string &object = (*objects)[i];
    if (missing[i]->kind == Kind::Loop) {
      Result<LoadedLoop> loop = loadLoop(object);
      if (!loop) return loop.error();
      use(*missing[i], library.keep(missing[i]->key, std::move(*loop)));
      continue;
    }
    auto linked = LinkedObject::link(object, symbols);
    if (!linked) return linked.error();
    frameBytes_ = std::max(frameBytes_, largestFrame(object));
    (missing[i]->kind == Kind::Callers ? callers_ : others_) = std::move(*linked);
  }
  frameBytes_ += loopFrame;
  return {};
}

} // namespace xt
