// Intel's offline compiler, as a judge of what we make.
#pragma once
#include "ir/base/result.h"
#include "targets/xe/kernel_abi.h"

#include <string>
#include <string_view>
#include <vector>

namespace xt {

// Listings of the program's kernels as ocloc compiles them for a target (of TargetInfo), each with the register file that
// it asks for, in the order of the program. An Error where there is no ocloc (it names the package), where ocloc does not
// know the hardware or refuses the module (its own words), and where it lacks functions that the kernels call (their names).
Result<std::vector<std::string>> compileOffline(const XeProgram &program, std::string_view target);

// ocloc's name of the hardware; "" for targets that are of no one's hardware.
std::string_view offlineDevice(std::string_view target);

// "intel_sub_group_2d_block_read_16b_8r16x1c" of "_Z41intel_sub…": a mangled name without its parameters.
std::string plainName(std::string_view mangled);

} // namespace xt
