// Opens MPI at run time.
#pragma once
#include "targets/ranks/transport.h"

#include <string>

namespace xt {

// The transport of MPI, for the thread that calls this. It fails if a rank does not answer for `seconds`. An error of the
// environment if this build has no MPI.
Result<std::unique_ptr<Transport>> openMpi(double seconds);

// What to do where there is no MPI.
inline constexpr const char *kMpiRemedy = "install Debian's packages libopenmpi-dev and openmpi-bin, and build again";

// The library with that transport, "" if this build has none; and why it cannot be opened, "" if it can.
std::string mpiLibraryPath();
std::string whyMpiIsNotOpened();

} // namespace xt

// What libxt_mpi.so exports: a new transport, or null and the reason.
extern "C" xt::Transport *xt_mpi_open(double seconds, std::string *why);
