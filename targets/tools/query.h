// xtc --query TARGET [types [sizes]]: seed 002's general, default-value and validation forms.
#pragma once
#include "targets/tools/options.h"

namespace xt {

// Prints to standard output and returns the exit status. 2: the target has no such product; standard error lists
// those that it has.
int query(const XtcOptions &options);

} // namespace xt
