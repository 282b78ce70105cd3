// Finds stores that may be non-temporal: into large matrices that a kernel writes and never reads. Bypassing the caches loses
// nothing there, and saves reading the lines that are overwritten.
#pragma once
#include "ir/module.h"

#include <unordered_set>
#include <vector>

namespace xt {

struct StreamedStores {
  std::unordered_set<const Op *> stores; // used for lookup only
  std::vector<const Value *> read; // parameters that the kernel reads; the matrix that is stored to must not be one of them
};
// The stores through tiles of parameters that are not read through any tile. Tiles are followed through updates and `for`
// loops; any other use counts as a read.
StreamedStores findStreamedStores(const Kernel &kernel);

} // namespace xt
