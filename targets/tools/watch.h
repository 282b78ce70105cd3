// xtc --watch: does something again whenever files change.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace xt {

// A file at one moment: what tells a state of it from any other. All zero where there is none.
struct WatchedFile {
  std::string path;
  std::array<int64_t, 4> stamp{};
};
WatchedFile watchedFile(std::string path);

// Calls `check`, which gives the files that it read or looked for, each as it was just before that, so that no change is
// missed. Then waits until one of them changes, appears or goes, and calls it again, until SIGINT or SIGTERM comes. Looks at
// the files a few times a second.
void watchFiles(const std::function<std::vector<WatchedFile>()> &check);

} // namespace xt
