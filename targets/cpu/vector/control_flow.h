// Loops and branches, and the values that they carry.
#pragma once
#include "targets/cpu/vector/kernel_context.h"

namespace xt {

class KernelEmitter;

class ControlFlow {
public:
  ControlFlow(KernelEmitter &emitter, KernelContext &context) : k_(emitter), c_(context), b(context.b) {}

  void emitFor(const Op &op);
  void emitWhile(const Op &op);
  void emitIf(const Op &op);
  LlvmValue *tripCount(LlvmValue *lower, LlvmValue *upper, LlvmValue *step);
  Parts partsOfAll(llvm::ArrayRef<Value *> values) const;
  // Copies the values that have buffers into the buffers of their destinations, as one parallel copy.
  void moveAll(llvm::ArrayRef<Value *> from, llvm::ArrayRef<Value *> to);

private:
  void setPartsOfAll(llvm::ArrayRef<Value *> values, llvm::ArrayRef<LlvmValue *> parts);
  static size_t partCount(Type type);
  static std::vector<bool> fixedParts(llvm::ArrayRef<Value *> params, llvm::ArrayRef<Value *> yielded);
  Parts carriedParts(llvm::ArrayRef<LlvmValue *> initial, const std::vector<bool> &fixed, llvm::BasicBlock *before);
  void carryOn(llvm::ArrayRef<LlvmValue *> carried, const std::vector<bool> &fixed, llvm::ArrayRef<LlvmValue *> next);

  KernelEmitter &k_;
  KernelContext &c_;
  llvm::IRBuilder<> &b;
};

} // namespace xt
