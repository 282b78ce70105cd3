// Turns a launch described on the command line into a test block, so that the same buffers, guards, checks and
// reports apply.
#pragma once
#include "ir/base/result.h"
#include "ir/module.h"
#include "targets/tools/options.h"

#include <string>

namespace xt {

// The file name under which the generated text appears in messages.
inline constexpr const char *kCommandLine = "command line";

// Whether the options describe a launch instead of running the file's tests.
bool launchesKernel(const XtrunOptions &options);

// The kernel that --kernel names, with or without '@'; the only kernel if the name is empty. The usageMistake lists
// all kernels.
Result<const Kernel *> kernelNamed(const Module &module, const std::string &name, const std::string &file);

// The text of a file that imports `file` and launches one of the module's kernels with the arguments of the command
// line:
//   --arg A=x.npy       a buffer's content (targets/tools/buffer_source.h); for an i64 or u64 the address of such a buffer
//   --arg N=128         a scalar
//   --out C=y.npy       saved after the launch; without --arg a poisoned buffer that the kernel must write
//   --expect C=ref.npy  compared after the launch: integers exactly, floats within --rtol, --atol or --ulp. The reference
//                       may have a wider float type than the buffer
// The Error is usageMistake's (targets/tools/buffer_source.h), or of the environment for a file that cannot be read.
Result<std::string> launchText(const XtrunOptions &options, const Module &module, const std::string &file);

} // namespace xt
