// Scatter tiles and descriptors, whose elements have their own offsets, and atomics.
#pragma once
#include "targets/llvm/lane/memory.h"

namespace xt {

class LaneGathers : LanePart {
public:
  using LanePart::LanePart;
  void initScatter(const Op &op);
  void moveScatter(const Op &op);
  void emitGather(const Op &op);
  void emitScatter(const Op &op);
  void emitAtomic(const Op &op);

private:
  LaneElement scatterElement(const Value *tile, size_t k, LlvmValue *mask);
  // These return the old value of the element.
  LlvmValue *updateAtomically(const Op &op, Elem elem, LlvmValue *address, LlvmValue *value);
  LlvmValue *compareAndSwap(const Op &op, Elem elem, LlvmValue *address, LlvmValue *expected, LlvmValue *value);
  // Computes the element's new value from the current one.
  using NextValue = llvm::function_ref<LlvmValue *(LlvmValue *current)>;
  LlvmValue *swapUntilDone(const Op &op, Elem elem, LlvmValue *address, NextValue next);
  llvm::SyncScope::ID scopeOf(const Op &op);
  LlvmValue *maskOf(const Op &op, size_t operand, size_t k);
};

} // namespace xt
