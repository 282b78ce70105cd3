#include "targets/cpu/module/kernel_module.h"

#include "ir/async_copies.h"
#include "ir/base/text.h"
#include "ir/op_kinds.h"
#include "targets/cpu/analysis/needs_fibers.h"
#include "targets/cpu/module/code_remarks.h"
#include "targets/cpu/products/product_emitter.h"
#include "targets/cpu/vector/kernel_emitter.h"
#include "targets/llvm/machine.h"

namespace xt {
namespace {

bool nestsDeeper(const Block &block, int levels) {
  for (Op &op : block)
    for (size_t r = 0; r < op.regionCount(); ++r)
      if (levels == 0 || nestsDeeper(*op.region(r), levels - 1)) return true;
  return false;
}

int64_t mib(int64_t bytes) { return (bytes + (1 << 20) - 1) >> 20; }

// The number of fibers of a workgroup, each of which has its own scratch memory; 1 if the kernel needs no fibers.
int64_t fiberCount(const Kernel &kernel) { return needsFibers(kernel) ? kernel.subgroups * kernel.lanes : 1; }

void reportScratch(const Kernel &kernel, const BufferAssignment &buffers, Diagnostics &diagnostics) {
  int64_t copies = fiberCount(kernel);
  std::string each = copies > 1 ? str(" for each of ", copies, kernel.scope == Scope::Lane ? " lanes" : " subgroups") : "";
  Diagnostic &diagnostic =
      diagnostics.report(DiagCode::ScratchTooLarge, kernel.nameRange,
                         str("the vectors of `@", kernel.name, "` need ", mib(buffers.scratchBytes()),
                             " MiB of memory per thread", each, "; the limit is ", mib(kMaxScratchBytes), " MiB"));
  for (const BufferAssignment::Entry &entry : buffers.largest(4))
    diagnostic.at(entry.value->range(), str(shapedText(entry.value->type()), ", ", mib(entry.buffer->shape.bytes()), " MiB"));
}

// The first XeGPU op that the emitter does not support; null: none.
const Op *firstBlockOp(const Block &body) {
  const Op *found = nullptr;
  walk(body, [&](const Op &op) {
    bool known = op.kind() == OpKind::Mfence || op.kind() == OpKind::CompileHint || op.kind() == OpKind::AllocNbarrier ||
                 op.kind() == OpKind::CreateNbarrier || op.info().typeRule == TypeRule::Nbarrier;
    if (!found && op.info().dialect == Dialect::XeGpu && !known) found = &op;
  });
  return found;
}

// Returns false after reporting that the kernel needs too much memory.
bool fitsMemory(const Kernel &kernel, const BufferAssignment &buffers, const SlmLayout &slm, Diagnostics &diagnostics) {
  if (!fitsHost(kernel, slm, diagnostics)) return false;
  int64_t copies = fiberCount(kernel);
  if (buffers.scratchBytes() <= (kMaxScratchBytes - slm.bytes) / copies) return true;
  reportScratch(kernel, buffers, diagnostics);
  return false;
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
    if (const Op *op = firstBlockOp(kernel->body))
      return Error::environment(
          str("`", op->info().name, "` in @", kernel->name, " is an op of Xe hardware: first run the pass xegpu-to-tiles"));
    if (const Op *op = firstAsyncOp(kernel->body))
      return Error::environment(
          str("`", op->info().name, "` in @", kernel->name, " is asynchronous: first run the pass expand-async-copies"));
    FusionPlan fusion = planFusion(*kernel);
    BufferAssignment buffers = assignBuffers(*kernel, fusion, cpu);
    SlmLayout slm = slmLayout(*kernel);
    if (!fitsMemory(*kernel, buffers, slm, diagnostics)) {
      failed = true;
      continue;
    }
    if (diagnostics.wantsRemarks()) remarkCode(*kernel, cpu, fusion, buffers, diagnostics);
    KernelCode code;
    code.name = kernel->name;
    code.symbol = kernelSymbol(*kernel);
    code.frameWords = frameWords(*kernel);
    KernelEmitter emitter(*result.module, *kernel, cpu, fusion, buffers, slm, makeProductEmitter);
    code.output = emitter.emit();
    code.fibers = fiberCount(*kernel);
    code.lanes = kernel->scope == Scope::Lane ? kernel->lanes : 0;
    code.slmBytes = slm.bytes;
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
