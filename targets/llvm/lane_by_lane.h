// Computes one lane of vectors after another through memory, so that the code size does not depend on the number of lanes.
#pragma once
#include "targets/llvm/loops.h"

#include <string>

namespace xt {

class LaneByLane {
public:
  // `vectors`: whether the target has these ops for vectors, so that nothing goes through memory.
  LaneByLane(llvm::IRBuilderBase &builder, bool vectors) : b(builder), vectors_(vectors) {}

  // Applies `lane` to each lane of the arguments. The result has the type of the arguments.
  LlvmValue *compute(llvm::ArrayRef<LlvmValue *> args, llvm::function_ref<LlvmValue *(llvm::ArrayRef<LlvmValue *>)> lane);
  // Calls a function of the C library. `name` is that of its version for doubles.
  LlvmValue *call(std::string name, llvm::ArrayRef<LlvmValue *> args);
  // Returns the address of 64 bytes on the stack, which all code of the function that works lane by lane shares.
  LlvmValue *stackSlot(size_t number);

private:
  llvm::IRBuilderBase &b;
  bool vectors_;
  llvm::SmallVector<LlvmValue *, 4> slots_;
};

} // namespace xt
