#include "targets/ranks/open_mpi.h"

#include "ir/base/own_code.h"
#include "ir/base/text.h"

#include <dlfcn.h>
#include <unistd.h>

namespace xt {
namespace {

constexpr const char *kLibrary = "libxt_mpi.so";

std::string libraryPath() {
  for (const char *place : {"/../lib/", "/lib/", "/"})
    if (std::string path = str(ownCodeFolder(), place, kLibrary); access(path.c_str(), R_OK) == 0) return path;
  return "";
}

} // namespace

Result<std::unique_ptr<Transport>> openMpi(double seconds) {
  const std::string path = libraryPath();
  if (path.empty())
    return Error::environment(
        str("this build has no MPI: ", kLibrary, " is not next to the programs; install Debian's packages libopenmpi-dev and "
            "openmpi-bin, and build again"));
  // Open MPI opens libraries of its own, which look for its symbols among those of the program.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library) {
    const char *why = dlerror();
    return Error::environment(str("cannot open ", path, ": ", why ? why : "unknown error"));
  }
  auto *open = reinterpret_cast<decltype(&xt_mpi_open)>(dlsym(library, "xt_mpi_open"));
  if (!open) return Error::environment(str(path, " is of another version of xt"));
  std::string why;
  std::unique_ptr<Transport> transport(open(seconds, &why));
  if (!transport) return Error::environment(str("MPI: ", why));
  return transport;
}

} // namespace xt
