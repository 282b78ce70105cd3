// MPI as a transport. The file beside this one is the only one that includes mpi.h.
#pragma once
#include "targets/ranks/transport.h"

namespace xt {

struct MpiOptions {
  const void *communicator = nullptr; // an MPI_Comm *; null: that of MPI_COMM_WORLD
  double seconds = 0; // after which a rank that does not answer is an error
  // The program uses MPI for nothing else: it ends by MPI_Abort, with status 3, after a rank has not answered. The ranks on each machine
  // are counted.
  bool ownsProgram = false;
};

// A transport on a duplicate of the communicator, for the thread that calls this; all ranks of it do. Initialises MPI if that has not been
// done, and finalizes it with the last transport unless a rank has not answered. Several threads may have a transport each.
Result<std::unique_ptr<Transport>> openMpiTransport(const MpiOptions &options);

} // namespace xt
