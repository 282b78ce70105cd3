#include "targets/cpu/jit.h"

#include "targets/cpu/code_units.h"
#include "targets/cpu/runtime_symbols.h"
#include "targets/llvm/machine.h"

#include <map>

namespace xt {
namespace {

// By symbol.
using Loops = std::map<std::string, std::shared_ptr<const LoadedCode>>;

Result<std::shared_ptr<const LoadedCode>> load(const CodeUnit &unit, const std::string &object, const Loops &loops) {
  auto code = std::make_shared<LoadedCode>();
  std::vector<ExternalSymbol> symbols = runtimeSymbols();
  for (const std::string &symbol : unit.calls) {
    code->calls.push_back(loops.at(symbol));
    symbols.push_back({symbol, code->calls.back()->address});
  }
  code->frameBytes = largestFrame(object);
  auto linked = LinkedObject::link(object, symbols);
  if (!linked) return linked.error();
  code->object = std::move(*linked);
  Result<void *> address = code->object->find(unit.entry);
  if (!address) return address.error();
  code->address = *address;
  return std::shared_ptr<const LoadedCode>(std::move(code));
}

} // namespace

const Jit::LoadedKernel *Jit::find(std::string_view kernelName) const {
  for (const LoadedKernel &kernel : kernels_)
    if (kernel.code.name == kernelName) return &kernel;
  return nullptr;
}

// Loops that this process has are not compiled again.
Result<std::unique_ptr<Jit>> Jit::compile(const Module &module, const CpuInfo &cpu, const ObjectCache &cache, bool optimise, ThreadPool &pool,
                                          Diagnostics &diagnostics) {
  llvm::LLVMContext context;
  context.setDiscardValueNames(true);
  Result<EmittedModule> emitted = emitKernels(module, cpu, context, diagnostics);
  if (!emitted) return emitted.error();
  Result<std::vector<CodeUnit>> units = codeUnits(*emitted, cpu, optimise);
  if (!units) return units.error();
  LoopLibrary &library = LoopLibrary::ofProcess();
  Loops loops;
  std::vector<const CodeUnit *> missing;
  for (const CodeUnit &unit : *units) {
    std::shared_ptr<const LoadedCode> loop = unit.isLoop ? library.find(unit.key) : nullptr;
    if (loop) loops[unit.symbol] = std::move(loop);
    else missing.push_back(&unit);
  }
  Result<std::vector<std::string>> objects = objectsOf(missing, cpu, cache, pool);
  if (!objects) return objects.error();
  std::unique_ptr<Jit> result(new Jit);
  auto nextKernel = emitted->kernels.begin();
  for (size_t i = 0; i < missing.size(); ++i) { // what is called stands before what calls it
    const CodeUnit &unit = *missing[i];
    auto code = load(unit, (*objects)[i], loops);
    if (!code) return code.error();
    if (unit.isLoop) loops[unit.symbol] = library.keep(unit.key, std::move(*code));
    else result->kernels_.push_back({std::move(*nextKernel++), std::move(*code)});
  }
  return result;
}

} // namespace xt
