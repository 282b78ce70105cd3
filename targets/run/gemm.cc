#include "targets/run/gemm.h"

#include "targets/run/gemm_kernels.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

namespace xt {

namespace {
// Block sizes of the three-level scheme of Goto and van de Geijn (Anatomy of High-Performance Matrix Multiplication,
// ACM TOMS 34(3), 2008): a panel of A of kRows x kDepth stays in the second-level cache, a panel of B of kDepth x nr
// in the first-level cache.
constexpr int64_t kDepth = 512;
constexpr int64_t kRows = 192;     // a multiple of every kernel's mr
constexpr int64_t kColumns = 2304; // a multiple of every kernel's nr

int64_t roundUp(int64_t n, int64_t multiple) { return (n + multiple - 1) / multiple * multiple; }

template <class T, bool kMagnitude> T element(double value) { return static_cast<T>(kMagnitude ? std::fabs(value) : value); }

// Packs rows [0, rows) of A into slivers of mr rows, each stored column by column; missing rows are 0.
template <class T, bool kMagnitude>
void packA(const double *a, int64_t stride, int64_t rows, int64_t depth, int64_t mr, T *to) {
  for (int64_t r0 = 0; r0 < rows; r0 += mr, to += mr * depth) {
    int64_t height = std::min(mr, rows - r0);
    if (height < mr) std::fill_n(to, mr * depth, T(0));
    for (int64_t r = 0; r < height; ++r)
      for (int64_t k = 0; k < depth; ++k) to[k * mr + r] = element<T, kMagnitude>(a[(r0 + r) * stride + k]);
  }
}

template <class T, bool kMagnitude>
void packB(const double *b, int64_t stride, int64_t depth, int64_t columns, int64_t nr, T *to) {
  for (int64_t c0 = 0; c0 < columns; c0 += nr, to += nr * depth) {
    int64_t width = std::min(nr, columns - c0);
    for (int64_t k = 0; k < depth; ++k) {
      const double *row = b + k * stride + c0;
      T *out = to + k * nr;
      for (int64_t c = 0; c < width; ++c) out[c] = element<T, kMagnitude>(row[c]);
      for (int64_t c = width; c < nr; ++c) out[c] = T(0);
    }
  }
}

// Adds tile * raise + floor to C, whose elements are doubles.
template <class T>
void addTile(const T *tile, int64_t nr, int64_t rows, int64_t columns, double raise, double floor, bool first, double *c,
             int64_t stride) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      double value = static_cast<double>(tile[i * nr + j]) * raise + floor;
      c[i * stride + j] = first ? value : c[i * stride + j] + value;
    }
}

struct Correction {
  double raise = 1, floor = 0; // applied to each block's sum
};

// The work of one thread: columns [0, n) of B and C.
template <class T, bool kMagnitude>
void gemmPart(const GemmShape &s, const double *a, const double *b, int64_t bStride, double *c, int64_t cStride,
              const GemmKernel<T> &kernel, Correction correction, T *panelA, T *panelB) {
  alignas(64) T tile[kMaxTile];
  for (int64_t j0 = 0; j0 < s.n; j0 += kColumns) {
    int64_t columns = std::min(kColumns, s.n - j0);
    for (int64_t k0 = 0; k0 < s.k; k0 += kDepth) {
      int64_t depth = std::min(kDepth, s.k - k0);
      packB<T, kMagnitude>(b + k0 * bStride + j0, bStride, depth, columns, kernel.nr, panelB);
      for (int64_t i0 = 0; i0 < s.m; i0 += kRows) {
        int64_t rows = std::min(kRows, s.m - i0);
        packA<T, kMagnitude>(a + i0 * s.k + k0, s.k, rows, depth, kernel.mr, panelA);
        for (int64_t j = 0; j < columns; j += kernel.nr)
          for (int64_t i = 0; i < rows; i += kernel.mr) {
            kernel.run(depth, panelA + i * depth, panelB + j * depth, tile);
            addTile(tile, kernel.nr, std::min(kernel.mr, rows - i), std::min(kernel.nr, columns - j), correction.raise,
                    correction.floor, k0 == 0, c + (i0 + i) * cStride + j0 + j, cStride);
          }
      }
    }
  }
}

template <class T, bool kMagnitude>
Result<void> gemmWith(const GemmShape &s, const double *a, const double *b, double *c, Correction correction,
                      MemoryBudget &budget, int threads) {
  if (s.m == 0 || s.n == 0) return {};
  if (s.k == 0) {
    std::fill_n(c, s.m * s.n, 0.0);
    return {};
  }
  const GemmKernel<T> kernel = bestKernel<T>();
  int64_t cores = threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
  // Threads share only the operands: each computes some columns, or rows if there are fewer columns than rows.
  bool byColumns = s.n >= s.m;
  int64_t unit = byColumns ? kernel.nr : kernel.mr, extent = byColumns ? s.n : s.m;
  bool small = static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k) < 1e6;
  int64_t parts = small ? 1 : std::min(cores, (extent + unit - 1) / unit);
  int64_t depth = std::min(kDepth, s.k);
  int64_t sizeA = roundUp(kRows * depth, 64), sizeB = roundUp(roundUp(std::min(kColumns, s.n), kernel.nr) * depth, 64);
  auto panels = Elements<T>::make(budget, (sizeA + sizeB) * parts, "the panels of a matrix product");
  if (!panels) return panels.error();
  int64_t share = roundUp((extent + parts - 1) / parts, unit);
  parallelFor(parts, 1, static_cast<int>(parts), [&](int64_t first, int64_t last) {
    for (int64_t p = first; p < last; ++p) {
      int64_t begin = std::min(extent, p * share), end = std::min(extent, begin + share);
      GemmShape part = s;
      (byColumns ? part.n : part.m) = end - begin;
      T *panelA = panels->data() + p * (sizeA + sizeB);
      gemmPart<T, kMagnitude>(part, byColumns ? a : a + begin * s.k, byColumns ? b + begin : b, s.n,
                              byColumns ? c + begin : c + begin * s.n, s.n, kernel, correction, panelA, panelA + sizeA);
    }
  });
  return {};
}

struct Range {
  double largest = 0, smallest = std::numeric_limits<double>::infinity(); // over the nonzero magnitudes
  bool finite = true;
};
Range rangeOf(const double *x, int64_t count) {
  Range range;
  for (int64_t i = 0; i < count; ++i) {
    double v = std::fabs(x[i]);
    range.finite &= v <= std::numeric_limits<double>::max();
    range.largest = std::max(range.largest, v);
    range.smallest = std::min(range.smallest, v == 0 ? range.smallest : v);
  }
  return range;
}
} // namespace

Result<void> gemm(const GemmShape &shape, const double *a, const double *b, double *c, MemoryBudget &budget, int threads) {
  return gemmWith<double, false>(shape, a, b, c, {}, budget, threads);
}

Result<void> gemmMagnitude(const GemmShape &shape, const double *a, const double *b, double *c, MemoryBudget &budget,
                           int threads) {
  Range ra = rangeOf(a, shape.m * shape.k), rb = rangeOf(b, shape.k * shape.n);
  double most = ra.largest * rb.largest * static_cast<double>(kDepth);
  bool fits = ra.finite && rb.finite && std::max({ra.largest, rb.largest, most}) < 0x1p120 &&
              std::min(ra.smallest, rb.smallest) > 0x1p-100;
  // Each f64 step of a sum of non-negative terms has a relative error of at most 2^-53.
  double blocks = static_cast<double>(shape.k) / kDepth + 2;
  if (!fits) return gemmWith<double, true>(shape, a, b, c, {1 + (kDepth + 2 + blocks) * 0x1p-52, 0}, budget, threads);
  // In f32, each operand and each step has an error of at most 2^-24 of a block's sum; twice that covers second-order terms. A
  // product below the normal range loses at most 2^-149.
  double floor = ra.smallest * rb.smallest < 0x1p-124 ? kDepth * 0x1p-148 : 0;
  return gemmWith<float, true>(shape, a, b, c, {1 + (kDepth + 3) * 0x1p-23 + blocks * 0x1p-52, floor}, budget, threads);
}

} // namespace xt
