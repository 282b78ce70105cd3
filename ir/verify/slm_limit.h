// Checks the shared local memory of a kernel against the limit of a target.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/module.h"

#include <string>
#include <string_view>

namespace xt {

// Reports a kernel whose buffers need more than `limit` bytes as SlmTooLarge, with a table of them, largest first, and the
// sizes that would fit. The size is that of the planned layout: buffers with an `offset` count up to the end of the furthest.
bool fitsSlm(const Kernel &kernel, std::string_view target, int64_t limit, const SourceManager &sources,
             Diagnostics &diagnostics);

// The buffers, largest first, each with its bytes and its source line; "" if there are none.
std::string slmTable(const Kernel &kernel, const SourceManager &sources);

} // namespace xt
