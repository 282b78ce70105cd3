// The command that repeats one test, printed with its failure.
#pragma once
#include "targets/tools/options.h"

#include <string>

namespace xt {

// "xtrun --target=cpu --test unaligned -D BM=128 gemm.xt": the options that affect one test of a file on one target,
// quoted for a shell. `small`: which sizes, for a test that has small ones.
std::string repeatCommand(const XtrunOptions &options, const std::string &file, const std::string &test,
                          const std::string &target, std::optional<bool> small);

} // namespace xt
