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

// The value of a sum, or of a part of one, and what its terms say about its bound.
class SumOfTerms {
public:
  // A value that is one term. It may be an array of integers, whose sums are exact.
  explicit SumOfTerms(HostArray term) : value_(std::move(term)) {}
  // Adds or subtracts. The integers on both sides make one term, and so does an f32 part of an f64 sum.
  static Result<SumOfTerms> combined(const EvalSite &site, HostFn addOrSub, SumOfTerms a, SumOfTerms b);
  // The value. Its bounds hold for any order of the additions: for n terms t, each within its own error e, they are the sum of
  // the errors plus min(n - 1, kLambda sqrt(n)) u sum(|t| + e) (kLambda: rounding.h). An element whose partial sums are exact in
  // every order has the bound that it has in the written one: its terms are exact multiples of a power of two q, and sum|t| is
  // less than 2^24 q (f32) or 2^53 q (f64).
  Result<HostArray> withBounds(const EvalSite &site) &&;

private:
  Result<void> count(const EvalSite &site, const HostArray &term);
  Result<void> count(const EvalSite &site, SumOfTerms &part, bool wide);

  HostArray value_;
  int terms_ = 0; // 0: value_ is one term, which is not counted yet
  // Of the same shape. sum|t|, with the sum of the terms' errors as its error; and q, or 0 if a term has an error.
  HostArray magnitudes_, quanta_;
};

} // namespace xt
