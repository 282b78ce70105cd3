// Executes XeGPU's ops on blocks: create_nd_tdesc, update_nd_offset, load_nd, store_nd and dpas (the product of two blocks).
#pragma once
#include "ir/base/result.h"
#include "ir/interp/slot_values.h"
#include "ir/interp/worker.h"

namespace xt {

// load(), store() and multiply() are for a subgroup as a whole. At lane scope, lane_meeting.h executes these ops, because the
// lanes of a subgroup execute them together.
class BlockExecutor {
public:
  BlockExecutor(const Worker &worker, SlotValues &values) : worker_(worker), values_(values) {}

  void createDesc(const Step &step);
  void moveDesc(const Step &step);
  Result<void> load(const Step &step);
  Result<void> store(const Step &step);
  void multiply(const Step &step);

private:
  const Worker &worker_;
  SlotValues &values_;
};

} // namespace xt
