// Temporary files and folders that do not outlive the process when a signal ends it.
#pragma once
#include <string_view>

namespace xt {

// While an object lives, a signal that ends the process removes its path first: a file, or a folder with the files in it. The
// destructor unregisters the path and removes nothing. A path of PATH_MAX or more bytes is not registered, nor is one beyond
// the number of slots.
class TemporaryPath {
public:
  explicit TemporaryPath(std::string_view path);
  ~TemporaryPath();
  TemporaryPath(const TemporaryPath &) = delete;
  TemporaryPath &operator=(const TemporaryPath &) = delete;

private:
  int slot_ = -1;
};

// Removes the paths registered at the moment. Async-signal-safe.
void removeTemporaries();
// Makes SIGINT, SIGTERM and SIGHUP remove the registered paths, then end the process as they do by default. A signal that the
// process ignores (`nohup`) stays ignored.
void removeTemporariesOnSignals();

} // namespace xt
