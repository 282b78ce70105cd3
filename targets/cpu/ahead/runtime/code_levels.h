// The levels of code of a library that is compiled ahead of time.
#pragma once
#include "targets/ahead/xtrt.h"

namespace xt {

// LLVM's names of the processors that the code of each level is compiled for. A level needs what the ones before it need.
inline constexpr const char *kCodeLevels[] = {"x86-64", "x86-64-v3", "x86-64-v4", "sapphirerapids"};
static_assert(sizeof kCodeLevels / sizeof *kCodeLevels == XTRT_LEVELS);

} // namespace xt
