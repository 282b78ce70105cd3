// Tiles of memory, block and scatter: making and moving them, loads, stores, atomics, and nests of products.
#pragma once
#include "ir/base/result.h"
#include "ir/interp/slot_values.h"
#include "ir/interp/worker.h"

namespace xt {

class TileExecutor {
public:
  TileExecutor(const Worker &worker, SlotValues &values) : worker_(worker), values_(values) {}

  Result<void> init(const Step &step);
  void move(const Step &step);
  Result<void> load(const Step &step);
  Result<void> store(const Step &step);
  Result<void> atomic(const Step &step);
  void gather(const Step &step);
  void scatter(const Step &step);
  Result<void> nest(const Step &step);

private:
  void initScatter(const Step &step, const MemRefValue &base);
  // The elements of a tile at `dims` (rows, columns; those of the transposed tile if `transposed`).
  Result<Fragment> elementsOf(const Step &step, const TileValue &tile, std::span<const std::vector<int64_t>> dims,
                              bool transposed, Number padding) const;

  const Worker &worker_;
  SlotValues &values_;
};

} // namespace xt
