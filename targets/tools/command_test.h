// A launch that the command line describes, as a test block: the same buffers, guards, checks and reports serve it.
#pragma once
#include "ir/base/result.h"
#include "ir/module.h"
#include "targets/tools/options.h"

#include <string>

namespace xt {

// The name under which the text below is shown in messages.
inline constexpr const char *kCommandLine = "command line";

// Whether the options ask for a launch of their own instead of the file's tests.
bool launchesKernel(const XtrunOptions &options);

// The text of a file that imports `file` and launches one of the module's kernels with the arguments of the command line:
//   --arg A=x.npy               the file's shape
//   --arg B=random:1024x512xf16 an initialiser of test blocks; the shape may be left out where the parameter's is static
//   --arg N=128                 a scalar
//   --out C=y.npy               saved after the launch; without --arg an `out` buffer
//   --expect C=ref.npy          compared after the launch: exactly, or within --rtol, --atol, --ulp
// An Error says what is wrong: of kind Diagnosed for a mistake of the command line, Environment for a file.
Result<std::string> commandTest(const XtrunOptions &options, const Module &module, const std::string &file);

} // namespace xt
