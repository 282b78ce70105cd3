// The result of compiling a .xt text with our compiler and Intel's.
#pragma once
#include "ir/base/result.h"
#include "targets/output.h"
#include "targets/xe/isa/isa_report.h"

#include <string>

namespace xt::bench {

// Compiles the first kernel of the text for xe-pvc.
Result<IsaReport> ourCode(const std::string &text, SpirvExtensions extensions);

// Returns the innermost loop with the most products, or the one with the most instructions if there are no products. Null if
// the kernel has no loop.
const IsaLoop *innerLoop(const IsaReport &report);

} // namespace xt::bench
