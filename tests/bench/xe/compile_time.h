// How long it takes from text to SPIR-V, process by process.
#pragma once
#include "ir/base/result.h"

#include <string>

namespace xt::bench {

// Runs `xtc --emit=spirv` on the GEMM of the appendix and upstream's chain on its own, in turn, `rounds` times each, and
// gives the medians as text. `xtc`: the path of the program. Upstream's time is that of its four processes; taking the
// kernel's module out of the first one's output is left out of it.
Result<std::string> compileTimes(const std::string &xtc, int rounds);

} // namespace xt::bench
