// Intel's offline compiler, as a judge of what we make.
#pragma once
#include "ir/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace xt {

// The listings of the kernels that ocloc makes of SPIR-V, one a kernel, in the order of their file names. `target`: of
// TargetInfo. An Error names the package where there is no ocloc, and quotes it where it refuses the module.
Result<std::vector<std::string>> compileOffline(const std::vector<uint8_t> &spirv, std::string_view target, bool largeRegisterFile);

} // namespace xt
