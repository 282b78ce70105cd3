// xtc --query TARGET [types [sizes]]: the general, default-value and validation forms of
// sycl_ext_oneapi_matrix's query interface.
#pragma once
#include "targets/tools/options.h"

namespace xt {

// Prints to standard output and returns the exit status. 2: the target has no such product; standard error lists
// those that it has.
int query(const XtcOptions &options);

} // namespace xt
