// xtc --watch: does something again whenever files change.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace xt {

// Calls `check`, which gives the files that it read or looked for, then waits until one of them changes, appears or goes,
// and calls it again, until SIGINT or SIGTERM comes. Looks at the files a few times a second.
void watchFiles(const std::function<std::vector<std::string>()> &check);

} // namespace xt
