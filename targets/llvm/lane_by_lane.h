// Computes one lane of vectors after another through memory, so that the code size does not depend on the number of lanes.
#pragma once
#include "targets/llvm/loops.h"

#include <string>

namespace xt {

class LaneByLane {
public:
  // `vectors`: the target can do on vectors what it is asked for, so that nothing goes through memory.
  LaneByLane(llvm::IRBuilderBase &builder, bool vectors) : b(builder), vectors_(vectors) {}

  // The result has the arguments' type.
  LlvmValue *compute(llvm::ArrayRef<LlvmValue *> args, llvm::function_ref<LlvmValue *(llvm::ArrayRef<LlvmValue *>)> lane);
  // Calls a function of the C library; its name is that for doubles.
  LlvmValue *call(std::string name, llvm::ArrayRef<LlvmValue *> args);
  // 64 bytes on the stack, shared by all code of the function that goes through memory lane by lane.
  LlvmValue *stackSlot(size_t number);

private:
  llvm::IRBuilderBase &b;
  bool vectors_;
  llvm::SmallVector<LlvmValue *, 4> slots_;
};

} // namespace xt
