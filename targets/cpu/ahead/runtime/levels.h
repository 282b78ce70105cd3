// Which level of code is run.
#pragma once
#include "targets/cpu/ahead/runtime/code_levels.h"

namespace xt {

// The highest level (an index of kCodeLevels) that this processor, and the system for this process, can run. XT_CODE_LEVEL, one
// of the names, lowers it, for tests and for comparisons.
int codeLevel();

} // namespace xt
