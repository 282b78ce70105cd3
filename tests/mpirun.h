// How tests start ranks.
#pragma once
#include "tests/shell.h"

#include <string>

namespace xt::test {

// The environment of Open MPI's mpirun: as root, with more ranks than processors, without the memory of other processes, which containers
// forbid, and without a program that reaches other machines. What Open MPI leaves allocated is not ours.
inline constexpr const char *kMpiEnvironment =
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
    "OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl=self,vader OMPI_MCA_plm_rsh_agent=/bin/false "
    "ASAN_OPTIONS=detect_leaks=0 ";

// Why programs cannot run on ranks; "" if they can. `built`: whether this build has libxt_mpi.
inline std::string whyNoRanks(bool built) {
  if (!built) return "this build has no MPI (libopenmpi-dev)";
  if (runShell("command -v mpirun").status != 0) return "there is no mpirun (openmpi-bin)";
  return "";
}

// Runs a command on ranks; `timeout` ends what hangs, with status 124.
inline std::string onRanks(int count, const std::string &command) {
  return std::string(kMpiEnvironment) + "timeout 300 mpirun -n " + std::to_string(count) + " " + command;
}

} // namespace xt::test
