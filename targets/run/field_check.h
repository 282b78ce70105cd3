// The checks of an algebraic run (ir/interp/field.h): results and expected values are elements of a finite field,
// which are either equal or not. There is no tolerance, so a missing term, or one counted twice, is found at any
// size. The effect of rounding to narrower types is ignored. All elements of the field that a check needs are counted in the
// memory budget.
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
  ~FieldCheck() override { forgetMemory(); }

  // Call before the launches, when buffers hold their initial content. Elements of `random` and `ints` buffers of
  // floats become unknowns, all others keep their values. An Error if the budget is exhausted.
  Result<void> declareInputs();
  // Call after a launch that may write the buffer. An Error if the budget is exhausted.
  Result<void> keep(const TestBuffer &buffer, size_t launch);
  // Like verifyChecks (verify.h), but both sides are compared in the field.
  Result<std::vector<CheckReport>> verify();

  const Elements<FieldValue> &fieldContent(const TestBuffer &buffer, size_t position, bool before) override;

private:
  Result<Elements<FieldValue>> contentOf(const TestBuffer &buffer) const;
  void forgetMemory();
  Result<void> reserveMemory();
  std::string_view whyOnlyInField() const;
  Elem literalsOf(const HostStmt &stmt, const HostArray &left, const HostArray &right);
  Result<CheckReport> check(const HostStmt &stmt, size_t position);

  FieldArithmetic &arithmetic_;
  const HostTest &test_;
  TestState &state_;
  std::map<std::pair<std::string, size_t>, Elements<FieldValue>> contents_; // by buffer and preceding launch, or kBefore
  int64_t reserved_ = 0; // bytes of the budget for the elements that `arithmetic_` keeps
};

} // namespace xt
