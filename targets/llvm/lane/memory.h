// Memrefs, and access to single elements of them.
#pragma once
#include "targets/llvm/lane/lane_context.h"

namespace xt {

// An element in memory, and whether it is inside of its buffer.
struct LaneElement {
  LlvmValue *inside = nullptr, *address = nullptr;
};

class LaneMemoryOps : LanePart {
public:
  using LanePart::LanePart;
  LlvmValue *pointer(LlvmValue *address) { return b.CreateIntToPtr(address, b.getPtrTy(c.addressSpace(MemorySpace::Global))); }
  LlvmValue *loadAt(LlvmValue *address, Elem elem);
  void storeAt(LlvmValue *address, Elem elem, LlvmValue *value);
  // Returns the result of `load` if `condition` holds, otherwise `otherwise`.
  LlvmValue *guarded(LlvmValue *condition, llvm::function_ref<LlvmValue *()> load, LlvmValue *otherwise);
  void guardedDo(LlvmValue *condition, llvm::function_ref<void()> work);

  void emitDim(const Op &op);
  void castMemRef(const Op &op);
  void viewMemRef(const Op &op);
  void makeSlmVariables(const std::string &entry); // for all alloc_slm ops of the kernel
  void allocSlm(const Op &op);
  void emitLoad(const Op &op);
  void emitStore(const Op &op);

private:
  LaneElement elementOfMemRef(const Op &op, size_t memref);
};

} // namespace xt
