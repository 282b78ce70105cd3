// Executes ops on memrefs: extents, casts, allocation of shared local memory, and accesses to single elements.
#pragma once
#include "ir/base/result.h"
#include "ir/interp/slot_values.h"
#include "ir/interp/worker.h"

namespace xt {

class MemRefExecutor {
public:
  MemRefExecutor(const Worker &worker, SlotValues &values) : worker_(worker), values_(values) {}

  void allocSlm(const Step &step);
  void cast(const Step &step);
  Result<void> view(const Step &step);
  Result<void> dim(const Step &step);
  void load(const Step &step);
  void store(const Step &step);

private:
  // Notifies the monitor of an access, and returns the element's address; null if the element is out of bounds.
  unsigned char *access(const Step &step, const MemRefValue &memref, const std::vector<int64_t> &index,
                        MemoryMonitor::Kind kind) const;

  const Worker &worker_;
  SlotValues &values_;
};

} // namespace xt
