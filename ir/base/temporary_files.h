// Temporary files and folders that do not outlive the process when a signal ends it.
#pragma once
#include <string>
#include <string_view>

namespace xt {

// While an object lives, a signal that ends the process removes its path first: a file, or a folder with the files in it. The
// destructor unregisters the path and removes nothing. Paths of PATH_MAX or more bytes, and paths beyond the first 64
// at a time, are not registered.
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
// In a child that was just forked: the paths belong to its parent, so the child must not remove them.
void forgetTemporaries();

// Random hexadecimal digits for the name of a temporary file. Process numbers would not do: processes of two containers that
// share a folder may have the same number.
std::string randomDigits();

// Makes SIGINT, SIGTERM and SIGHUP remove the registered paths, then end the process as they do by default. A signal that the
// process ignores (`nohup`) stays ignored.
void removeTemporariesOnSignals();

} // namespace xt
