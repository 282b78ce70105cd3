// Executes ops on tiles of memory, block and scatter: their creation and movement, loads, stores, atomics, and `nest`.
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
  // Reads the elements of a tile at the rows dims[0] and the columns dims[1]; with `transposed`, these are rows and columns of
  // the transposed tile. Returns an Error if an element is outside of the tile's buffer.
  Result<Fragment> elementsOf(const Step &step, const TileValue &tile, std::span<const std::vector<int64_t>> dims,
                              bool transposed, Number padding) const;
  // The same for a load with a mask of these elements: those that it excludes are not accessed and are the padding.
  Result<Fragment> maskedElementsOf(const Step &step, const TileValue &tile, std::span<const std::vector<int64_t>> dims,
                                    const Fragment &mask, Number padding) const;

  const Worker &worker_;
  SlotValues &values_;
};

} // namespace xt
