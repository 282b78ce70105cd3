// Measures the peak rates of this machine, with which the rates of kernels are compared.
#pragma once
#include "targets/cpu/analysis/cpu_info.h"
#include "targets/target.h"

namespace xt {

// The peak `operations` per second of `threads` cores that work on registers only, with the instructions of `cpu`, for which
// hostCanRun must hold. The element type of the result is `elem` if there are instructions for it, otherwise f32, or i8 for
// other integers; the rate is 0 if there are no instructions. With AMX, the rates of f16 and tf32 are those of products in
// slices (float_slices.h). The rate of f32 is that of vfmadd; sliced f32 could exceed it by a factor of 1.6 if nothing had to
// be loaded. Measures thread CPU time, so that other programs do not lower the rate. Takes about 10 ms. Leaves `bytes` 0.
MachineRates measurePeak(const CpuInfo &cpu, Elem elem, int threads);

// Bytes read and written per second while `threads` threads together copy an array of 64 MiB. Takes about 100 ms.
double measureBandwidth(int threads);

// Evicts memory from all caches of this machine; false: not supported.
bool evictFromCaches(const void *memory, int64_t bytes);

} // namespace xt
