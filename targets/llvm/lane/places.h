// Places of elements in windows, as sums of what is only known at run time and a constant. Addresses that differ in the constant
// alone then share their computation.
#pragma once
#include "targets/llvm/lane/lane_context.h"

namespace xt {

// A number that is `root + offset`; null: 0.
struct LanePlace {
  LlvmValue *root = nullptr;
  int64_t offset = 0;
};
LanePlace placeOf(LlvmValue *number);

// An element of a window: its row and column in the window, each with a part that depends on the lane (null: 0).
struct WindowElement {
  LlvmValue *laneRow = nullptr, *laneColumn = nullptr;
  int64_t row = 0, column = 0;
};

class LanePlaces : LanePart {
public:
  using LanePart::LanePart;
  // The address of an element of a window, which the swizzle of its buffer determines too.
  LlvmValue *address(const Value *window, const WindowElement &element);
  // A number that divides the window's first row (0) or column (1) as far as it depends on the run.
  int64_t divisor(const Value *window, size_t dim);
  // The swizzle of the buffer that a window refers to; none in global memory, and for devices that use none.
  Swizzle swizzle(const Value *window);

private:
  LlvmValue *plainAddress(const Value *window, const WindowElement &element);
  LlvmValue *swizzledAddress(const Value *window, const WindowElement &element, const Swizzle &swizzle);
  LlvmValue *times(LlvmValue *number, int64_t factor);
};

} // namespace xt
