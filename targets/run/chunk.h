// Accesses operands of elementwise work in chunks that fit the first-level cache: operands of any kind become dense
// doubles, and results are written back whether or not the array shares memory with an operand.
#pragma once
#include "targets/run/array.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

namespace xt {

struct Chunk {
  double storage[kMaxRun];

  // Elements of a run as doubles; points into the array if they are dense doubles there.
  const double *values(const HostArray &array, int64_t offset, int64_t step, int64_t count) {
    if (!array.integer) return dense(array.values.data() + offset, step, count);
    const int64_t *from = array.ints.data() + offset;
    for (int64_t i = 0; i < count; ++i) storage[i] = array.numberOf(from[i * step]);
    return storage;
  }
  const double *errors(const HostArray &array, int64_t offset, int64_t step, int64_t count) {
    if (!array.exact()) return dense(array.errors.data() + offset, step, count);
    std::fill_n(storage, count, 0.0);
    return storage;
  }

private:
  const double *dense(const double *from, int64_t step, int64_t count) {
    if (step == 1) return from;
    std::fill_n(storage, count, *from);
    return storage;
  }
};

struct IntChunk {
  int64_t storage[kMaxRun];
  const int64_t *values(const HostArray &array, int64_t offset, int64_t step, int64_t count) {
    const int64_t *from = array.ints.data() + offset;
    if (step == 1) return from;
    std::fill_n(storage, count, *from);
    return storage;
  }
};

template <class T> void putChunk(Elements<T> &to, int64_t offset, const T *from, int64_t count) {
  std::memmove(to.data() + offset, from, static_cast<size_t>(count) * sizeof(T));
}

// Whether any bound of a chunk is nonzero (NaN counts as nonzero).
inline bool anyError(const double *errors, int64_t count) {
  bool any = false;
  for (int64_t i = 0; i < count; ++i) any |= !(errors[i] == 0);
  return any;
}

// |factor| * e, but 0 for e = 0 even if the factor is infinite. An infinite e stays infinite even if the factor is 0, because a
// value with an infinite error may be a NaN.
inline double scaled(double factor, double e) { return e == 0 || std::isinf(e) ? e : std::fabs(factor) * e; }

// The lowest linear index that any thread has reported, or -1.
class FirstIndex {
public:
  void put(int64_t index) {
    int64_t before = first_.load();
    while ((before < 0 || index < before) && !first_.compare_exchange_weak(before, index)) {}
  }
  int64_t get() const { return first_.load(); }

private:
  std::atomic<int64_t> first_{-1};
};

} // namespace xt
