#include "targets/process/program_path.h"

#include "ir/base/text.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace xt {

std::string programInPath(std::string_view name) {
  const char *variable = std::getenv("PATH");
  std::string_view path = variable ? variable : "";
  for (size_t begin = 0; begin <= path.size();) {
    size_t end = std::min(path.find(':', begin), path.size());
    std::string file = str(path.substr(begin, end - begin), "/", name);
    std::error_code ignored;
    if (end > begin && access(file.c_str(), X_OK) == 0 && !std::filesystem::is_directory(file, ignored)) return file;
    begin = end + 1;
  }
  return "";
}

} // namespace xt
