// The maximum or minimum of registers of f32.
//
// It can be computed as the maximum or minimum of integers that have the same order: -0 before +0, and NaN beyond all numbers, or
// for the ops that prefer a number to a NaN (maxnumf, minnumf) on the other side of all numbers.
// The dependency chain is then one integer op instead of the five that handle zeros and NaN. AVX-512 has an instruction
// (vrangeps) that orders -0 before +0 and prefers a number to a NaN. It is all that those ops need; for the others, NaNs are tracked
// in a mask, which takes two ops in the loop instead of five.
#pragma once
#include "ir/op_kinds.h"
#include "targets/cpu/vector/kernel_context.h"

namespace xt {

class FurthestOfFloats {
public:
  FurthestOfFloats(KernelContext &context, OpKind kind, int lanes)
      : c_(context), b(context.b), isMaximum_(kind == OpKind::MaximumF || kind == OpKind::MaxNumF),
        prefersNumbers_(kind == OpKind::MaxNumF || kind == OpKind::MinNumF), lanes_(lanes) {}
  static bool isOf(OpKind kind) {
    return kind == OpKind::MaximumF || kind == OpKind::MinimumF || kind == OpKind::MaxNumF || kind == OpKind::MinNumF;
  }

  LlvmValue *orderedBits(LlvmValue *chunk);
  LlvmValue *further(LlvmValue *x, LlvmValue *y); // the maximum or minimum of ordered bits
  LlvmValue *ofLanes(LlvmValue *ordered); // the furthest lane, as a float
  // Maps the bits of a float to an integer in the same order. The function is its own inverse.
  LlvmValue *sortableBits(LlvmValue *bits);

  bool prefersNumbers() const { return prefersNumbers_; }
  bool usesRangeInstruction() const { return c_.cpu.vectorBytes == 64 && (lanes_ == 16 || lanes_ == 8); }
  LlvmValue *byRange(LlvmValue *x, LlvmValue *y); // the maximum or minimum of floats, by vrangeps
  LlvmValue *areNumbers(llvm::ArrayRef<LlvmValue *> chunks); // lanes that are NaN in no chunk

private:
  KernelContext &c_;
  llvm::IRBuilder<> &b;
  const bool isMaximum_, prefersNumbers_;
  const int lanes_;
};

} // namespace xt
