// Executes async_copy, async_commit and async_wait: copies to shared local memory, and the waits for groups of them.
#pragma once
#include "ir/base/result.h"
#include "ir/interp/slot_values.h"
#include "ir/interp/worker.h"

namespace xt {

class AsyncCopyExecutor {
public:
  AsyncCopyExecutor(const Worker &worker, SlotValues &values) : worker_(worker), values_(values) {}

  Result<void> begin(const Step &step);
  void commit(const Step &step);
  void wait(const Step &step);

private:
  const Worker &worker_;
  SlotValues &values_;
};

} // namespace xt
