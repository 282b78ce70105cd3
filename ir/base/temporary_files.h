// Temporary files and folders that do not outlive the process when a signal ends it.
#pragma once
#include <string_view>

namespace xt {

// While one lives, a signal that ends the process removes the path first: a file, or a folder with the files in it. The
// destructor forgets the path and removes nothing. A path longer than PATH_MAX, or one too many at a time, is not known.
class TemporaryPath {
public:
  explicit TemporaryPath(std::string_view path);
  ~TemporaryPath();
  TemporaryPath(const TemporaryPath &) = delete;
  TemporaryPath &operator=(const TemporaryPath &) = delete;

private:
  int slot_ = -1;
};

// Removes what is known at the moment. Async-signal-safe.
void removeTemporaries();
// SIGINT, SIGTERM and SIGHUP remove what is known, then end the process as they do by default. One of them that the
// process ignores (`nohup`) stays ignored.
void removeTemporariesOnSignals();

} // namespace xt
