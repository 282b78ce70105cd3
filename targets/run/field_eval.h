// Evaluates expressions of test blocks in the field of an algebraic run (ir/interp/field.h). Integers, comparisons
// and indices are computed as in other runs; floats are elements of the field.
#pragma once
#include "ir/interp/field.h"
#include "targets/run/test_state.h"

namespace xt {

struct FieldArray {
  std::vector<int64_t> shape; // empty: a scalar
  Elements<FieldValue> values;
  std::optional<HostArray> integers; // set for an array of integers, instead of `values`

  int64_t count() const { return integers ? integers->count() : values.count(); }
  FieldValue at(int64_t i) const { return integers ? fieldFromInteger(integers->ints[i]) : values[i]; }
};
// Allocates elements of the field within the budget; an Error if it is exhausted.
Result<Elements<FieldValue>> makeFieldValues(MemoryBudget &budget, int64_t count);

// The content of float buffers at a statement, or before the launches.
class FieldContents {
public:
  virtual ~FieldContents() = default;
  virtual const Elements<FieldValue> &fieldContent(const TestBuffer &buffer, size_t position, bool before) = 0;
};

// Evaluates an expression that TestState::evaluate has accepted. `literals`: the type, f32 or f64, of the kernel's constants
// that the literals of the expression stand for. An Error if the memory budget is exhausted.
Result<FieldArray> evaluateInField(const HostExpr &expr, size_t position, const HostTest &test, TestState &state,
                                   FieldContents &contents, Elem literals);

} // namespace xt
