// How many operations a kernel does and how many bytes it moves, counted from its ops.
//
// A tile_mma of MxNxK counts 2*M*N*K operations; an elementwise op, a reduction or an atomic one for each element of its
// operand. Loads and stores count the whole tile, also where it reaches outside. A loop counts its body as often as it
// runs where its bounds are constants; otherwise once, and the counts are said to be per step.
#pragma once
#include "ir/module.h"

namespace xt {

struct KernelCost { // of one workgroup, summed over its subgroups
  double operations = 0;
  double bytesRead = 0, bytesWritten = 0; // of global memory
  int64_t slmBytes = 0;                   // of its buffers
  bool perStep = false;                   // some loop's number of steps is not known: its body counts once
};

KernelCost kernelCost(const Kernel &kernel);

} // namespace xt
