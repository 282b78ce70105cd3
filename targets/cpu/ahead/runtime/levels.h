// The levels of code of a library that is compiled ahead of time, one of which is chosen when the library is used.
#pragma once
#include "targets/cpu/ahead/runtime/xtrt.h"

namespace xt {

// LLVM's names of the processors that the code of each level is compiled for. A level needs what the ones before it need.
inline constexpr const char *kCodeLevels[] = {"x86-64", "x86-64-v3", "x86-64-v4", "sapphirerapids"};
static_assert(sizeof kCodeLevels / sizeof *kCodeLevels == XTRT_LEVELS);

// The highest level that this processor, and the system for this process, can run. XT_CODE_LEVEL, one of the names above, lowers
// it, for tests and for comparisons.
int codeLevel();

} // namespace xt
