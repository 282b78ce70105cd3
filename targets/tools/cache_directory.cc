#include "targets/tools/cache_directory.h"

#include <cstdlib>

namespace xt {

std::string cacheDirectory() {
  if (const char *own = std::getenv("XT_CACHE_DIR")) return own;
  const char *caches = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
  if (caches && caches[0] == '/') return std::string(caches) + "/xt"; // relative ones are to be ignored
  return home && *home ? std::string(home) + "/.cache/xt" : "";
}

} // namespace xt
