#pragma once
#include "ir/base/result.h"

#include <cstdint>
#include <string>

namespace xt {

// The directory for this user's compiled code: XT_CACHE_DIR ("": no cache), else xt in XDG_CACHE_HOME or in ~/.cache
// (XDG Base Directory Specification). "" if there is no such directory.
std::string cacheDirectory();
// The size limit of the cache in bytes: XT_CACHE_LIMIT, a number with an optional suffix K, M or G; by default 256M.
// 0 disables the cache. An Error if it is not such a number.
Result<uint64_t> cacheLimit();

} // namespace xt
