// Blocks of XeGPU (create_nd_tdesc, load_nd, store_nd) and the products of them (dpas), by a subgroup as a whole.
#pragma once
#include "ir/base/result.h"
#include "ir/interp/slot_values.h"
#include "ir/interp/worker.h"

namespace xt {

// What the lanes of a subgroup do together at lane scope is in lane_meeting.h.
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
