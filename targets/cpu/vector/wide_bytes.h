// Ops on integers of up to 8 bits that take fewer instructions in lanes of 32 bits: processors shift no bytes.
#pragma once
#include "ir/op.h"
#include "targets/llvm/loops.h"

namespace xt {

// Emits a shift of bytes, or a conversion of bytes to i4, in lanes of 32 bits. Null: not such an op, or these lanes would not
// fit a register of `vectorBytes`. LLVM combines the conversions back to bytes with those to other types that follow.
LlvmValue *computeInWideLanes(llvm::IRBuilderBase &b, const Op &op, llvm::ArrayRef<LlvmValue *> args, int vectorBytes);

} // namespace xt
