// Compares what a kernel wrote with what was expected of it.
#pragma once
#include "targets/run/functions.h"

#include <functional>
#include <optional>
#include <string>

namespace xt {

// One element of a comparison. Integers that f64 does not hold are in the integer fields.
struct Verdict {
  double got = 0, expected = 0, bound = 0, difference = 0;
  bool passes = false;
};

// The rules of language.md, section 7. Both arrays must outlive it.
//   Derived  |got - expected| <= error of both + the rounding to the left side's element type, which is exact where the
//            expected value has no error: then only the correctly rounded value passes.
//   Exactly  got equals the expected value rounded to the left side's element type.
//   Ulp      |got - expected| <= n ulp of that type (f32 or f64 where the left side is computed).
//   RelAbs   |got - expected| <= atol + rtol * |expected|.
// inf passes where a value within the bound rounds to it. NaN passes only where both are NaN; an infinite expected value
// passes only itself.
class Comparison {
public:
  // The right side has the left side's shape or is a scalar, else HostShapeMismatch is reported.
  static Result<Comparison> make(const EvalSite &site, const HostArray &left, const HostArray &right,
                                 const HostStmt &check);

  int64_t count() const { return left_->count(); }
  const std::vector<int64_t> &shape() const { return left_->shape; }
  const HostArray &left() const { return *left_; }
  Verdict at(int64_t i) const;
  // Whether another value in the place of the left side's would pass.
  bool wouldPass(double got, int64_t i) const;
  double expectedAt(int64_t i) const { return right_->valueAt(right_->count() == 1 ? 0 : i); }
  // The bare bound on |got - expected|.
  double boundAt(int64_t i) const;
  // "6.1e-05 by the derived tolerance" and so on: what the bound is made of.
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
  int64_t first = -1, worst = -1; // linear indices, -1: none differs
  double worstRatio = 0;          // the largest |difference| / bound of all elements that pass
};
CompareResult compareAll(const Comparison &comparison, int threads);
// Whether all elements pass; stops early.
bool allPass(const Comparison &comparison);
// One byte for each element: 1 where it fails.
Result<Elements<uint8_t>> failureMask(const Comparison &comparison, MemoryBudget &budget, int threads);

// Shortest text that shows a value of an element type: "0.5", "-3", "nan".
std::string valueText(double value, std::optional<Elem> elem);
std::string elementText(const HostArray &array, int64_t i);

} // namespace xt
