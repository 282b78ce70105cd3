// xtc --format: rewrites files in the canonical form of lang/format.
#pragma once
#include "targets/tools/options.h"

namespace xt {

// Formats each of options.files in place, and `-` from standard input to standard output. With checkOnly it prints which files
// differ from their formatted text and where. A file with a syntax error is not changed. Returns the exit status: 0: success;
// 1: a file is not formatted (checkOnly); 2: a syntax error; 3: a file cannot be read or written.
int formatFiles(const XtcOptions &options);

} // namespace xt
