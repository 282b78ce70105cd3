// The bound on the rounding error of sums such as a + b - c. A kernel may add the terms in another order than the test is
// written in, and partial sums that are exact in one order may round in another one.
#pragma once
#include "ir/host.h"
#include "targets/run/functions.h"

namespace xt {

// Whether an expression is `a + b` or `a - b`.
bool isSum(const HostExpr &expr);
// Whether it has three terms or more; two have one order.
inline bool isLongSum(const HostExpr &expr) { return isSum(expr) && (isSum(expr.args[0]) || isSum(expr.args[1])); }

class SumOfTerms {
public:
  explicit SumOfTerms(const EvalSite &site) : site_(site) {}

  // Counts a term; its sign does not matter.
  Result<void> add(const HostArray &term);
  // Raises the bounds of the sum of all terms to those that hold for any order of the additions: with n terms t, each within
  // its own error e, the sum of the errors plus (n - 1) u sum(|t| + e). An element whose partial sums are exact in every order
  // keeps its bound: its terms are exact multiples of a power of two q, and sum|t| is at most 2^24 q (f32) or 2^53 q (f64).
  Result<HostArray> withBounds(HostArray sum) const;

private:
  const EvalSite &site_;
  int terms_ = 0;
  HostArray magnitudes_; // sum|t|, with the sum of the terms' errors as its error
  HostArray quantum_; // q, or 0 if a term has an error
};

} // namespace xt
