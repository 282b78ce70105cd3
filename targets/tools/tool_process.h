// What main() of xtc and xtrun does first.
#pragma once
#include "ir/base/process.h"

#include <string>

namespace xt {

// "xt 0.1.0"
extern const char *const kVersion;

// startProcess(), and crash bundles: in the working directory, or where it cannot be written in $TMPDIR or /tmp; in
// XT_CRASH_DIR alone if it is set, and nowhere if that is empty.
void startTool(const char *tool, int argc, const char *const *argv);

// As a word of a shell's command line.
std::string shellQuoted(const std::string &text);

} // namespace xt
