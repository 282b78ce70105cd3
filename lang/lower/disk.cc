#include "lang/lower/disk.h"

#include "ir/base/input_file.h"

#include <cstdlib>
#include <unistd.h>

namespace xt {
// XT_STDLIB if set, else the nearest folder `stdlib` with gemm.xt beside the program or, in a build tree, above it.
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

Result<std::string> readFile(const std::string &path) { return readInputFile(path, kMostSourceBytes); }

Result<std::string> readImport(TimedReader &reader, const std::string &path) {
  if (reader.stamp(path) == TimedReader::Stamp() && !reader.isPending(path)) return noSuchFile();
  return reader.read(path, kMostSourceBytes);
}

ImportOptions importsFromDisk() {
  auto reader = std::make_shared<TimedReader>();
  return {[reader](const std::string &path) { return readImport(*reader, path); }, stdlibFolder()};
}

} // namespace xt
