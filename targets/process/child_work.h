// Work in a copy of this process, so that its crashes, its memory and its global variables do not affect this one.
#pragma once
#include "ir/base/result.h"

#include <functional>
#include <string>
#include <string_view>

namespace xt {

// Calls `work` in a child process and returns its result. `what` says in messages what the process does: "makes SPIR-V". If the
// child runs out of memory or is killed (usually by the system, for lack of memory), that is an Error of the environment; any
// other end without a result is a compiler bug (internalError). The caller sees no change that `work` makes in memory.
Result<std::string> inChildProcess(std::string_view what, const std::function<std::string()> &work);

} // namespace xt
