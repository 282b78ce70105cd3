#include "targets/cpu/kernel_module.h"

#include "ir/base/text.h"
#include "targets/llvm/machine.h"

namespace xt {
namespace {

bool nestsDeeper(const Block &block, int levels) {
  for (Op &op : block)
    for (size_t r = 0; r < op.regionCount(); ++r)
      if (levels == 0 || nestsDeeper(*op.region(r), levels - 1)) return true;
  return false;
}

void reportScratch(const Kernel &kernel, const BufferAssignment &buffers, Diagnostics &diagnostics) {
  auto mib = [](int64_t bytes) { return bytes >> 20; };
  Diagnostic &diagnostic =
      diagnostics.report(DiagCode::ScratchTooLarge, kernel.nameRange,
                         str("the vectors of `@", kernel.name, "` need ", mib(buffers.scratchBytes()),
                             " MiB of memory per thread; the limit is ", mib(kMaxScratchBytes), " MiB"));
  for (const BufferAssignment::Entry &entry : buffers.largest(4))
    diagnostic.at(entry.value->range(),
                  str(shapedText(entry.value->type()), ", ", mib(entry.buffer->shape.bytes()), " MiB"));
}

} // namespace

Result<EmittedModule> emitKernels(const Module &module, const CpuInfo &cpu, llvm::LLVMContext &context,
                                  Diagnostics &diagnostics) {
  EmittedModule result;
  result.module = std::make_unique<llvm::Module>("xt", context);
  result.module->setTargetTriple(llvm::Triple(cpu.triple));
  bool failed = false;
  for (const auto &kernel : module.kernels) {
    if (nestsDeeper(kernel->body, kMaxRegionDepth))
      return Error::environment(
          str("kernel `@", kernel->name, "` nests loops and branches more than ", kMaxRegionDepth, " deep"));
    FusionPlan fusion = planFusion(*kernel);
    BufferAssignment buffers = assignBuffers(*kernel, fusion);
    if (buffers.scratchBytes() > kMaxScratchBytes - std::min(kMaxScratchBytes, slmBytes(*kernel))) {
      reportScratch(*kernel, buffers, diagnostics);
      failed = true;
      continue;
    }
    KernelCode code;
    code.name = kernel->name;
    code.symbol = kernelSymbol(*kernel);
    code.frameWords = frameWords(*kernel);
    code.output = KernelEmitter(*result.module, *kernel, cpu, fusion, buffers).emit();
    code.subgroups = kernel->subgroups;
    code.slmBytes = slmBytes(*kernel);
    code.scratchBytes = buffers.scratchBytes() + (code.output.usesFibers ? kFiberHeader : code.slmBytes);
    result.kernels.push_back(std::move(code));
  }
  if (failed) return Error::diagnosed();
#ifndef NDEBUG
  if (Result<void> valid = verifyLlvm(*result.module); !valid) return valid.error();
#endif
  return result;
}

} // namespace xt
