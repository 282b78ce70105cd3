#include "lang/lower/disk.h"

#include "ir/base/text.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace xt {
namespace {

std::string readProblem(const std::string &path, const char *what) {
  return str("cannot ", what, " ", path, ": ", std::strerror(errno));
}

} // namespace

// XT_STDLIB, or the nearest `stdlib` (beside the program, or above it in a build tree) that holds gemm.xt.
std::string stdlibFolder() {
  if (const char *given = std::getenv("XT_STDLIB"); given && *given) return given;
  char program[4096];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program);
  std::string folder(program, length > 0 ? static_cast<size_t>(length) : 0);
  constexpr int kMostLevels = 5;
  for (int level = 0; level < kMostLevels; ++level) {
    size_t slash = folder.rfind('/');
    if (slash == std::string::npos) return "";
    folder.resize(slash);
    for (const char *place : {"/stdlib", "/share/xt/stdlib"})
      if (access((folder + place + "/gemm.xt").c_str(), R_OK) == 0) return folder + place;
  }
  return "";
}

Result<std::string> readFile(const std::string &path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return Error::environment(readProblem(path, "read"));
  if (S_ISDIR(info.st_mode)) return Error::environment(str("cannot read ", path, ": it is a folder"));
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (!file) return Error::environment(readProblem(path, "read"));
  std::string text;
  char buffer[65536];
  size_t n;
  while ((n = std::fread(buffer, 1, sizeof buffer, file)) > 0) text.append(buffer, n);
  bool failed = std::ferror(file) != 0;
  std::fclose(file);
  if (failed) return Error::environment(readProblem(path, "read"));
  // Positions are 32-bit.
  if (text.size() > (size_t{1} << 30)) return Error::environment(str("cannot read ", path, ": larger than 1 GiB"));
  return text;
}

ImportOptions importsFromDisk() {
  auto read = [](const std::string &path) -> std::optional<std::string> {
    Result<std::string> content = readFile(path);
    return content ? std::optional(std::move(*content)) : std::nullopt;
  };
  return {read, stdlibFolder()};
}

} // namespace xt
