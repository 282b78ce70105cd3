// Mathematical functions as code of a lane: PTX has none with the accuracy that the language requires.
#pragma once
#include "ir/op.h"
#include "targets/llvm/register_traits.h"

namespace xt {

// RegisterTraits::function of NVIDIA's GPUs, for all functions of ir/ops/functions.def. Errors are below 4 units of the last place; the
// remainder is exact. Functions of f32 that targets/llvm/float_functions.h lacks are computed in f64, and rounded.
LlvmValue *nvFunction(llvm::IRBuilderBase &builder, OpKind kind, llvm::ArrayRef<LlvmValue *> args);

} // namespace xt
