// Emits scatter tiles, atomics, and access to single elements of memory.
#pragma once
#include "targets/cpu/vector/kernel_context.h"

namespace xt {

class KernelEmitter;

class ScatterEmitter {
public:
  ScatterEmitter(KernelEmitter &emitter, KernelContext &context) : k_(emitter), c_(context), b(context.b), ops_(context.ops) {}

  Parts initScatterTile(const Op &op);
  Parts moveScatterTile(const Op &op);
  void emitGather(const Op &op);
  void emitScatter(const Op &op);
  void emitAtomic(const Op &op);
  Parts castMemRef(const Op &op);
  Parts viewMemRef(const Op &op);
  Parts slmBuffer(const Op &op);
  LlvmValue *loadElement(const Op &op);
  void storeElement(const Op &op);

private:
  // The address of an element of a scatter tile, block or memref, and whether the element is in bounds. If it is not, the
  // address must not be accessed.
  struct ScatterAccess {
    LlvmValue *inside, *address;
  };
  // Elements [column, column + lanes()) of a row that are adjacent in memory, in bounds and not excluded by the mask.
  struct Run {
    LlvmValue *row, *column;
    LlvmValue *address; // in memory
  };
  using RunBody = llvm::function_ref<void(const Run &run)>;
  using ElementBody = llvm::function_ref<void(LlvmValue *row, LlvmValue *column)>;
  int lanes() const { return c_.cpu.vectorBytes / 8; } // number of offsets in a register
  void forEachRun(const Value *tile, const Buffer &offsets, const Buffer &mask, RunBody run, ElementBody element);
  LlvmValue *isRun(const Value *tile, const Buffer &offsets, const Buffer &mask, Run &run);
  ScatterAccess scatterAccess(const Value *tile, const Buffer &offsets, LlvmValue *row, LlvmValue *column);
  LlvmValue *updateAtomically(std::string_view kind, Elem elem, LlvmValue *address, LlvmValue *value);
  LlvmValue *compareAndSwap(Elem elem, LlvmValue *address, LlvmValue *expected, LlvmValue *value);
  ScatterAccess elementOfMemRef(const Op &op, size_t memref);

  KernelEmitter &k_;
  KernelContext &c_;
  llvm::IRBuilder<> &b;
  RegisterOps &ops_;
};

} // namespace xt
