#include "ir/base/shared_library.h"

#include "ir/base/text.h"

#include <dlfcn.h>

namespace xt {
namespace {

// The message of the last failure of dlopen().
std::string openProblem(const std::string &path) {
  const char *text = dlerror();
  return text ? text : path;
}

} // namespace

Result<SharedLibrary> SharedLibrary::open(std::string what, std::string path, std::string_view package,
                                          const std::string &otherPath) {
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::string why = handle ? "" : openProblem(path);
  if (!handle && !otherPath.empty()) {
    handle = dlopen(otherPath.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle) path = otherPath;
  }
  if (!handle) return Error::environment(str(what, " cannot be opened (", why, "); on Debian it is in the package ", package));
  return SharedLibrary(std::move(what), std::move(path), handle);
}

void *SharedLibrary::symbol(const char *name) const { return dlsym(handle_, name); }

Error SharedLibrary::lacks(const char *name) const {
  return Error::environment(str(what_, " ", path_, " is too old: it lacks ", name));
}

std::string whyNotOpened(const char *path) {
  void *handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (!handle) return openProblem(path);
  dlclose(handle);
  return "";
}

} // namespace xt
