// How many registers kernels need, before a vendor's compiler says so: `xtc --report`.
#pragma once
#include "ir/gpu/target_info.h"
#include "ir/module.h"

#include <string>

namespace xt {

// A line for each kernel at lane scope with the number of registers that its vectors occupy at one time, and whether that is more
// than a thread has, so that the compiler is likely to spill (ir/gpu/register_pressure.h). "" if the target names no hardware.
std::string registerEstimate(const Module &module, const TargetInfo &target);

} // namespace xt
