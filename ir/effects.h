// What a kernel does to its memref parameters, derived from its ops.
#pragma once
#include "ir/module.h"

#include <vector>

namespace xt {

struct KernelEffects {
  // Per parameter: whether some op may read or write it, through the memref itself or through tiles made from it. False
  // for scalars but addresses (i64) that tiles are made from.
  std::vector<bool> reads, writes;
  // Whether results may depend on which workgroup or subgroup comes first: atomics that round (floats), that keep the
  // last value (assign), or whose old values are used.
  bool orderDependent = false;
};

// Tiles are followed through the ops that make tiles from tiles and through loops and branches: what a value may come
// from is the union over all paths. Memory effects are those of the op table.
KernelEffects kernelEffects(const Kernel &kernel);

} // namespace xt
