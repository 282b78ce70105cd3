#pragma once
#include <string>

namespace xt {

// Where this user's compiled code is kept: XT_CACHE_DIR ("": nowhere), else xt in XDG_CACHE_HOME or in ~/.cache
// (XDG Base Directory Specification). "" where there is none.
std::string cacheDirectory();

} // namespace xt
