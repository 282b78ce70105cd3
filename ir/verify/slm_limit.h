// The shared local memory of a kernel against that of a target.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/module.h"

#include <string>
#include <string_view>

namespace xt {

// Reports a kernel whose buffers are more than `limit` bytes as SlmTooLarge, with a table of them, largest first, and what
// would fit. Buffers count as they lie: planned ones (`offset`) up to the end of the furthest.
bool fitsSlm(const Kernel &kernel, std::string_view target, int64_t limit, const SourceManager &sources, Diagnostics &diagnostics);

// The buffers, largest first, each with its bytes and its line of the source; "" where there are none.
std::string slmTable(const Kernel &kernel, const SourceManager &sources);

} // namespace xt
