// Named barriers: as barriers of the device that count subgroups, if it has any and there is a plan (barrier_plan.h), and else in
// shared local memory.
//
// There, a barrier is one word: bits 0 to 7 count the producers that have arrived, bits 8 to 15 count the consumers, and the bits
// above count the completed rounds. After these words there is, for each barrier and subgroup, a word with the round in which
// the subgroup last arrived. Subgroups wait by polling, which works because all subgroups of a workgroup run at the same time.
#pragma once
#include "targets/llvm/lane/lane_context.h"

namespace xt {

class LaneNamedBarriers : LanePart {
public:
  using LanePart::LanePart;
  void prepare(); // emits code at the kernel's beginning
  void emit(const Op &op);

private:
  bool usesDevice(int64_t allocated);
  void meetAt(const Op &op, const LaneParts &part);
  LlvmValue *barrierWord(LlvmValue *index);
  LlvmValue *arrivalWord(LlvmValue *id);
  void arriveAt(const LaneParts &part);
  void waitAt(const Op &op, const LaneParts &part);
};

} // namespace xt
