// What a kernel prints and asserts.
#pragma once
#include "ir/base/result.h"
#include "ir/interp/slot_values.h"
#include "ir/interp/worker.h"

namespace xt {

// Returns the error of a failed assert for the first false element, if there is one. `first`: the start of the condition in the
// vector that it is a part of; empty if it is not a part.
Result<void> checkAssertion(const Op &op, std::span<const Number> condition, std::span<const int64_t> first,
                            const WorkgroupEnvironment &environment, size_t subgroup);

// The elements as `print` shows them: numbers of IEEE arithmetic, whatever the arithmetic of the run is.
Fragment printedNumbers(Elem elem, std::span<const Number> elements, const Arithmetic &arithmetic);

// Prints and asserts of one worker, on values that it has as a whole.
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
