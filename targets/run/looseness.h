// Elements whose bound is so large that the check proves nothing about them.
#pragma once
#include "targets/run/check.h"

namespace xt {

// The scale of an element is the largest magnitude among the expected values of its row and its column (of the matrix
// of the last two dimensions; of the whole array if it has at most one dimension). A value near 0 left by
// cancellation is thus measured by its neighbours, which are sums of terms of the same size. `atLeast` is a scale for
// all elements: the largest magnitude in the buffers that the left side computes with.
//
// A bound that is infinite, or larger than the scale, accepts a kernel that writes zeros, and is too loose. A bound
// below the smallest normal number of the left side's type is never too loose.
struct Looseness {
  int64_t elements = 0, first = -1; // how many elements are too loosely bounded; linear index of the first
  double bound = 0, scale = 0;      // of the first
};
Looseness findLooseness(const Comparison &comparison, double atLeast, int threads);

// The largest finite magnitude in an array.
double largestFinite(const HostArray &array);

} // namespace xt
