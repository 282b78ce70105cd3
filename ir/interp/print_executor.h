// Executes `print` and `assert`.
#pragma once
#include "ir/base/result.h"
#include "ir/interp/slot_values.h"
#include "ir/interp/worker.h"

namespace xt {

// Returns an Error for the first false element of an assert's condition, if there is one. `first`: the index at which the
// condition begins in the vector that it is a part of; empty if it is not a part.
Result<void> checkAssertion(const Op &op, std::span<const Number> condition, std::span<const int64_t> first,
                            const WorkgroupEnvironment &environment, size_t subgroup);

// The elements as `print` shows them: numbers of IEEE arithmetic, whatever the arithmetic of the run is.
Fragment printedNumbers(Elem elem, std::span<const Number> elements, const Arithmetic &arithmetic);

// Executes the prints and asserts of one worker on values that the worker has as a whole.
class PrintExecutor {
public:
  PrintExecutor(const Worker &worker, SlotValues &values) : worker_(worker), values_(values) {}

  void print(const Step &step);
  Result<void> assertion(const Step &step);

private:
  const Worker &worker_;
  SlotValues &values_;
};

} // namespace xt
