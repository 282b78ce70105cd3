// Values that a fused loop computes from the position: iota, masks and broadcasts.
#pragma once
#include "targets/cpu/vector/fused_loop_parts.h"
#include "targets/cpu/vector/loop_registers.h"

namespace xt {

class GeneratedValues {
public:
  GeneratedValues(KernelEmitter &emitter, LoopRegisters &registers)
      : e_(emitter), b(emitter.context.b), registers_(registers) {}

  // To be called before the loop, for a mask.
  void setLimit(LoopNode &node);
  // To be called at the start of a row.
  void enterRow(LoopNode &node, LlvmValue *row);
  // The register of a row from `column` on.
  LlvmValue *iota(const LoopNode &node, LlvmValue *column);
  LlvmValue *mask(const LoopNode &node, LlvmValue *column);
  LlvmValue *broadcast(const LoopNode &node, LlvmValue *column);
  // The lane mask of the columns, from `column` on, that are below a limit within the row.
  LlvmValue *lanesBelow(LlvmValue *limit, LlvmValue *column);

private:
  int lanes() const { return registers_.lanes(); }
  LlvmValue *laneNumbers(LlvmValue *column);
  LlvmValue *coordinate(Type type, int dimension, LlvmValue *row);
  void enterBroadcast(LoopNode &node, LlvmValue *row);
  LlvmValue *repeatedColumns(const LoopNode &node, LlvmValue *column, int64_t across);

  KernelEmitter &e_;
  llvm::IRBuilder<> &b;
  LoopRegisters &registers_;
};

} // namespace xt
