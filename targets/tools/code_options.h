// The options of `xtc` that say which code it prints, and how the code is made.
#pragma once
#include "targets/target.h"
#include "targets/tools/options.h"

#include <optional>
#include <string>

namespace xt {

// The kinds of --emit that are code of the target: all but ast and ir.
std::vector<OutputKind> codeKinds(const XtcOptions &options);
// The error in a command line that requests code which the target does not have, or uses options that it does not take; nullopt
// if it is valid.
std::optional<std::string> codeProblem(const XtcOptions &options, const Target &target);
// The name of the library that --emit=lib writes: what -o names, without its folder.
std::string libraryName(const XtcOptions &options);
// The options that change code, with a blank before each: " --no-block-messages".
std::string codeOptionsText(const XtcOptions &options);
// The options as emit() takes them, without the sources and the stage, which the caller sets. An Error if a file that an option
// names cannot be read.
Result<OutputOptions> outputOptions(const XtcOptions &options);

} // namespace xt
