// What a kernel does to its memref parameters, derived from its ops.
#pragma once
#include "ir/module.h"

#include <vector>

namespace xt {

struct KernelEffects {
  // Per parameter: whether some op may read or write it, through the memref itself or through tiles made from it. False
  // for scalars.
  std::vector<bool> reads, writes;
};

// Tiles are followed through the ops that make tiles from tiles and through loops and branches: what a value may come
// from is the union over all paths. Memory effects are those of the op table.
KernelEffects kernelEffects(const Kernel &kernel);

} // namespace xt
