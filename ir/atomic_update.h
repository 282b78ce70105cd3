// What ops that update memory atomically (`atomic_rmw`, `atomic_cas`, xegpu.atomic_rmw) have in common, and fences.
#pragma once
#include "ir/op.h"

namespace xt {

// The operands of such an op.
class AtomicUpdate {
public:
  explicit AtomicUpdate(const Op &op);       // `op` must be such an op, and outlive the object
  static bool is(const Op &op);              // whether it is `atomic_rmw` or `atomic_cas`, which update tiles
  static bool isOnDescriptor(const Op &op);  // whether it is xegpu.atomic_rmw

  bool compares() const { return compares_; } // whether it is a compare and swap
  static constexpr size_t kExpectedIndex = 0; // of a compare and swap
  size_t valueIndex() const { return compares_ ? 1 : 0; }
  size_t tileIndex() const { return valueIndex() + 1; }
  size_t maskIndex() const { return valueIndex() + 2; }
  Value *expected() const { return compares_ ? op_.operand(kExpectedIndex) : nullptr; }
  Value *value() const { return op_.operand(valueIndex()); }
  Value *tile() const { return op_.operand(tileIndex()); } // or the XeGPU descriptor
  Value *mask() const { return op_.operandCount() > maskIndex() ? op_.operand(maskIndex()) : nullptr; }
  // Whether it orders what its worker does before it, and afterwards (tile ops, in the front end).
  bool releases() const;
  bool acquires() const;
  // Whether it is atomic only with accesses of the same workgroup.
  bool inWorkgroup() const;

private:
  const Op &op_;
  bool compares_;
};

bool isFence(const Op &op);
// Whether an op is a fence that orders accesses for all workgroups, and not only for its own.
bool isDeviceFence(const Op &op);

} // namespace xt
