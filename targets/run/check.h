// Compares the results of a kernel with the expected values.
#pragma once
#include "targets/run/functions.h"

#include <functional>
#include <optional>
#include <string>

namespace xt {

// The comparison of one element. Integers that f64 cannot represent are in the integer fields.
struct Verdict {
  double got = 0, expected = 0, bound = 0, difference = 0;
  bool passes = false;
};

// The rules of lang/reference/tests_and_tolerances.md. Both arrays must outlive it.
//   Derived  |got - expected| <= error of both + the rounding to the left side's element type, which is exact where the
//            expected value has no error: then only the correctly rounded value passes.
//   Exactly  got equals the expected value rounded to the left side's element type.
//   Ulp      |got - expected| <= n ulp of that type (f32 or f64 where the left side is computed).
//   RelAbs   |got - expected| <= atol + rtol * |expected|.
// An infinity passes where a value within the bound rounds to it. NaN passes only where both are NaN; an infinite
// expected value accepts only itself.
class Comparison {
public:
  // The right side must have the left side's shape or be a scalar; otherwise HostShapeMismatch is reported.
  static Result<Comparison> make(const EvalSite &site, const HostArray &left, const HostArray &right, const HostStmt &check);

  int64_t count() const { return left_->count(); }
  const std::vector<int64_t> &shape() const { return left_->shape; }
  const HostArray &left() const { return *left_; }
  HostStmt::Tolerance tolerance() const { return tolerance_; }
  Verdict at(int64_t i) const;
  // Whether the value `got` at index i of the left side would pass.
  bool wouldPass(double got, int64_t i) const;
  double expectedAt(int64_t i) const { return right_->valueAt(right_->count() == 1 ? 0 : i); }
  // The bound on |got - expected|.
  double boundAt(int64_t i) const;
  // The origin of the bound, e.g. "6.1e-05 by the derived tolerance".
  std::string toleranceText() const;

private:
  bool integers() const { return left_->integer && right_->integer; }
  bool integersPass(int64_t i) const;

  const HostArray *left_ = nullptr, *right_ = nullptr;
  HostStmt::Tolerance tolerance_ = HostStmt::Tolerance::Derived;
  double ulp_ = 0, rtol_ = 0, atol_ = 0;
};

struct CompareResult {
  int64_t compared = 0, different = 0;
  int64_t first = -1, worst = -1; // linear indices; -1: no element differs
  double worstRatio = 0;          // the largest |difference| / bound of all elements that pass
};
CompareResult compareAll(const Comparison &comparison, int threads);
// Whether all elements pass; stops early.
bool allPass(const Comparison &comparison);
// One byte per element: 1 where the element fails.
Result<Elements<uint8_t>> failureMask(const Comparison &comparison, MemoryBudget &budget, int threads);

// The shortest text that identifies a value of an element type: "0.5", "-3", "nan".
std::string valueText(double value, std::optional<Elem> elem);
std::string elementText(const HostArray &array, int64_t i);

} // namespace xt
