// The compile time from text to SPIR-V, of the compilers' processes.
#pragma once
#include "ir/base/result.h"

#include <string>

namespace xt::bench {

// Runs `xtc --emit=spirv` on the GEMM of the appendix, and upstream's chain on its own GEMM, in turn, `rounds` times each, and
// returns the medians as text. `xtc`: the path of the program. Upstream's time is that of its four processes, without
// extracting the kernel's module from the output of the first.
Result<std::string> compileTimes(const std::string &xtc, int rounds);

} // namespace xt::bench
