// Checks the shared local memory of a kernel against the limit of a target.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/module.h"

#include <string>
#include <string_view>

namespace xt {

// Reports SlmTooLarge and returns false if the kernel's buffers need more than `limit` bytes. The message has a table of the
// buffers, largest first, and the sizes that would fit. The bytes are those of slmLayout(): buffers with an `offset` need the
// bytes up to the end of the last one.
bool fitsSlm(const Kernel &kernel, std::string_view target, int64_t limit, const SourceManager &sources,
             Diagnostics &diagnostics);

// The buffers, largest first, each with its bytes and its source line; "" if there are none.
std::string slmTable(const Kernel &kernel, const SourceManager &sources);

} // namespace xt
