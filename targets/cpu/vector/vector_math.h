// Mathematical functions of whole registers of f32, as inline code.
#pragma once
#include "targets/cpu/analysis/cpu_info.h"
#include "targets/llvm/float_functions.h"
#include "targets/llvm/register_ops.h"

namespace xt {

// Returns RegisterTraits::function for a processor: the functions of float_functions.h for vectors of f32, and null for
// everything else.
FunctionCall vectorMathOf(const CpuInfo &cpu);

} // namespace xt
