// xtc --watch: repeats an action whenever files change.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace xt {

// The state of a file at one moment; the stamp distinguishes states and is all zero if the file does not exist.
struct WatchedFile {
  std::string path;
  std::array<int64_t, 4> stamp{};
};
WatchedFile watchedFile(std::string path);

// Calls `check`, which returns the files that it read or looked for, each with its state just before that, so that no
// change is missed. Then waits until one of them changes, appears or disappears, and calls it again, until SIGINT or
// SIGTERM. Polls the files a few times a second.
void watchFiles(const std::function<std::vector<WatchedFile>()> &check);

} // namespace xt
