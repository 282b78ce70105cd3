// Finds elements whose bound is so large that the check proves nothing about them.
#pragma once
#include "targets/run/check.h"

namespace xt {

// The scale of a row or column (of the matrix of the last two dimensions; an array of one dimension is a row) is the largest
// magnitude among its expected values. With a tolerance that a test states as a number (rtol, atol), it is the upper quartile
// of the nonzero magnitudes, because a larger bound accepts zeros for three quarters of these values. A row or column of fewer
// than 4 nonzero values has no scale. A value below 2^-16 of a derived bound counts as 0: it is what rounding leaves of terms
// that cancel.
//
// The scale of an element is the larger one of its own magnitude and of the scale around it: the smaller one of the scales of
// its row and its column, the only one if the other has none, or the largest magnitude in the row and the column if neither has
// one. A value near 0 left by cancellation is thus measured by its neighbours in both directions, which are sums of terms of
// the same size. `atLeast` is a scale for all elements: the largest magnitude in the buffers that the left side computes with.
//
// A bound that is infinite, or larger than the scale, accepts a kernel that writes zeros, and is too loose. A bound below the
// smallest normal number of the left side's type is never too loose.
struct Looseness {
  int64_t elements = 0, first = -1; // how many elements are too loosely bounded; linear index of the first
  double bound = 0, scale = 0; // of the first
};
Looseness findLooseness(const Comparison &comparison, double atLeast, int threads);

// The largest finite magnitude in an array.
double largestFinite(const HostArray &array);

} // namespace xt
