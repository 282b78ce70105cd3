#include "passes/block_stores.h"

#include "ir/base/text.h"
#include "ir/context.h"
#include "ir/gpu/block_rules.h"
#include "ir/gpu/lane_fragments.h"
#include "ir/op_kinds.h"

namespace xt {

void BlockStores::storeTile(const Op &op) {
  const Value *value = op.operand(0), *tile = op.operand(1);
  std::string reason = messages_.whyNot(tile, true);
  int bits = memoryBits(tile->type().elem());
  const BlockShape *shape = reason.empty() ? blockShape(target_, BlockUse::Store, bits) : nullptr;
  if (reason.empty() && !shape) reason = str(target_.name, " has no block message that stores elements of ", bits, " bits");
  if (!reason.empty()) return storeByLanes(op, reason);
  BlockGrid grid = messageGrid(tile->type(), *shape);
  const Layout *stated = classes_.layout(value, value->type().shape());
  if (stated && !takesStatedLayout(value, grid))
    return storeByLanes(op, str("no block message takes from each lane what the layout states: ", stated->text()));
  storeByMessages(op, grid);
}

// Uses the widest blocks available, and narrower ones for the remainder.
BlockGrid BlockStores::messageGrid(Type tile, const BlockShape &shape) const {
  BlockGrid grid;
  grid.dims = {cutToPowersOfTwo(tile.extent(0), shape.mostRows), {}};
  for (int64_t columns = tile.extent(1); columns > 0; columns -= grid.dims[1].back()) {
    const BlockShape *fits = widestWithin(memoryBits(tile.elem()), columns);
    grid.dims[1].push_back(fits ? fits->columns : columns);
  }
  return grid;
}

const BlockShape *BlockStores::widestWithin(int bits, int64_t columns) const {
  const BlockShape *widest = nullptr;
  for (const BlockShape &shape : target_.blockShapes) {
    bool fits = shape.use == BlockUse::Store && shape.bits == bits && shape.columns <= columns;
    if (fits && (!widest || shape.columns > widest->columns)) widest = &shape;
  }
  return widest;
}

// Whether messages store all these blocks, and each lane holds what they take from it.
bool BlockStores::takesStatedLayout(const Value *value, const BlockGrid &grid) const {
  int bits = memoryBits(value->type().elem());
  for (size_t k = 0; k < grid.count(); ++k) {
    std::vector<int64_t> size = grid.shape(k);
    if (!blockMessage(target_, BlockUse::Store, bits, size[0], size[1])) return false;
    const Layout *taken = blockMessageLayout(b_.context(), size, bits, classes_.lanes(), false, false);
    if (!taken || taken != classes_.layout(value, size)) return false;
  }
  return true;
}

void BlockStores::storeByMessages(const Op &op, const BlockGrid &grid) {
  const Value *tile = op.operand(1);
  int bits = memoryBits(tile->type().elem());
  Values blocks = parts_.inGrid(op.operand(0), grid);
  bool reported = false;
  for (size_t k = 0; k < grid.count(); ++k) {
    std::vector<int64_t> origin = grid.origin(k), size = grid.shape(k);
    if (blockMessage(target_, BlockUse::Store, bits, size[0], size[1])) {
      setVc(b_.create(OpKind::StoreNd, {blocks[k], messages_.descriptor(tile, origin, size)}, {}));
      continue;
    }
    // A message writes whole rows, so the remainder must not be stored by a message that goes beyond the tile.
    if (!reported) messages_.remarkOnFallback(op, str("the last ", size[1], " columns are narrower than any message"));
    reported = true;
    values_.copy(op, {blocks[k], windows_.at(tile, origin, size)}, {});
  }
}

void BlockStores::storeByLanes(const Op &op, const std::string &reason) {
  const Value *value = op.operand(0), *tile = op.operand(1);
  messages_.remarkOnFallback(op, reason);
  BlockGrid grid = classes_.grid(value);
  if (!roots_.root(tile))
    grid = classes_.grid(tile);
  else if (!classes_.layout(value, value->type().shape()))
    grid = windows_.accessGrid(value->type(), grid);
  Values blocks = parts_.inGrid(value, grid);
  for (size_t k = 0; k < grid.count(); ++k)
    values_.copy(op, {blocks[k], windows_.of(tile, grid, k, blocks[k]->type().layout())}, {});
}

} // namespace xt
