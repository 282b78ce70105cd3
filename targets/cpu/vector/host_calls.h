// Calls from a kernel to the host process: printing, failed asserts, and waiting at a barrier.
#pragma once
#include "targets/cpu/vector/kernel_context.h"

namespace xt {

class KernelEmitter;

class HostCalls {
public:
  HostCalls(KernelEmitter &emitter, KernelContext &context) : k_(emitter), c_(context), b(context.b), ops_(context.ops) {}

  LlvmValue *barrierPlace(const Op &op);
  void allocNamedBarriers(const Op &op);
  Parts createNamedBarrier(const Op &op);
  void meetAtNamedBarrier(const Op &op);
  void emitPrintOrAssert(const Op &op);
  void emitBarrierOrFence(const Op &op);

private:
  void emitAssert(const Op &op);
  LlvmValue *speaker(const Op &op);
  LlvmValue *inWhole(const Op &op, LlvmValue *element);

  KernelEmitter &k_;
  KernelContext &c_;
  llvm::IRBuilder<> &b;
  RegisterOps &ops_;
};

} // namespace xt
