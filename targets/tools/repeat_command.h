// The command that repeats one test, printed with its failure.
#pragma once
#include "targets/tools/options.h"

#include <string>

namespace xt {

// Returns a command line for a shell that repeats one test of a file on one target, with the options that affect it, such as
// "xtrun --target=cpu --test unaligned -D BM=128 gemm.xt". `small`: whether it uses the test's small sizes; nullopt: there are
// none. `ranks`: the number of ranks of --mpi; 0: without it.
std::string repeatCommand(const XtrunOptions &options, const std::string &file, const std::string &test,
                          const std::string &target, std::optional<bool> small, int ranks = 0);

// The same for the interpreter with its check for races, at the sizes that the interpreter chooses.
std::string raceCommand(const XtrunOptions &options, const std::string &file, const std::string &test, int ranks = 0);

} // namespace xt
