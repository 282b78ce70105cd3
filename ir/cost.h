// Counts the operations and the moved bytes of a kernel, op by op. The counts are used in descriptions of kernels, and to
// relate measured times of benchmarks to the limits of the hardware.
//
// Operations counted: 2*M*N*K for a tile_mma of MxK by KxN, with or without an accumulator; 2 per element for an fma; 1 per
// element of its result for every other elementwise op on vectors (arithmetic, functions, comparisons, select, casts); 1 per
// element of its operand for a reduction and an atomic. Arithmetic on scalars (indices, bounds), constants, and ops that only
// move elements (transpose, broadcast, convert_layout, reshape …) count nothing.
//
// Bytes counted: each load, store, gather, scatter and atomic counts the storage bytes of its whole tile (an atomic as both
// read and written), even if the tile reaches outside of its base, if elements are masked off, or if a cache would hold the
// data; memref.load and memref.store count one element. Prefetches count nothing. i1 and i4 take a byte per element.
//
// Repetitions: a loop whose bounds and step are constants (or extents of static memrefs, or arithmetic on these) counts its
// body once per iteration. The counts of any other loop are given per iteration, separately from those of the surrounding
// code. Both branches of an `if` are counted, and the larger number is taken for each count, so counts are upper bounds there.
//
// All counts are those of one workgroup. At subgroup scope they are sums over its subgroups.
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

// A loop whose number of iterations is not known.
struct LoopCost {
  const Op *loop = nullptr;
  double entered = 0; // how often the loop is entered, per iteration of the surrounding loop, or per workgroup
  OpCounts step;      // per iteration, without the inner loops listed below
  std::vector<LoopCost> inner;
};

struct KernelCost {
  OpCounts known;              // without the loops listed below
  std::vector<LoopCost> loops; // in the order of the text
  bool branches = false;       // whether some counts are maxima over the branches of an `if`
  int64_t slmBytes = 0;        // all alloc_slm together, per workgroup
};

KernelCost kernelCost(const Kernel &kernel);

} // namespace xt
