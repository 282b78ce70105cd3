// Evaluates expressions of test blocks in the field of an algebraic run (ir/interp/field.h). Integers, comparisons
// and indices are computed as in other runs; floats are elements of the field.
#pragma once
#include "ir/interp/field.h"
#include "targets/run/test_state.h"

namespace xt {

struct FieldArray {
  std::vector<int64_t> shape; // empty: a scalar
  std::vector<FieldValue> values;
  std::optional<HostArray> integers; // set for an array of integers, instead of `values`

  int64_t count() const { return integers ? integers->count() : static_cast<int64_t>(values.size()); }
  FieldValue at(int64_t i) const {
    return integers ? fieldFromInteger(integers->ints[i]) : values[static_cast<size_t>(i)];
  }
};

// The content of float buffers at a statement, or before the launches.
class FieldContents {
public:
  virtual ~FieldContents() = default;
  virtual const std::vector<FieldValue> &fieldContent(const TestBuffer &buffer, size_t position, bool before) = 0;
};

// Evaluates an expression that TestState::evaluate has accepted. An Error if memory runs out.
Result<FieldArray> evaluateInField(const HostExpr &expr, size_t position, const HostTest &test, TestState &state,
                                   FieldContents &contents);

} // namespace xt
