// The loop of a reduction that combines each row of a shape into one element.
#pragma once
#include "targets/cpu/vector/furthest_of_floats.h"
#include "targets/cpu/vector/generated_values.h"

namespace xt {

class RowReduction {
public:
  // Evaluates the operand of the reduction: enterRow(row) begins a row, and chunkAt(column) returns its registers.
  struct Loop {
    llvm::function_ref<void(LlvmValue *row)> enterRow;
    llvm::function_ref<LlvmValue *(LlvmValue *column)> chunkAt;
  };
  // `result`: the sink whose buffer receives an element for each row; enterRow sets the row of the sink.
  RowReduction(KernelEmitter &emitter, LoopRegisters &registers, GeneratedValues &generated, OpKind kind,
               const LoopSink &result, Loop loop)
      : e_(emitter), b(emitter.context.b), registers_(registers), generated_(generated), kind_(kind), result_(result),
        loop_(loop), furthest_(emitter.context, kind, registers.lanes()) {}
  void emit(int64_t rows, int64_t columns);

private:
  int lanes() const { return registers_.lanes(); }
  Elem elem() const { return result_.buffer->shape.elem; }
  bool isOrdered() const; // whether floats are reduced as integers in the same order
  void emitRow(LlvmValue *row, int64_t columns);
  void emitRowsAtOnce(LlvmValue *first, LlvmValue *count, int64_t columns);
  LlvmValue *combinedRow(LlvmValue *row, int64_t columns);
  LlvmValue *combine(LlvmValue *x, LlvmValue *y);
  LlvmValue *acrossLanes(LlvmValue *chunk);

  KernelEmitter &e_;
  llvm::IRBuilder<> &b;
  LoopRegisters &registers_;
  GeneratedValues &generated_;
  const OpKind kind_;
  const LoopSink &result_;
  const Loop loop_;
  FurthestOfFloats furthest_;
};

} // namespace xt
