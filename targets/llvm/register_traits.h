// Differences between the targets that use RegisterOps.
#pragma once
#include "ir/op.h"
#include "targets/llvm/loops.h"

namespace xt {

// Emits the mathematical function of an op on f32 or f64 values; if it returns null, the C library's function is called.
using FunctionCall = LlvmValue *(*)(llvm::IRBuilderBase &, OpKind, llvm::ArrayRef<LlvmValue *>);

struct RegisterTraits {
  bool halves = true;   // LLVM's half converts to and from float in one instruction
  bool doubles = true;  // f64 is supported for intermediate results; otherwise only f64 values use it
  bool vectors = false; // vector division is supported; otherwise it is done lane by lane
  // IEEE 754-2019's minimum and maximum are supported; otherwise they are built from minnum and maxnum, which drop a NaN.
  bool minimum = true;
  FunctionCall function = nullptr; // null: always the C library's function, lane by lane; its errors are below 2 ulp
};

} // namespace xt
