// What a failed check does in a library, in whose process others work.
#pragma once
#include <string_view>

namespace xt {

// Called by checkFailed (check.h) on the current thread instead of ending the process, if set. It must not return: it throws, and
// what the frames between own is lost.
using CheckEnd = void (*)(std::string_view what);
void setCheckEnd(CheckEnd end);

} // namespace xt
