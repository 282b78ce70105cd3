// Common start of main() in xtc and xtrun.
#pragma once
#include "ir/base/process.h"

#include <string>

namespace xt {

// Calls startProcess() and sets up crash bundles: in the working directory, or if it is not writable in $TMPDIR or
// /tmp. If XT_CRASH_DIR is set, only there; if it is empty, nowhere.
void startTool(const char *tool, int argc, const char *const *argv);

// Quotes the text as one word of a shell command.
std::string shellQuoted(const std::string &text);

} // namespace xt
