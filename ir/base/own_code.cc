#include "ir/base/own_code.h"

#include "ir/base/own_program.h"

#include <dlfcn.h>
#include <link.h>

namespace xt {

std::string ownCode() {
  Dl_info info{};
  void *found = nullptr;
  if (dladdr1(reinterpret_cast<const void *>(&ownCode), &info, &found, RTLD_DL_LINKMAP) == 0 || !found) return ownProgram();
  const char *name = static_cast<const link_map *>(found)->l_name; // "" for the program itself
  return name && *name ? name : ownProgram();
}

std::string ownCodeFolder() {
  std::string path = ownCode();
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

} // namespace xt
