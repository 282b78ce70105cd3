// Compares the results of a kernel with the expected values.
#pragma once
#include "targets/run/functions.h"

#include <functional>
#include <optional>
#include <string>

namespace xt {

// The comparison of one element. Integers that f64 cannot represent are rounded in `got` and `expected`; if both are integers,
// `difference` and `passes` follow from their exact values.
struct Verdict {
  double got = 0, expected = 0, bound = 0, difference = 0;
  bool passes = false;
};

// The rules of lang/reference/tests_and_tolerances.md. Both arrays must outlive the object.
//   Derived  |got - expected| <= error of both + the rounding to the left side's element type, which is exact where the
//            expected value has no error: then only the correctly rounded value passes.
//   Exactly  got equals the expected value rounded to the left side's element type.
//   Ulp      |got - expected| <= n ulp of that type (f32 or f64 where the left side is computed).
//   RelAbs   |got - expected| <= atol + rtol * |expected|.
// An infinity passes where a value within the bound rounds to it; an infinite expected value accepts only itself. NaN passes
// only where the expected value is NaN or, in a type without infinities, rounds to NaN.
class Comparison {
public:
  // Reports HostShapeMismatch unless the right side has the left side's shape or is a scalar.
  static Result<Comparison> make(const EvalSite &site, const HostArray &left, const HostArray &right, const HostStmt &check);

  int64_t count() const { return left_->count(); }
  const std::vector<int64_t> &shape() const { return left_->shape; }
  const HostArray &left() const { return *left_; }
  HostStmt::Tolerance tolerance() const { return tolerance_; }
  Verdict at(int64_t i) const;
  // Whether the value `got` at index i of the left side would pass.
  bool wouldPass(double got, int64_t i) const;
  double expectedAt(int64_t i) const; // saturated, if the type of the left side saturates
  double expectedErrorAt(int64_t i) const;
  // The bound on |got - expected|.
  double boundAt(int64_t i) const;
  // The tolerance as text, e.g. "derived from the expression" or "within ulp = 2".
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

// A value of an element type as text: "0.5", "-3", "nan". It is the shortest text that identifies the value if the type has at
// most 24 bits of precision; otherwise it has up to 9 significant digits.
std::string valueText(double value, std::optional<Elem> elem);
std::string elementText(const HostArray &array, int64_t i);

} // namespace xt
