#include "targets/cpu/vector/loop_registers.h"

#include "targets/cpu/analysis/vector_values.h"

namespace xt {

LlvmValue *LoopRegisters::rowOf(const Value *value, LlvmValue *row) {
  const Loads::Lines *lines = e_.loads.inPlace(value);
  if (!lines) return rowOf(*e_.context.buffers.bufferOf(value), row);
  return byteOffset(b, lines->address, b.CreateMul(row, lines->pitch));
}

llvm::Align LoopRegisters::alignOf(const Value *value) const {
  return e_.loads.inPlace(value) ? llvm::Align(1) : alignOf(bufferElem(value->type()));
}

} // namespace xt
