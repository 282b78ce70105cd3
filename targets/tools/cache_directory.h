#pragma once
#include "ir/base/result.h"

#include <cstdint>
#include <string>

namespace xt {

// Where this user's compiled code is kept: XT_CACHE_DIR ("": nowhere), else xt in XDG_CACHE_HOME or in ~/.cache
// (XDG Base Directory Specification). "" where there is none.
std::string cacheDirectory();
// How many bytes of it at most: XT_CACHE_LIMIT, a number of bytes with K, M or G behind it or without; else 256M. 0 keeps
// nothing. An Error for what is no such number.
Result<uint64_t> cacheLimit();

} // namespace xt
