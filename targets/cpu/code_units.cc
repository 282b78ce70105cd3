#include "targets/cpu/code_units.h"

#include "ir/base/text.h"
#include "targets/cpu/outlined_loops.h"
#include "targets/llvm/machine.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>
#include <functional>
#include <set>

namespace xt {
namespace {

using Machine = std::unique_ptr<llvm::TargetMachine>;

Result<Machine> machineFor(const CpuInfo &cpu, llvm::CodeGenOptLevel level) {
  Result<Machine> machine = makeTargetMachine(cpu.triple, cpu.name, cpu.features, level);
  if (machine) (*machine)->Options.EmitStackSizeSection = true;
  return machine;
}

Result<std::string> compile(const CodeUnit &unit, const CpuInfo &cpu) {
  llvm::LLVMContext context;
  context.setDiscardValueNames(true);
  auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(unit.bitcode, "unit"), context);
  if (!module) return Error::environment(str("compiler bug: LLVM does not read its own bitcode: ", llvm::toString(module.takeError())));
  Result<Machine> machine = machineFor(cpu, unit.level);
  if (!machine) return machine.error();
  return generateCode(**module, **machine, llvm::CodeGenFileType::ObjectFile);
}

class UnitMaker {
public:
  UnitMaker(EmittedModule &emitted, const CpuInfo &cpu, llvm::CodeGenOptLevel level) : emitted_(emitted), module_(*emitted.module), cpu_(cpu), level_(level) {}

  Result<std::vector<CodeUnit>> make() {
    for (llvm::Function *loop : emitted_.loops)
      if (Result<void> taken = takeLoop(*loop); !taken) return taken.error();
    for (const KernelCode &code : emitted_.kernels) {
      auto own = emptyModule(code.symbol);
      moveFunction(*module_.getFunction(code.symbol), *own);
      Result<CodeUnit> unit = unitOf(*own, code.outlines ? llvm::CodeGenOptLevel::None : level_);
      if (!unit) return unit.error();
      unit->symbol = unit->entry = code.symbol;
      units_.push_back(std::move(*unit));
    }
    return std::move(units_);
  }

private:
  std::unique_ptr<llvm::Module> emptyModule(llvm::StringRef name) {
    auto module = std::make_unique<llvm::Module>(name, module_.getContext());
    module->setTargetTriple(module_.getTargetTriple());
    return module;
  }

  Result<CodeUnit> unitOf(const llvm::Module &module, llvm::CodeGenOptLevel level) {
    Machine &machine = machines_[static_cast<size_t>(level)];
    if (!machine) {
      Result<Machine> made = machineFor(cpu_, level);
      if (!made) return made.error();
      machine = std::move(*made);
    }
    CodeUnit unit{};
    unit.level = level;
    unit.bitcode = moduleBitcode(module);
    unit.key = objectKey(unit.bitcode, *machine);
    for (const llvm::Function &function : module)
      if (loops_.contains(function.getName().str())) unit.calls.push_back(function.getName().str());
    return unit;
  }

  Result<void> takeLoop(llvm::Function &loop) {
    auto own = emptyModule(kLoopSymbol);
    llvm::Function *declared = moveFunction(loop, *own);
    loop.setName(kLoopSymbol); // whatever kernel it is of
    Result<CodeUnit> unit = unitOf(*own, level_);
    if (!unit) return unit.error();
    unit->isLoop = true;
    unit->entry = kLoopSymbol;
    unit->symbol = str(kLoopSymbol, "_", unit->key);
    if (llvm::Function *same = module_.getFunction(unit->symbol)) {
      declared->replaceAllUsesWith(same);
      declared->eraseFromParent();
      return {};
    }
    declared->setName(unit->symbol);
    loops_.insert(unit->symbol);
    units_.push_back(std::move(*unit));
    return {};
  }

  EmittedModule &emitted_;
  llvm::Module &module_;
  const CpuInfo &cpu_;
  const llvm::CodeGenOptLevel level_;
  Machine machines_[static_cast<size_t>(llvm::CodeGenOptLevel::Aggressive) + 1];
  std::vector<CodeUnit> units_;
  std::set<std::string> loops_; // their symbols
};

} // namespace

Result<std::vector<CodeUnit>> codeUnits(EmittedModule &emitted, const CpuInfo &cpu, bool optimise) {
  return UnitMaker(emitted, cpu, optimise ? llvm::CodeGenOptLevel::Less : llvm::CodeGenOptLevel::None).make();
}

// What is compiled: the largest first, as they take longest.
Result<std::vector<std::string>> objectsOf(const std::vector<const CodeUnit *> &units, const CpuInfo &cpu, const ObjectCache &cache, ThreadPool &pool) {
  std::vector<std::string> objects(units.size());
  std::vector<size_t> missing;
  for (size_t i = 0; i < units.size(); ++i) {
    if (std::optional<std::string> kept = cache.find(units[i]->key)) objects[i] = std::move(*kept);
    else missing.push_back(i);
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
