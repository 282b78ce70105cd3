// Named barriers in shared local memory, for devices whose own have no producers and consumers, or no arrival without waiting.
//
// A barrier is one word: bits 0 to 7 count the producers that have arrived, bits 8 to 15 the consumers, and the bits above the
// completed rounds. The words are followed by the round in which each subgroup last arrived at each barrier. Subgroups wait by
// polling, which works because all subgroups of a workgroup run at the same time.
#pragma once
#include "targets/llvm/lane/lane_context.h"

namespace xt {

class LaneNamedBarriers : LanePart {
public:
  using LanePart::LanePart;
  void prepare(); // at the kernel's beginning
  void emit(const Op &op);

private:
  LlvmValue *barrierWord(LlvmValue *index);
  LlvmValue *arrivalWord(LlvmValue *id);
  void arriveAt(const LaneParts &part);
  void waitAt(const Op &op, const LaneParts &part);
};

} // namespace xt
