#include "targets/cpu/jit/code_units.h"

#include "ir/base/check.h"
#include "ir/base/crash.h"
#include "ir/base/text.h"
#include "targets/llvm/machine.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>
#include <functional>

namespace xt {
namespace {

using Machine = std::unique_ptr<llvm::TargetMachine>;

Result<Machine> machineFor(const CpuInfo &cpu, bool optimise) {
  Result<Machine> machine = makeTargetMachine(cpu.triple, cpu.name, cpu.features,
                                              optimise ? llvm::CodeGenOptLevel::Less : llvm::CodeGenOptLevel::None);
  if (machine) (*machine)->Options.EmitStackSizeSection = true;
  return machine;
}

Result<std::string> compile(const CodeUnit &unit, const CpuInfo &cpu) {
  llvm::LLVMContext context;
  context.setDiscardValueNames(true);
  auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(unit.bitcode, "unit"), context);
  if (!module) return internalError(str("LLVM does not read its own bitcode: ", llvm::toString(module.takeError())));
  Result<Machine> machine = machineFor(cpu, unit.optimise);
  if (!machine) return machine.error();
  return generateCode(**module, **machine, llvm::CodeGenFileType::ObjectFile);
}

// Moves a function, which must use no variables, into a module that otherwise only declares the functions it calls.
std::unique_ptr<llvm::Module> alone(llvm::Function &function) {
  auto module = std::make_unique<llvm::Module>(kUnitSymbol, function.getContext());
  module->setTargetTriple(function.getParent()->getTargetTriple());
  function.removeFromParent();
  module->getFunctionList().push_back(&function);
  function.setName(kUnitSymbol);
  for (llvm::BasicBlock &block : function)
    for (llvm::Instruction &instruction : block)
      for (llvm::Use &use : instruction.operands()) {
        XT_CHECK(!llvm::isa<llvm::GlobalVariable>(use.get()), "variables belong to one module");
        if (auto *callee = llvm::dyn_cast<llvm::Function>(use.get()))
          use.set(
              module->getOrInsertFunction(callee->getName(), callee->getFunctionType(), callee->getAttributes()).getCallee());
      }
  return module;
}

} // namespace

Result<std::vector<CodeUnit>> codeUnits(EmittedModule &emitted, const CpuInfo &cpu, bool optimise) {
  Result<Machine> machine = machineFor(cpu, optimise);
  if (!machine) return machine.error();
  std::vector<CodeUnit> units;
  for (const KernelCode &kernel : emitted.kernels) {
    auto module = alone(*emitted.module->getFunction(kernel.symbol));
    CodeUnit &unit = units.emplace_back();
    unit.optimise = optimise;
    unit.bitcode = moduleBitcode(*module);
    unit.key = objectKey(unit.bitcode, **machine);
  }
  return units;
}

// The largest units are compiled first, because they take longest.
Result<std::vector<std::string>> objectsOf(const std::vector<const CodeUnit *> &units, const CpuInfo &cpu,
                                           const ObjectCache &cache, ThreadPool &pool) {
  std::vector<std::string> objects(units.size());
  std::vector<size_t> missing;
  for (size_t i = 0; i < units.size(); ++i) {
    if (std::optional<std::string> kept = cache.find(units[i]->key))
      objects[i] = std::move(*kept);
    else
      missing.push_back(i);
  }
  std::ranges::stable_sort(missing, std::ranges::greater(), [&](size_t i) { return units[i]->bitcode.size(); });
  std::vector<Result<std::string>> made(missing.size(), Result<std::string>(std::string()));
  pool.run(std::ssize(missing), [&](int64_t begin, int64_t end, int) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) made[i] = compile(*units[missing[i]], cpu);
  });
  for (size_t i = 0; i < missing.size(); ++i) {
    if (!made[i]) return made[i].error();
    objects[missing[i]] = std::move(*made[i]);
    cache.keep(units[missing[i]]->key, objects[missing[i]]);
  }
  return objects;
}

} // namespace xt
