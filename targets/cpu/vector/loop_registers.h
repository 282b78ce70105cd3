// Addresses and alignments of the memory from which a fused loop reads its values and to which it writes them, a register at a
// time.
#pragma once
#include "targets/cpu/vector/kernel_emitter.h"

namespace xt {

class LoopRegisters {
public:
  explicit LoopRegisters(KernelEmitter &emitter) : e_(emitter), b(emitter.context.b) {}
  int lanes() const { return lanes_; } // lanes of all registers of the loop
  void setLanes(int lanes) { lanes_ = lanes; }

  LlvmValue *rowOf(const Buffer &buffer, LlvmValue *row) {
    return byteOffset(b, e_.context.bufferAddress(buffer), b.CreateMul(row, e_.context.pitchOf(buffer)));
  }
  LlvmValue *rowOf(const Value *value, LlvmValue *row); // the address of a row, in the buffer or in place
  llvm::Align alignOf(Elem elem) const { // alignment of registers in buffers
    return llvm::Align(static_cast<uint64_t>(lanes_ * elemInfo(elem).storageBytes));
  }
  llvm::Align alignOf(const Value *value) const; // alignment of registers that are read, in the buffer or in place

private:
  KernelEmitter &e_;
  llvm::IRBuilder<> &b;
  int lanes_ = 0;
};

} // namespace xt
