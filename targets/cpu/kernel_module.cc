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

const Op *notEmitted(const Kernel &kernel) {
  const Op *found = nullptr;
  walk(const_cast<Block &>(kernel.body), [&](Op &op) {
    TypeRule rule = op.info().typeRule;
    bool known = rule < TypeRule::AtomicRmw || rule == TypeRule::For || rule == TypeRule::If || rule == TypeRule::Yield;
    if (!known && !found) found = &op;
  });
  return found;
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
    if (const Op *op = notEmitted(*kernel))
      return Error::environment(str("`", op->info().name, "` is not on the cpu target yet"), op->range());
    FusionPlan fusion = planFusion(*kernel);
    BufferAssignment buffers = assignBuffers(*kernel, fusion);
    if (buffers.scratchBytes() > kMaxScratchBytes) {
      reportScratch(*kernel, buffers, diagnostics);
      failed = true;
      continue;
    }
    std::vector<Failure> failures = KernelEmitter(*result.module, *kernel, cpu, fusion, buffers).emit();
    result.kernels.push_back(
        {kernel->name, kernelSymbol(*kernel), frameWords(*kernel), buffers.scratchBytes(), std::move(failures)});
  }
  if (failed) return Error::diagnosed();
#ifndef NDEBUG
  if (Result<void> valid = verifyLlvm(*result.module); !valid) return valid.error();
#endif
  return result;
}

} // namespace xt
