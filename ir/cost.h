// How many operations a kernel does and how many bytes it moves, counted from its ops: for descriptions, and to set
// what a benchmark measures against what the hardware can do.
//
// What counts as an operation: 2*M*N*K for a tile_mma of MxK by KxN, with or without an accumulator; 2 per element for
// an fma; 1 per element of its result for every other elementwise op on vectors (arithmetic, functions, comparisons,
// select, casts); 1 per element of its operand for a reduction and an atomic. Arithmetic on scalars (indices, bounds),
// constants, and ops that only move elements (transpose, broadcast, convert_layout, reshape …) count nothing.
//
// What counts as bytes: each load, store, gather, scatter and atomic counts the storage bytes of its whole tile (an
// atomic as read and as written), also where the tile reaches outside of its base, where a mask is off, and where a
// cache would have it; memref.load and memref.store count one element. Prefetches count nothing. i1 and i4 take a byte
// an element.
//
// How often: a loop whose bounds and step are constants (or extents of static memrefs, or arithmetic on these) counts
// its body as often as it runs. What another loop does is told per step, apart from what surrounds it. Of an `if` both
// branches are counted and the larger number is taken for each count, so that counts are upper bounds there.
//
// All counts are those of one workgroup. At subgroup scope that is the sum over its subgroups.
#pragma once
#include "ir/module.h"

namespace xt {

struct OpCounts {
  double mma = 0;                               // operations of tile_mma
  double elementwise = 0;                       // all other operations
  double bytesRead = 0, bytesWritten = 0;       // global memory
  double slmBytesRead = 0, slmBytesWritten = 0; // shared local memory
  double operations() const { return mma + elementwise; }
  bool operator==(const OpCounts &) const = default;
};

// A loop that runs an unknown number of steps.
struct LoopCost {
  const Op *loop = nullptr;
  double entered = 0; // how often it is come to, in one step of the loop around it, or in a workgroup
  OpCounts step;      // of one step, without the loops inside that are listed below
  std::vector<LoopCost> inner;
};

struct KernelCost {
  OpCounts known;              // outside of the loops below
  std::vector<LoopCost> loops; // in the order of the text
  bool branches = false;       // some counts are the larger ones of an `if`
  int64_t slmBytes = 0;        // of all alloc_slm together, per workgroup
};

KernelCost kernelCost(const Kernel &kernel);

} // namespace xt
