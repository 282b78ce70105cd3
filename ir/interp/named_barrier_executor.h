// Executes XeGPU's ops on named barriers.
#pragma once
#include "ir/base/result.h"
#include "ir/interp/slot_values.h"
#include "ir/interp/worker.h"

namespace xt {

class NamedBarrierExecutor {
public:
  NamedBarrierExecutor(const Worker &worker, SlotValues &values) : worker_(worker), values_(values) {}

  Result<void> alloc(const Step &step);
  Result<void> create(const Step &step);
  void arrive(const Step &step);
  // Whether a worker that waits at `wait` may continue. Notifies the monitor if it may.
  bool passes(const Step &wait) const;

private:
  const Worker &worker_;
  SlotValues &values_;
};

} // namespace xt
