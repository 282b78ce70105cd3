// Compiles kernels with Intel's offline compiler, ocloc, to check our output.
#pragma once
#include "ir/base/result.h"
#include "targets/gpu/kernel_abi.h"

#include <string>
#include <string_view>
#include <vector>

namespace xt {

// Compiles the program's kernels with ocloc for a target (a TargetInfo), each with the register file that it requests, and
// returns their listings in the order of the program. Errors: ocloc is missing (the Error names the package), it does not know
// the hardware, it rejects the module (with its own message), or it lacks functions that the kernels call (with their names).
Result<std::vector<std::string>> compileOffline(const GpuCode &program, std::string_view target);

// ocloc's name of the hardware; "" for targets that are not actual hardware.
std::string_view offlineDevice(std::string_view target);

// Strips a mangled name of its parameters: "intel_sub_group_2d_block_read_16b_8r16x1c" from "_Z41intel_sub…".
std::string plainName(std::string_view mangled);

} // namespace xt
