// Emits vector ops that move elements to other positions, as loops over single elements.
#pragma once
#include "targets/cpu/vector/kernel_context.h"

namespace xt {

class KernelEmitter;

class ElementPicker {
public:
  ElementPicker(KernelEmitter &emitter, KernelContext &context) : k_(emitter), c_(context), b(context.b), ops_(context.ops) {}

  using ElementBody = llvm::function_ref<void(LlvmValue *row, LlvmValue *column)>;
  void forEachElement(const BufferShape &shape, ElementBody body);
  void forEachRow(const BufferShape &shape, llvm::function_ref<void(LlvmValue *row)> body);
  // The buffer of an operand; if it has none, evaluates the operand into a staging buffer first.
  const Buffer &pickable(const Op &op, size_t operand);
  LlvmValue *elementAddress(const Buffer &buffer, LlvmValue *row, LlvmValue *column);
  LlvmValue *loadFrom(const Buffer &buffer, LlvmValue *row, LlvmValue *column); // loads an element, in register form
  void storeTo(const Buffer &buffer, LlvmValue *row, LlvmValue *column, LlvmValue *value);
  void emitReduction(const Op &op);
  void emitBlockBroadcast(const Op &op);
  void emitReshape(const Op &op);
  LlvmValue *emitExtract(const Op &op);
  void emitInsert(const Op &op);
  void emitExtractSlice(const Op &op);
  void emitInsertSlice(const Op &op);

private:
  struct Place { // the position of an element of a vector of any rank
    LlvmValue *inside, *row, *column;
  };
  void copyRow(LlvmValue *to, LlvmValue *from, const BufferShape &shape);
  Place placeOf(const Op &op, Type vector, size_t firstIndex);
  std::pair<LlvmValue *, LlvmValue *> placeInWhole(const Op &op, Type part, Type whole, LlvmValue *row, LlvmValue *column);

  KernelEmitter &k_;
  KernelContext &c_;
  llvm::IRBuilder<> &b;
  RegisterOps &ops_;
};

} // namespace xt
