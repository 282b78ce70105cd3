#include "lang/lower/disk.h"

#include "ir/base/input_file.h"
#include "ir/base/timed_reader.h"

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace xt {
// Returns XT_STDLIB if it is set, else the nearest folder `stdlib` or `share/xt/stdlib` that contains gemm.xt, in the folder of
// the file or in one of the four folders above it.
std::string stdlibFolder(std::string program) {
  if (const char *given = std::getenv("XT_STDLIB"); given && *given) return given;
  std::string folder = std::move(program);
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

std::vector<std::string> namesIn(const std::string &folder) {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator at(folder, error);
  for (; !error && at != std::filesystem::directory_iterator() && names.size() < kMostNames; at.increment(error))
    names.push_back(at->path().filename().string());
  return names;
}

ImportOptions importsFromDisk(std::string program) {
  auto reader = std::make_shared<TimedReader>();
  auto read = [reader](const std::string &path) -> Result<std::string> {
    Result<TimedReader::File> file = reader->read(path, kMostSourceBytes);
    return file ? Result<std::string>(std::move(*file->text)) : file.error();
  };
  return {read, stdlibFolder(std::move(program)), namesIn};
}

} // namespace xt
