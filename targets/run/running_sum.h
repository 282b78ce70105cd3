// Sums of values that carry errors.
#pragma once
#include "targets/run/rounding.h"

#include <cmath>
#include <cstdint>

namespace xt {

// A sum of terms with their errors, and the bound on the error of a kernel's sum in any order.
struct RunningSum {
  double sum = 0, magnitude = 0, carried = 0;
  int64_t terms = 0;    // terms that are not certainly 0: adding a 0 is exact
  bool integers = true; // all terms are integers
  void add(double x, double e) {
    sum += x;
    magnitude += std::fabs(x);
    carried += e;
    terms += x != 0 || e != 0;
    integers &= x == std::rint(x);
  }
  void add(const RunningSum &other) {
    sum += other.sum;
    magnitude += other.magnitude;
    carried += other.carried;
    terms += other.terms;
    integers &= other.integers;
  }
  double bound(RoundingType type) const {
    if (!std::isfinite(sum)) return specialBound(std::isfinite(carried));
    bool exact = (integers && carried == 0 && magnitude < type.exact) || terms <= 1;
    if (exact) return carried;
    double own = kLambda * std::sqrt(static_cast<double>(terms)) * type.unit;
    return carried + own * (magnitude + carried);
  }
};

} // namespace xt
