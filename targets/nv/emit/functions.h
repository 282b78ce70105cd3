// Mathematical functions as code of a lane: PTX has none with the accuracy that the language requires.
#pragma once
#include "ir/module.h"
#include "targets/llvm/register_traits.h"

namespace xt {

// RegisterTraits::function of NVIDIA's GPUs: the functions of targets/llvm/float_functions.h and double_functions.h; null for
// others.
LlvmValue *nvFunction(llvm::IRBuilderBase &builder, OpKind kind, llvm::ArrayRef<LlvmValue *> args);

// The first op of a kernel that needs a function which nvFunction() does not have; null if there is none.
const Op *firstWithoutFunction(const Kernel &kernel);
// Why such an op has no code: "`sin` on f32 …", with the functions that there are.
std::string whyNoFunction(const Op &op);

} // namespace xt
