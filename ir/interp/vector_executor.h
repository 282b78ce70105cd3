// Executes ops on scalars and on the parts of vectors that a worker holds.
#pragma once
#include "ir/interp/slot_values.h"
#include "ir/interp/worker.h"

namespace xt {

class VectorExecutor {
public:
  VectorExecutor(const Worker &worker, SlotValues &values) : worker_(worker), values_(values) {}

  void constant(const Step &step);
  void splat(const Step &step);
  void id(const Step &step); // the id of the block, the subgroup or the lane
  void elementwise(const Step &step);
  void tileMma(const Step &step);
  void iota(const Step &step);
  void createMask(const Step &step);
  void rearrange(const Step &step); // the ops that evaluateVectorOp computes
  void extract(const Step &step);
  void insert(const Step &step);
  void insertSlice(const Step &step);

private:
  const Worker &worker_;
  SlotValues &values_;
};

} // namespace xt
