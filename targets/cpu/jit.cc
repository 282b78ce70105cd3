#include "targets/cpu/jit.h"

#include "ir/base/text.h"
#include "targets/llvm/machine.h"

#include <llvm/ExecutionEngine/Orc/AbsoluteSymbols.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/MemoryBuffer.h>

#include <cmath>
#include <cstring>

namespace xt {
namespace {

namespace orc = llvm::orc;

struct RuntimeSymbol {
  const char *name;
  void *address;
};

template <class R, class... Args> void *addressOf(R (*function)(Args...)) { return reinterpret_cast<void *>(function); }

// Everything outside itself that generated code may call: functions of elementwise ops, and what LLVM calls where a
// processor lacks an instruction (rounding before SSE4.1, fma before FMA3).
std::vector<RuntimeSymbol> runtimeSymbols() {
#define XT_MATH1(name)                                                                                                 \
  {#name, addressOf<double, double>(&::name)}, { #name "f", addressOf < float, float>(&::name##f) }
#define XT_MATH2(name)                                                                                                 \
  {#name, addressOf<double, double, double>(&::name)}, { #name "f", addressOf < float, float, float>(&::name##f) }
  return {XT_MATH1(exp),
          XT_MATH1(exp2),
          XT_MATH1(log),
          XT_MATH1(log2),
          XT_MATH1(tanh),
          XT_MATH1(erf),
          XT_MATH1(sin),
          XT_MATH1(cos),
          XT_MATH1(expm1),
          XT_MATH1(log10),
          XT_MATH1(log1p),
          XT_MATH1(sinh),
          XT_MATH1(atan),
          XT_MATH1(round),
          XT_MATH1(roundeven),
          XT_MATH1(trunc),
          XT_MATH2(pow),
          XT_MATH1(floor),
          XT_MATH1(ceil),
          XT_MATH2(fmod),
          {"fma", addressOf<double, double, double, double>(&::fma)},
          {"fmaf", addressOf<float, float, float, float>(&::fmaf)},
          {kPrintSymbol, addressOf<void, void *, int64_t, int64_t, int64_t, const void *>(&::xt_print)},
          {kAssertSymbol, addressOf<void, void *, int64_t, int64_t, int64_t>(&::xt_assert_failed)},
          {kBarrierSymbol, addressOf<void, void *, int64_t>(&::xt_barrier)},
          {kNamedAllocSymbol, addressOf<void, void *, int64_t>(&::xt_nbarrier_alloc)},
          {kNamedCountSymbol, addressOf<int64_t, void *>(&::xt_nbarrier_count)},
          {kNamedArriveSymbol, addressOf<void, void *, int64_t, int64_t, int64_t, int64_t>(&::xt_nbarrier_arrive)},
          {kNamedWaitSymbol, addressOf<void, void *, int64_t, int64_t>(&::xt_nbarrier_wait)},
          {kLaneMeetSymbol, addressOf<void, void *, int64_t>(&::xt_lane_meet)},
          {kLaneExchangeSymbol, addressOf<void, void *, int64_t, const void *, int64_t>(&::xt_lane_exchange)},
          {kLaneGivenSymbol, addressOf<const void *, void *, int64_t>(&::xt_lane_given)},
          {kPanelTakeSymbol, addressOf<void *, void *, const void *, int64_t, int64_t, int64_t *>(&::xt_panel_take)},
          {kPanelReadySymbol, addressOf<void, void *, void *>(&::xt_panel_ready)},
          {"memset", addressOf<void *, void *, int, size_t>(&::memset)},
          {"memcpy", addressOf<void *, void *, const void *, size_t>(&::memcpy)}};
#undef XT_MATH1
#undef XT_MATH2
}

Error failure(const char *what, llvm::Error error) {
  return Error::environment(str(what, ": ", llvm::toString(std::move(error))));
}

Result<std::string> objectOf(llvm::Module &module, llvm::TargetMachine &machine, const ObjectCache &cache) {
  std::string key = cache ? objectKey(module, machine) : "";
  if (std::optional<std::string> kept = cache.find(key)) return std::move(*kept);
  Result<std::string> made = generateCode(module, machine, llvm::CodeGenFileType::ObjectFile);
  if (made) cache.keep(key, *made);
  return made;
}

} // namespace

struct Jit::Memory {
  std::unique_ptr<orc::LLJIT> jit;
};

Jit::Jit() = default;
Jit::~Jit() = default;

const Jit::LoadedKernel *Jit::find(std::string_view kernelName) const {
  for (const LoadedKernel &kernel : kernels_)
    if (kernel.code.name == kernelName) return &kernel;
  return nullptr;
}

Result<std::unique_ptr<Jit>> Jit::compile(const Module &module, const CpuInfo &cpu, const ObjectCache &cache, bool optimise, Diagnostics &diagnostics) {
  llvm::LLVMContext context;
  context.setDiscardValueNames(true);
  Result<EmittedModule> emitted = emitKernels(module, cpu, context, diagnostics);
  if (!emitted) return emitted.error();
  auto machine = makeTargetMachine(cpu.triple, cpu.name, cpu.features, optimise ? llvm::CodeGenOptLevel::Less : llvm::CodeGenOptLevel::None);
  if (!machine) return machine.error();
  (*machine)->Options.EmitStackSizeSection = true;
  Result<std::string> object = objectOf(*emitted->module, **machine, cache);
  if (!object) return object.error();

  // The object needs no initialisers and sees only the symbols listed here.
  orc::JITTargetMachineBuilder builder((llvm::Triple(cpu.triple)));
  builder.setCPU(cpu.name);
  auto made = orc::LLJITBuilder()
                  .setJITTargetMachineBuilder(std::move(builder))
                  .setDataLayout((*machine)->createDataLayout())
                  .setLinkProcessSymbolsByDefault(false)
                  .setPlatformSetUp([](orc::LLJIT &) -> llvm::Expected<orc::JITDylibSP> { return nullptr; })
                  .create();
  if (!made) return failure("cannot start LLVM's linker", made.takeError());
  std::unique_ptr<Jit> result(new Jit);
  result->frameBytes_ = largestFrame(*object);
  result->memory_ = std::make_unique<Memory>(Memory{std::move(*made)});
  orc::LLJIT &jit = *result->memory_->jit;
  orc::SymbolMap symbols;
  for (const RuntimeSymbol &symbol : runtimeSymbols())
    symbols[jit.mangleAndIntern(symbol.name)] = {orc::ExecutorAddr::fromPtr(symbol.address),
                                                 llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  if (llvm::Error error = jit.getMainJITDylib().define(orc::absoluteSymbols(std::move(symbols))))
    return failure("cannot define the runtime's symbols", std::move(error));
  if (llvm::Error error = jit.addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(*object)))
    return failure("cannot load the compiled kernels", std::move(error));
  for (KernelCode &code : emitted->kernels) {
    auto address = jit.lookup(code.symbol);
    if (!address) return failure("cannot link the compiled kernels", address.takeError());
    result->kernels_.push_back({std::move(code), address->toPtr<KernelFunction>()});
  }
  return result;
}

} // namespace xt
