#include "targets/ranks/open_mpi.h"

#include "ir/base/own_code.h"
#include "ir/base/text.h"

#include <dlfcn.h>
#include <unistd.h>

namespace xt {
namespace {

constexpr const char *kLibrary = "libxt_mpi.so";

// Opens the library, or says why that is not possible.
void *openLibrary(std::string &why) {
  const std::string path = mpiLibraryPath();
  if (path.empty()) {
    why = str("this build has no MPI: ", kLibrary, " is not next to the programs");
    return nullptr;
  }
  // Open MPI opens libraries of its own, which look for its symbols among those of the program.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library) return library;
  const char *error = dlerror();
  why = str("cannot open ", path, ": ", error ? error : "unknown error");
  return nullptr;
}

} // namespace

std::string mpiLibraryPath() {
  for (const char *place : {"/../lib/", "/lib/", "/"})
    if (std::string path = str(ownCodeFolder(), place, kLibrary); access(path.c_str(), R_OK) == 0) return path;
  return "";
}

std::string whyMpiIsNotOpened() {
  std::string why;
  openLibrary(why);
  return why;
}

Result<std::unique_ptr<Transport>> openMpi(double seconds) {
  std::string why;
  void *library = openLibrary(why);
  if (!library) return Error::environment(str(why, "; ", kMpiRemedy));
  auto *open = reinterpret_cast<decltype(&xt_mpi_open)>(dlsym(library, "xt_mpi_open"));
  if (!open) return Error::environment(str(mpiLibraryPath(), " is of another version of xt"));
  std::unique_ptr<Transport> transport(open(seconds, &why));
  if (!transport) return Error::environment(str("MPI: ", why));
  return transport;
}

} // namespace xt
