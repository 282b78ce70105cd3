// Elements whose bound is so large that the check proves nothing about them.
#pragma once
#include "targets/run/check.h"

namespace xt {

// The scale of an element is the largest magnitude among the expected values of its row and its column (of the matrix of
// the last two dimensions; of the whole array where it has one dimension or none). A value near 0 that cancellation
// leaves is so measured by its neighbours, which are sums of terms of the same size. `atLeast` is a scale that holds for
// all elements: where the left side computes with buffers, their largest magnitude.
//
// A bound that is infinite, or larger than the scale, accepts a kernel that writes zeros, and is too loose. Bounds below
// the smallest normal number of the left side's type are never.
struct Looseness {
  int64_t elements = 0, first = -1; // how many elements are too loosely bounded; linear index of the first
  double bound = 0, scale = 0;      // of the first
};
Looseness findLooseness(const Comparison &comparison, double atLeast, int threads);

// The largest finite magnitude in an array.
double largestFinite(const HostArray &array);

} // namespace xt
