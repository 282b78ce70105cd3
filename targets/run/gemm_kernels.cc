#include "targets/run/gemm_kernels.h"

#include <cstring>

namespace xt {

namespace {
// Accumulators stay in registers: mr rows of `kVectors` vectors, leaving room for one row of B and a broadcast of A.
// The vector types are GCC's; the target attribute of the caller determines the instructions.
template <class T, int kBytes, int kRows, int kVectors>
[[gnu::always_inline]] inline void registerTile(int64_t depth, const T *a, const T *b, T *tile) {
  typedef T Vector __attribute__((vector_size(kBytes)));
  constexpr int kLanes = kBytes / static_cast<int>(sizeof(T));
  Vector sum[kRows][kVectors] = {};
  for (int64_t k = 0; k < depth; ++k) {
    Vector row[kVectors];
    for (int v = 0; v < kVectors; ++v) std::memcpy(&row[v], b + v * kLanes, kBytes);
#pragma GCC unroll 12
    for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) sum[i][v] += a[i] * row[v];
    a += kRows;
    b += kLanes * kVectors;
  }
#pragma GCC unroll 12
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) std::memcpy(tile + (i * kVectors + v) * kLanes, &sum[i][v], kBytes);
}

template <class T> void plain(int64_t depth, const T *a, const T *b, T *tile) { registerTile<T, 16, 4, 2>(depth, a, b, tile); }
template <class T> constexpr GemmKernel<T> kPlain{4, 2 * 16 / static_cast<int64_t>(sizeof(T)), plain<T>};

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void wide256(int64_t depth, const double *a, const double *b, double *tile) {
  registerTile<double, 32, 6, 2>(depth, a, b, tile);
}
[[gnu::target("avx2,fma")]] void wide256(int64_t depth, const float *a, const float *b, float *tile) {
  registerTile<float, 32, 6, 2>(depth, a, b, tile);
}
[[gnu::target("avx512f")]] void wide512(int64_t depth, const double *a, const double *b, double *tile) {
  registerTile<double, 64, 12, 2>(depth, a, b, tile);
}
[[gnu::target("avx512f")]] void wide512(int64_t depth, const float *a, const float *b, float *tile) {
  registerTile<float, 64, 12, 2>(depth, a, b, tile);
}
#endif
} // namespace

template <class T> int runnableKernels(GemmKernel<T> (&out)[3]) {
  int count = 0;
#if defined(__x86_64__)
  constexpr auto kSize = static_cast<int64_t>(sizeof(T));
  if (__builtin_cpu_supports("avx512f")) out[count++] = {12, 2 * 64 / kSize, wide512};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) out[count++] = {6, 2 * 32 / kSize, wide256};
#endif
  out[count++] = kPlain<T>;
  return count;
}

template <class T> GemmKernel<T> bestKernel() {
  GemmKernel<T> kernels[3];
  runnableKernels(kernels);
  return kernels[0];
}

template GemmKernel<double> bestKernel<double>();
template GemmKernel<float> bestKernel<float>();
template int runnableKernels<double>(GemmKernel<double> (&)[3]);
template int runnableKernels<float>(GemmKernel<float> (&)[3]);

} // namespace xt
