// What our compiler and Intel's make of a .xt text.
#pragma once
#include "ir/base/result.h"
#include "targets/xe/isa/isa_report.h"

#include <string>

namespace xt::bench {

// Of the text's first kernel, on xe-pvc.
Result<IsaReport> ourCode(const std::string &text);

// The innermost loop with the most products, else the one with the most instructions; null: the kernel has no loop.
const IsaLoop *innerLoop(const IsaReport &report);

} // namespace xt::bench
