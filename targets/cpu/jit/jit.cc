#include "targets/cpu/jit/jit.h"

#include "targets/cpu/jit/code_units.h"
#include "targets/cpu/jit/runtime_symbols.h"
#include "targets/llvm/machine.h"

#include <map>

namespace xt {
namespace {

Result<std::shared_ptr<const LoadedCode>> load(const std::string &object) {
  auto code = std::make_shared<LoadedCode>();
  code->frameBytes = largestFrame(object);
  auto linked = LinkedObject::link(object, runtimeSymbols());
  if (!linked) return linked.error();
  code->object = std::move(*linked);
  Result<void *> address = code->object->find(kUnitSymbol);
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

// Code that this process has already loaded is not compiled again.
Result<std::unique_ptr<Jit>> Jit::compile(EmittedModule emitted, const CpuInfo &cpu, const ObjectCache &cache, bool optimise,
                                          ThreadPool &pool) {
  Result<std::vector<CodeUnit>> units = codeUnits(emitted, cpu, optimise);
  if (!units) return units.error();
  CodeLibrary &library = CodeLibrary::ofProcess();
  std::map<std::string_view, std::shared_ptr<const LoadedCode>> loaded; // by key
  std::vector<const CodeUnit *> missing;
  for (const CodeUnit &unit : *units) {
    auto [place, isNew] = loaded.try_emplace(unit.key, nullptr);
    if (isNew && !(place->second = library.find(unit.key))) missing.push_back(&unit);
  }
  Result<std::vector<std::string>> objects = objectsOf(missing, cpu, cache, pool);
  if (!objects) return objects.error();
  for (size_t i = 0; i < missing.size(); ++i) {
    auto code = load((*objects)[i]);
    if (!code) return code.error();
    loaded[missing[i]->key] = library.keep(missing[i]->key, std::move(*code));
  }
  std::unique_ptr<Jit> result(new Jit);
  for (size_t i = 0; i < units->size(); ++i)
    result->kernels_.push_back({std::move(emitted.kernels[i]), loaded.at((*units)[i].key)});
  return result;
}

} // namespace xt
