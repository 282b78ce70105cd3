#include "ir/base/own_program.h"

#include <climits>
#include <unistd.h>

namespace xt {

std::string ownProgram() {
  char path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return {path, length > 0 ? static_cast<size_t>(length) : 0};
}

std::string ownProgramFolder() {
  std::string path = ownProgram();
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

} // namespace xt
