// Asserts and misuse, which a subgroup reports to the host through the outcome word (lane_kernel.h).
#pragma once
#include "targets/llvm/lane/lane_context.h"

namespace xt {

class LaneFailures : LanePart {
public:
  using LanePart::LanePart;
  // Reports a failure to the host if `condition` holds. The code after it runs anyway.
  void failIf(LlvmValue *condition, const Op &op, std::string message);
  void emitAssert(const Op &op);

private:
  int64_t numberOf(LaneFailure failure);
  void tell(LlvmValue *failed, LlvmValue *number);
  LlvmValue *placeInWhole(const Op &op, llvm::ArrayRef<int64_t> whole);
  LlvmValue *workgroupNumber();
};

} // namespace xt
