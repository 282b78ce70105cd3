#include "targets/soft/program.h"

#include "ir/base/text.h"
#include "targets/llvm/guard.h"
#include "targets/llvm/machine.h"
#include "targets/soft/nvvm_calls.h"
#include "targets/soft/runtime.h"
#include "targets/soft/spirv_words.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>

namespace xt::soft {
namespace {

namespace orc = llvm::orc;

Error failure(const char *what, llvm::Error error) {
  return Error::environment(str(what, ": ", llvm::toString(std::move(error))));
}

// Modules with a function of more instructions are compiled without optimisation. The time of LLVM's register allocator grows
// faster than the size of the code: softmax with 8371 instructions took 3.9 s to compile and run, and takes 0.6 s without
// optimisation. Kernels of this size run up to 1.6 times as long without it.
constexpr size_t kLargeFunction = 1 << 12;

bool isLarge(const llvm::Module &module) {
  return std::ranges::any_of(module,
                             [](const llvm::Function &function) { return function.getInstructionCount() > kLargeFunction; });
}

// Code for this machine's processor; an fma is used only where the module has one.
//
// Unoptimised code does without AVX. Where a block broadcasts one value both to a narrow and to a wide vector, LLVM 22's
// instruction selection for x86 can recurse until the stack is full (https://github.com/llvm/llvm-project/issues/211496); only
// instructions of AVX do that. tests/targets/differential/found_floats/broadcasts.xt is a kernel of that kind. Optimised code, in
// which a block seldom loads a value twice, keeps AVX for its speed.
llvm::Expected<orc::JITTargetMachineBuilder> hostBuilder(llvm::CodeGenOptLevel level) {
  auto builder = orc::JITTargetMachineBuilder::detectHost();
  if (!builder) return builder;
  builder->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  builder->setRelocationModel(llvm::Reloc::PIC_);
  builder->setCodeGenOptLevel(level);
  builder->getOptions().EmitStackSizeSection = true;
  if (level == llvm::CodeGenOptLevel::None && builder->getTargetTriple().isX86())
    builder->getFeatures().AddFeature("avx", false);
  return builder;
}

llvm::Expected<std::unique_ptr<llvm::Module>> parse(llvm::StringRef bitcode, llvm::LLVMContext &context) {
  auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, "module"), context);
  context.setDiscardValueNames(true); // new values need no names; loops keep theirs for reports
  return module;
}

void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PassBuilder passes(&machine);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraphs;
  llvm::ModuleAnalysisManager modules;
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(callGraphs);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, callGraphs, modules);
  passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O1).run(module, modules);
}

} // namespace

const LoweredKernel *Program::find(std::string_view kernel) const {
  for (const LoweredKernel &each : lowered_.kernels)
    if (each.name == kernel) return &each;
  return nullptr;
}

Program::Entry Program::entry(const LoweredKernel &kernel) const {
  return entries_[static_cast<size_t>(&kernel - lowered_.kernels.data())];
}

Result<std::unique_ptr<Program>> Program::build(std::span<const uint8_t> spirv, const DeviceSettings &device, bool optimised) {
  Result<SpirvWords> words = readableSpirv(spirv);
  if (!words) return words.error();
  if (words->float64 && !device.target->f64)
    return Error::kernel(str("the module uses f64 (capability Float64), which ", device.target->name, " does not have"));
  for (const std::string &extension : words->extensions)
    if (std::ranges::find(device.lacks, extension) != device.lacks.end())
      return Error::kernel(
          str("the module uses the SPIR-V extension ", extension, ", which XT_SOFT_LACKS takes from the device"));
  Result<std::string> bitcode = readBack(words->words);
  if (!bitcode) return bitcode.error();
  llvm::LLVMContext context;
  auto module = parse(*bitcode, context);
  if (!module) return failure("cannot read the output of llvm-spirv-15", module.takeError());
  return build(std::move(*module), device, optimised);
}

Result<std::unique_ptr<Program>> Program::buildNvvm(std::span<const uint8_t> bitcode, const DeviceSettings &device,
                                                    bool optimised) {
  llvm::LLVMContext context;
  auto module = parse(llvm::StringRef(reinterpret_cast<const char *>(bitcode.data()), bitcode.size()), context);
  if (!module) return failure("cannot read the LLVM module", module.takeError());
  std::vector<OrderingCall> calls;
  if (device.leavesCallsOut) calls = guardOrderingCalls(**module);
  if (Result<void> known = replaceNvvm(**module, device); !known) return known.error();
  Result<std::unique_ptr<Program>> program = build(std::move(*module), device, optimised);
  if (program) (*program)->orderingCalls_ = std::move(calls);
  return program;
}

Result<std::unique_ptr<Program>> Program::build(std::unique_ptr<llvm::Module> module, const DeviceSettings &device,
                                                bool optimised) {
  initialiseLlvm();
  optimised = optimised && !isLarge(*module);
  auto builder = hostBuilder(optimised ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::None);
  if (!builder) return failure("LLVM does not support this processor", builder.takeError());
  auto machine = builder->createTargetMachine();
  if (!machine) return failure("LLVM has no back end for this processor", machine.takeError());
  module->setTargetTriple((*machine)->getTargetTriple());
  module->setDataLayout((*machine)->createDataLayout());
  std::unique_ptr<Program> program(new Program);
  Result<LoweredProgram> lowered = lowerModule(*module, device);
  if (!lowered) return lowered.error();
  program->lowered_ = std::move(*lowered);
  llvm::SmallVector<char, 0> object;
  Result<void> compiled = guardLlvm([&]() -> Result<void> {
    if (optimised) optimise(*module, **machine);
    orc::SimpleCompiler compile(**machine);
    auto buffer = compile(*module);
    if (!buffer) return failure("cannot compile the kernels", buffer.takeError());
    object.assign((*buffer)->getBufferStart(), (*buffer)->getBufferEnd());
    return {};
  });
  if (!compiled) return compiled.error();
  program->lowered_.frameBytes = largestFrame(llvm::StringRef(object.data(), object.size()));
  auto linked = LinkedObject::link(llvm::StringRef(object.data(), object.size()), runtimeSymbols());
  if (!linked) return linked.error();
  program->code_ = std::move(*linked);
  for (const LoweredKernel &kernel : program->lowered_.kernels) {
    Result<void *> address = program->code_->find(kernel.symbol);
    if (!address) return address.error();
    program->entries_.push_back(reinterpret_cast<Entry>(*address));
  }
  for (const auto &[symbol, bytes] : program->lowered_.data) {
    Result<void *> address = program->code_->find(symbol);
    if (!address) return address.error();
    program->data_.push_back({reinterpret_cast<uint64_t>(*address), bytes, MemoryKind::Device, 0});
  }
  return program;
}

} // namespace xt::soft
