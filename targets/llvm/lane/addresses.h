// Places of elements in windows, as sums of what is only known at run time and a constant. Addresses that differ in the constant
// alone then share their computation.
#pragma once
#include "targets/llvm/lane/lane_context.h"

#include <array>

namespace xt {

// A number that is `root + offset`; null: 0.
struct LanePlace {
  LlvmValue *root = nullptr;
  int64_t offset = 0;
};
LanePlace placeOf(LlvmValue *number);

// A part of the lane's number, and how far it moves an element: by its value times these rows and columns.
struct LaneDigit {
  int64_t bit, extent; // the lowest bit, and the number of values, a power of two
  int64_t rows, columns;
};

// An element of a window: its row and column in the window, for each lane moved by the digits of the lane's number.
struct WindowElement {
  int64_t row = 0, column = 0;
  std::vector<LaneDigit> digits = {};
};

class LaneAddresses : LanePart {
public:
  using LanePart::LanePart;
  // The address of an element of a window of shared local memory, whose strides are constant. Its place in the buffer follows from
  // the swizzle of the buffer. What does not depend on the buffer is computed as early as possible, once for all such addresses.
  LlvmValue *slmAddress(const Value *window, const WindowElement &element);
  // A number that divides the window's first row (0) or column (1) as far as it depends on the run.
  int64_t divisor(const Value *window, size_t dim);
  // The swizzle of the buffer that a window refers to; none in global memory, and for devices that use none.
  Swizzle swizzle(const Value *window);

private:
  // The part of an address that depends on the run, in bytes, and the constant that is added to it.
  struct Offset {
    LlvmValue *root;
    int64_t constant;
  };
  Offset plainOffset(const LanePlace &y, const LanePlace &x, int64_t pitch, int64_t bytes, const WindowElement &element);
  Offset swizzledOffset(const Value *window, const LanePlace &y, const LanePlace &x, int64_t pitch, int64_t bytes,
                        const WindowElement &element, const Swizzle &swizzle);
  LlvmValue *digitsOf(const WindowElement &element, int64_t LaneDigit::*weight);
  LlvmValue *narrow(LlvmValue *number) { return v.resize(number, true); }
  LlvmValue *times(LlvmValue *number, int64_t factor);
  LlvmValue *sum(std::initializer_list<LlvmValue *> numbers);
  llvm::Instruction *latest(std::initializer_list<LlvmValue *> numbers);
};

} // namespace xt
