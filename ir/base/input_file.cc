#include "ir/base/input_file.h"

#include "ir/base/descriptor.h"
#include "ir/base/text.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace xt {
namespace {

Error readError(const std::string &path, std::string_view cause) {
  return Error::environment(str("cannot read ", path, ": ", cause));
}

// The kind of a file for messages; "" for a regular file.
std::string_view kindOf(const struct stat &info) {
  switch (info.st_mode & S_IFMT) {
  case S_IFREG: return "";
  case S_IFDIR: return "a folder";
  case S_IFIFO: return "a pipe";
  case S_IFSOCK: return "a socket";
  default: return "a device";
  }
}

Error kindError(const std::string &path, std::string_view kind) {
  return readError(path, str("it is ", kind, kind == "a folder" ? "" : ", not a regular file"));
}

} // namespace

Result<int> openInputFile(const std::string &path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return readError(path, std::strerror(errno));
  if (std::string_view kind = kindOf(info); !kind.empty()) return kindError(path, kind);
  // O_NONBLOCK, because a pipe may have replaced the file since stat().
  int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) return readError(path, std::strerror(errno));
  std::string_view kind = fstat(descriptor, &info) == 0 ? kindOf(info) : "a device";
  if (kind.empty()) return descriptor;
  close(descriptor);
  return kindError(path, kind);
}

namespace {
Error tooLarge(const std::string &path, int64_t most) {
  return readError(path, most % (1 << 20) == 0 ? str("it has more than ", most >> 20, " MiB")
                                               : str("it has more than ", most, " bytes"));
}
} // namespace

Result<std::string> readDescriptor(int descriptor, const std::string &name, int64_t most) {
  std::string text;
  int failed = readAll(descriptor, text, static_cast<uint64_t>(most));
  if (failed == EFBIG) return tooLarge(name, most);
  if (failed) return readError(name, std::strerror(failed));
  return text;
}

Result<std::string> readInputFile(const std::string &path, int64_t most) {
  Result<int> descriptor = openInputFile(path);
  if (!descriptor) return descriptor.error();
  struct stat info{};
  bool large = fstat(*descriptor, &info) == 0 && info.st_size > most; // stat() gives 0 for some files, such as those in /proc
  Result<std::string> text = large ? Result<std::string>(tooLarge(path, most)) : readDescriptor(*descriptor, path, most);
  close(*descriptor);
  return text;
}

} // namespace xt
