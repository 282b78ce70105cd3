// Executes XeGPU's ops that access memory at one offset per lane: create_tdesc, update_offset, load, store, atomic_rmw.
#pragma once
#include "ir/base/result.h"
#include "ir/interp/slot_values.h"
#include "ir/interp/worker.h"

namespace xt {

class OffsetsExecutor {
public:
  OffsetsExecutor(const Worker &worker, SlotValues &values) : worker_(worker), values_(values) {}

  void createDesc(const Step &step);
  void moveDesc(const Step &step);
  Result<void> load(const Step &step);
  Result<void> store(const Step &step);
  Result<void> atomic(const Step &step);

private:
  // Returns an Error if an element that the mask selects is in no buffer of the launch. Only a descriptor that was made from
  // an address is checked: other descriptors have bounds.
  Result<void> staysInBuffers(const Step &step, const ScatterTile &lanes, const Fragment &mask) const;

  const Worker &worker_;
  SlotValues &values_;
};

} // namespace xt
