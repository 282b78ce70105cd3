// How many registers kernels need, before a vendor's compiler says so: `xtc --report`.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/gpu/target_info.h"
#include "ir/module.h"

#include <string>

namespace xt {

// A line for each kernel at lane scope with the number of registers that its vectors occupy at one time
// (ir/gpu/register_pressure.h), and a warning where a thread does not have these and what the compiler needs beside them, so
// that it is likely to spill. "" if the target names no hardware.
std::string registerEstimate(const Module &module, const TargetInfo &target, Diagnostics &diagnostics);

} // namespace xt
