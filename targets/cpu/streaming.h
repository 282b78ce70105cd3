// Stores that may go past the caches: into large matrices that a kernel writes and never reads, so that nothing is lost by it
// and what they replace need not be read first.
#pragma once
#include "ir/module.h"

#include <unordered_set>
#include <vector>

namespace xt {

struct StreamedStores {
  std::unordered_set<const Op *> stores; // looked up only
  std::vector<const Value *> read;       // parameters that the kernel reads: they must be other memory than what is stored to
};
// The stores through tiles of parameters of which no tile is read, as far as that shows: tiles are followed through updates
// and `for` loops.
StreamedStores findStreamedStores(const Kernel &kernel);

} // namespace xt
