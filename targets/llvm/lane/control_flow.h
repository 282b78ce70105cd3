// Loops and branches, and the values that they carry.
#pragma once
#include "targets/llvm/lane/lane_context.h"

#include <optional>

namespace xt {

class LaneControlFlow : LanePart {
public:
  using EmitBlock = llvm::function_ref<void(const Block &)>;
  // `emitBlock` emits the code of a region.
  LaneControlFlow(LaneContext &context, EmitBlock emitBlock) : LanePart(context), emitBlock(emitBlock) {}
  void emitFor(const Op &op);
  void emitWhile(const Op &op);
  void emitIf(const Op &op);

private:
  enum class Carry : uint8_t {
    Phi,
    Same,    // no iteration changes it
    Counted, // it moves like the loop's variable
  };
  struct Carried {
    std::vector<Value *> inits, params, yielded, results;
    std::vector<Carry> how; // one per part
    LaneParts initial, inside;
  };
  void chooseCarries(Carried &carried, std::optional<int64_t> step);
  // `variable`: the loop's variable, whose initial value is `lower`. Both are null if no part is Counted.
  void enterLoop(Carried &carried, llvm::BasicBlock *before, LlvmValue *variable, LlvmValue *lower);
  void leaveLoop(const Op &op, Carried &carried, LlvmValue *again, llvm::BasicBlock *body, llvm::BasicBlock *before,
                 bool guarded);
  void markBranch(const Op &op, llvm::BasicBlock *block);
  LlvmValue *hidden(LlvmValue *number);

  EmitBlock emitBlock;
};

} // namespace xt
