// The checks of an algebraic run (ir/interp/field.h): what launches wrote and what is expected of them are elements of a
// finite field, and equal or not. No tolerance is involved, so that a term that is missing, or counted twice, shows at any
// size; what narrower types would round away is skipped.
#pragma once
#include "ir/interp/field_arithmetic.h"
#include "targets/run/field_eval.h"
#include "targets/run/report.h"

#include <map>

namespace xt {

class FieldCheck final : public FieldContents {
public:
  // All must outlive it; the target computes with `arithmetic`.
  FieldCheck(FieldArithmetic &arithmetic, const HostTest &test, TestState &state)
      : arithmetic_(arithmetic), test_(test), state_(state) {}

  // Before launches, when buffers hold their first content: elements of `random` and `ints` buffers of floats are
  // unknowns, all others what they are.
  void declareInputs();
  // After a launch that may write the buffer.
  void keep(const TestBuffer &buffer, size_t launch);
  // As verifyChecks.
  Result<std::vector<CheckReport>> verify();

  const std::vector<FieldValue> &fieldContent(const TestBuffer &buffer, size_t position, bool before) override;

private:
  std::vector<FieldValue> contentOf(const TestBuffer &buffer) const;
  Result<CheckReport> check(const HostStmt &stmt, size_t position);

  FieldArithmetic &arithmetic_;
  const HostTest &test_;
  TestState &state_;
  std::map<std::pair<std::string, size_t>, std::vector<FieldValue>> contents_; // by the launch before; kBefore: the first
};

} // namespace xt
