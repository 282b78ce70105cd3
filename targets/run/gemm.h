// The matrix product behind `matmul`: C = A * B in f64, and the corresponding sum of magnitudes. Blocking and
// vectorisation do not use the compiler under test.
#pragma once
#include "targets/run/memory.h"

namespace xt {

struct GemmShape {
  int64_t m = 0, n = 0, k = 0;
};

// c[i, j] = sum over k of a[i, k] * b[k, j], row-major and dense. Overwrites c.
Result<void> gemm(const GemmShape &shape, const double *a, const double *b, double *c, MemoryBudget &budget, int threads);

// c[i, j] = an upper bound, within a factor of 1 + 2^-13, of the sum over k of |a[i, k] * b[k, j]|. Computed in f32 in blocks
// of K, which are added in f64 and increased by the largest error of f32 sums of non-negative terms. Falls back to f64 where
// magnitudes are outside of the range that f32 represents accurately.
Result<void> gemmMagnitude(const GemmShape &shape, const double *a, const double *b, double *c, MemoryBudget &budget,
                           int threads);

} // namespace xt
