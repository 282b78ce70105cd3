// What the parts of a fused loop share: the values that it evaluates, where it writes them, and where registers of values are in
// memory.
#pragma once
#include "targets/cpu/vector/kernel_emitter.h"

#include <optional>

namespace xt {

struct LoopNode { // a value that the loop evaluates
  Value *value;
  bool computed; // otherwise it is read from its buffer
  LlvmValue *invariant = nullptr; // constants and splats
  TileAccess tile{}; // for a load
  std::optional<TileAccess> ahead = {}; // for a buffer that a load has filled: this loop prefetches for later loads
  RowAccess row{}; // for `tile` or `ahead`
  LlvmValue *rowPointer = nullptr; // for a buffer
  LlvmValue *rowValue = nullptr; // one value for the whole row: an iota along the rows, or a stretched column
  LlvmValue *limit = nullptr; // for a mask: the first column that is not set, between 0 and the row's length
};

struct LoopSink { // a value that the loop writes
  Value *value;
  const Buffer *buffer; // either a buffer …
  const Value *tile; // … or a tile
  TileAccess access{};
  RowAccess row{};
  LlvmValue *rowPointer = nullptr;
  std::optional<OpKind> reduces = {};
  int64_t rowsEach = 1;
  bool mayStream = false;
};

class LoopRegisters {
public:
  explicit LoopRegisters(KernelEmitter &emitter) : e_(emitter), b(emitter.context.b) {}
  int lanes = 0; // of all registers of the loop

  LlvmValue *rowOf(const Buffer &buffer, LlvmValue *row) {
    return byteOffset(b, e_.context.bufferAddress(buffer), b.CreateMul(row, e_.context.pitchOf(buffer)));
  }
  LlvmValue *rowOf(const Value *value, LlvmValue *row); // in its buffer, or in place
  llvm::Align alignOf(Elem elem) const { // of registers in buffers
    return llvm::Align(static_cast<uint64_t>(lanes * elemInfo(elem).storageBytes));
  }
  llvm::Align alignOf(const Value *value) const; // of registers that are read

private:
  KernelEmitter &e_;
  llvm::IRBuilder<> &b;
};

} // namespace xt
