// What this machine can do at most, measured: what the rates of kernels are held against.
#pragma once
#include "targets/cpu/cpu_info.h"
#include "targets/target.h"

namespace xt {

// `operations`: of `threads` cores on registers alone, with the instructions of `cpu`, for which hostCanRun holds; `elem` is
// the type asked for where there are instructions for it, else f32, or i8 for other integers; 0 where there are none. f16 and
// tf32 count as AMX multiplies them, sliced; f32 counts as vfmadd does, which sliced f32 (float_slices.h) might pass: by 1.6
// times if nothing were loaded. Each core's own time counts, so that other programs make it no lower. Takes about 10 ms. `bytes`
// is left 0.
MachineRates measurePeak(const CpuInfo &cpu, Elem elem, int threads);

// Bytes read and written a second while `threads` threads copy an array of 64 MiB together. Takes about 100 ms.
double measureBandwidth(int threads);

// Takes memory out of all caches of this machine; false: cannot.
bool evictFromCaches(const void *memory, int64_t bytes);

} // namespace xt
