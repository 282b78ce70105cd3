// Register tiles of the matrix product, one for each vector width, selected at run time.
#pragma once
#include <cstdint>

namespace xt {

// tile[i * nr + j] = sum over k of a[k * mr + i] * b[k * nr + j]. Operands are packed, tiles 64-byte aligned.
template <class T> struct GemmKernel {
  int64_t mr, nr;
  void (*run)(int64_t depth, const T *a, const T *b, T *tile);
};
inline constexpr int64_t kMaxTile = 12 * 32; // elements of the largest tile

// The widest kernel that this processor supports.
template <class T> GemmKernel<T> bestKernel();
// All kernels that this processor supports, widest first, for tests.
template <class T> int runnableKernels(GemmKernel<T> (&out)[3]);

} // namespace xt
