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
  // Returns the value that another lane holds: the lane with the number `lane`, or with `exclusiveOr` this lane's number xor
  // `lane`. That lane must exist. If the operand of the xor is constant, no address has to be computed.
  LlvmValue *shuffled(Elem elem, LlvmValue *value, LlvmValue *lane, bool exclusiveOr = false);
  // Returns the lane's part of a matrix with the layout `to`, by shuffles of the parts with the layout `from`. Both layouts are
  // on the lane axis.
  Fragment dealtAs(const Fragment &own, Elem elem, const Layout &from, const Layout &to);
};

// Returns numbers[lane]. Both `lane` and the result have 32 bits. `numbers` has an entry of 0 to 65 535 for each lane of a
// subgroup of any size.
LlvmValue *numberOfLane(llvm::IRBuilderBase &b, LlvmValue *lane, llvm::ArrayRef<int64_t> numbers);

} // namespace xt
