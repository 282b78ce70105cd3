// The checks of an algebraic run (ir/interp/field.h): results and expected values are elements of a finite field,
// which are either equal or not. There is no tolerance, so a missing term, or one counted twice, is found at any
// size. The effect of rounding to narrower types is ignored.
#pragma once
#include "ir/interp/field_arithmetic.h"
#include "targets/run/field_eval.h"
#include "targets/run/report.h"

#include <map>

namespace xt {

class FieldCheck final : public FieldContents {
public:
  // All arguments must outlive the object; the target computes with `arithmetic`.
  FieldCheck(FieldArithmetic &arithmetic, const HostTest &test, TestState &state)
      : arithmetic_(arithmetic), test_(test), state_(state) {}

  // Call before the launches, when buffers hold their initial content. Elements of `random` and `ints` buffers of
  // floats become unknowns, all others keep their values.
  void declareInputs();
  // Call after a launch that may write the buffer.
  void keep(const TestBuffer &buffer, size_t launch);
  // Like verifyChecks.
  Result<std::vector<CheckReport>> verify();

  const std::vector<FieldValue> &fieldContent(const TestBuffer &buffer, size_t position, bool before) override;

private:
  std::vector<FieldValue> contentOf(const TestBuffer &buffer) const;
  Result<CheckReport> check(const HostStmt &stmt, size_t position);

  FieldArithmetic &arithmetic_;
  const HostTest &test_;
  TestState &state_;
  std::map<std::pair<std::string, size_t>, std::vector<FieldValue>> contents_; // by preceding launch, or kBefore
};

} // namespace xt
