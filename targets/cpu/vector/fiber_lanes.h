// Exchange between the lanes of a subgroup: each lane passes its value to the host, and reads the values of other lanes after
// all lanes have done so.
#pragma once
#include "targets/cpu/vector/kernel_context.h"

namespace xt {

class KernelEmitter;

class FiberLanes {
public:
  FiberLanes(KernelEmitter &emitter, KernelContext &context) : k_(emitter), c_(context), b(context.b), ops_(context.ops) {}

  void emitShuffle(const Op &op);
  void emitSubgroupReduce(const Op &op);

private:
  void giveToLanes(const Op &op);
  LlvmValue *givenBy(LlvmValue *lane);

  KernelEmitter &k_;
  KernelContext &c_;
  llvm::IRBuilder<> &b;
  RegisterOps &ops_;
};

} // namespace xt
