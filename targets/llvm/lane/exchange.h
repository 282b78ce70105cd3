// Ops that the lanes of a subgroup, or all lanes of a workgroup, execute together: shuffles, reductions, barriers, fences.
#pragma once
#include "targets/llvm/lane/lane_context.h"

namespace xt {

class LaneExchange : LanePart {
public:
  using LanePart::LanePart;
  void emitShuffle(const Op &op);
  void emitSubgroupReduce(const Op &op);
  void emitBarrierOrFence(const Op &op);
  // The value of another lane, which must be an existing one: `lane`, or this lane's number xor `lane`. With a constant xor
  // operand, no address has to be computed.
  LlvmValue *shuffled(Elem elem, LlvmValue *value, LlvmValue *lane, bool exclusiveOr = false);
  // A lane's part of a matrix with the layout `to`, by shuffles of the parts with the layout `from`. Both are on the lane axis.
  Fragment dealtAs(const Fragment &own, Elem elem, const Layout &from, const Layout &to);
};

// The number of a lane (both of 32 bits), from one number for each lane of a subgroup of any size; 0 to 65 535.
LlvmValue *numberOfLane(llvm::IRBuilderBase &b, LlvmValue *lane, llvm::ArrayRef<int64_t> numbers);

} // namespace xt
