// Temporary files and folders that do not outlive the process when a signal ends it.
#pragma once
#include <string>
#include <string_view>

namespace xt {

// A path that is removed if a signal ends the process while the object exists (removeTemporariesOnSignals): a file, or a folder
// with the files in it. The destructor unregisters the path and removes nothing. Paths of PATH_MAX or more bytes, and paths
// beyond the first 64 at a time, are not registered.
class TemporaryPath {
public:
  explicit TemporaryPath(std::string_view path);
  ~TemporaryPath();
  TemporaryPath(const TemporaryPath &) = delete;
  TemporaryPath &operator=(const TemporaryPath &) = delete;

private:
  int slot_ = -1;
};

// Removes the currently registered paths. Async-signal-safe.
void removeTemporaries();
// Unregisters all paths. A process calls it after it was forked, because the paths belong to its parent.
void forgetTemporaries();

// Random hexadecimal digits for the name of a temporary file. Process numbers would not be enough: processes of two containers
// that share a folder may have the same number.
std::string randomDigits();

// Makes SIGINT, SIGTERM and SIGHUP remove the registered paths, then end the process as they do by default. A signal that the
// process ignores (`nohup`) stays ignored.
void removeTemporariesOnSignals();

} // namespace xt
