#include "ir/interp/tile_executor.h"

#include "ir/atomic_update.h"
#include "ir/base/text.h"
#include "ir/block_mask.h"
#include "ir/nest_rows.h"
#include "ir/views/nest.h"
#include "ir/views/tile.h"

#include <algorithm>
#include <numeric>

namespace xt {

// A tile with an explicit shape and strides, which a tile made from an address always has, may extend beyond its buffer. Its
// accesses are therefore checked.
Result<void> TileExecutor::init(const Step &step) {
  MemRefValue base;
  const RuntimeValue &given = values_.operand(step, 0);
  if (const auto *memref = std::get_if<MemRefValue>(&given)) {
    base = *memref;
  } else {
    base.data = reinterpret_cast<unsigned char *>(static_cast<intptr_t>(std::get<Number>(given).i));
    base.elem = step.op->result()->type().elem();
    base.rank = 2;
  }
  if (step.op->result()->type().data().scatter) return initScatter(step, base), Result<void>();
  std::vector<int64_t> values = values_.indices(step, 1);
  bool explicitView = values.size() > base.rank;
  if (explicitView)
    for (size_t d = 0; d < base.rank; ++d) {
      base.sizes[d] = std::max<int64_t>(0, values[base.rank + d]);
      base.strides[d] = values[2 * base.rank + d];
    }
  size_t inner = step.op->result()->type().data().order == Order::ColumnMajor ? 2 : 1; // counted from the last dimension
  if (explicitView && base.strides[base.rank - inner] != 1 && base.sizes[base.rank - inner] > 1)
    return Error::kernel(str("the innermost stride of a base must be 1, not ", base.strides[base.rank - inner], " (",
                             worker_.whereabouts(), ")"),
                         step.op->range());
  TileValue tile = initTile(base, std::span(values).first(base.rank), step.op->result()->type().packFactor());
  tile.checked = explicitView;
  values_.setResult(step, tile);
  return {};
}

void TileExecutor::initScatter(const Step &step, const MemRefValue &base) {
  ScatterTile tile{base.data, base.elem, base.sizes[0], base.strides[0], base.parameter, base.memory};
  if (!step.op->operand(0)->type().isMemRef()) tile.anywhere = true, tile.stride = 1;
  tile.offsets = values_.fragment(step, 1);
  values_.setResult(step, std::move(tile));
}

void TileExecutor::move(const Step &step) {
  const RuntimeValue &given = values_.operand(step, 0);
  if (const auto *tile = std::get_if<TileValue>(&given)) {
    values_.setResult(step, moveTile(*tile, values_.index(step, 1), values_.index(step, 2)));
    return;
  }
  ScatterTile tile = std::get<ScatterTile>(given);
  Fragment offsets = *tile.offsets;
  const auto *all = std::get_if<Number>(&values_.operand(step, 1));
  for (size_t k = 0; k < offsets.size(); ++k) {
    int64_t delta = all ? all->i : (*values_.fragment(step, 1))[k].i;
    offsets[k].i = static_cast<int64_t>(static_cast<uint64_t>(offsets[k].i) + static_cast<uint64_t>(delta));
  }
  tile.offsets = std::make_shared<const Fragment>(std::move(offsets));
  values_.setResult(step, std::move(tile));
}

Result<Fragment> TileExecutor::elementsOf(const Step &step, const TileValue &tile, std::span<const std::vector<int64_t>> dims,
                                          bool transposed, Number padding) const {
  size_t height = dims[0].size(), width = dims[1].size();
  Fragment result(height * width);
  size_t rows = transposed ? 1 : 0;
  if (auto element = loadTile(tile, dims[rows], dims[1 - rows], padding, result.data(), worker_.site(step)))
    return worker_.reachesOutside(step, tile, *element);
  if (!transposed) return result;
  Fragment turned(result.size());
  for (size_t r = 0; r < height; ++r)
    for (size_t c = 0; c < width; ++c) turned[r * width + c] = result[c * height + r];
  return turned;
}

Result<Fragment> TileExecutor::maskedElementsOf(const Step &step, const TileValue &tile,
                                                std::span<const std::vector<int64_t>> dims, const Fragment &mask,
                                                Number padding) const {
  size_t width = dims[1].size();
  Fragment result(dims[0].size() * width, padding), row(width);
  for (size_t r = 0; r < dims[0].size(); ++r) {
    std::vector<int64_t> chosen[2] = {{dims[0][r]}, {}}; // the indices of elements in this row of the result that are loaded
    std::vector<size_t> places;
    for (size_t c = 0; c < width; ++c)
      if (mask[r * width + c].i) chosen[1].push_back(dims[1][c]), places.push_back(r * width + c);
    size_t rows = transposes(*step.op) ? 1 : 0;
    if (auto element = loadTile(tile, chosen[rows], chosen[1 - rows], padding, row.data(), worker_.site(step)))
      return worker_.reachesOutside(step, tile, *element);
    for (size_t k = 0; k < places.size(); ++k) result[places[k]] = row[k];
  }
  return result;
}

Result<void> TileExecutor::load(const Step &step) {
  const auto &tile = values_.get<TileValue>(step, 0);
  Number padding = worker_.arithmetic().padding(tile.elem, LoadTileOp(*step.op).padding());
  const std::vector<std::vector<int64_t>> &dims = worker_.held(step).slices;
  Result<Fragment> loaded = blockMaskOf(*step.op) ? maskedElementsOf(step, tile, dims, *values_.fragment(step, 1), padding)
                                                  : elementsOf(step, tile, dims, transposes(*step.op), padding);
  if (!loaded) return loaded.error();
  values_.setVector(step, std::move(*loaded));
  return {};
}

// Each subgroup loads the elements that its part of the sum needs, although other subgroups may hold them in the loop that a
// `nest` stands for.
Result<void> TileExecutor::nest(const Step &step) {
  const Op &op = *step.op;
  const Holding::Part &part = worker_.held(step);
  int64_t lower = values_.index(step, 3), upper = values_.index(step, 4), increment = values_.index(step, 5);
  if (increment <= 0) return Error::kernel(str("the step of a `nest` must be positive, it is ", increment), op.operandRange(5));
  TileValue tiles[] = {values_.get<TileValue>(step, 0), values_.get<TileValue>(step, 1)};
  bool turned[] = {NestOp(op).transposeA(), NestOp(op).transposeB()};
  std::vector<int64_t> depth(static_cast<size_t>(op.operand(0)->type().extent(turned[0] ? 0 : 1)));
  std::iota(depth.begin(), depth.end(), 0);
  std::vector<int64_t> rows = part.slices[0];
  if (nestRows(op)) { // the subgroup holds the numbers of its own rows
    const Fragment &numbers = *values_.fragment(step, kNestRowsOperand);
    for (size_t i = 0; i < rows.size(); ++i) rows[i] = numbers[i].i;
  }
  const std::vector<int64_t> dims[2][2] = {{rows, depth}, {depth, part.slices[1]}};
  Fragment sum = *values_.fragment(step, 2);
  uint64_t steps =
      lower < upper ? (static_cast<uint64_t>(upper) - static_cast<uint64_t>(lower) - 1) / static_cast<uint64_t>(increment) + 1
                    : 0;
  for (; steps > 0; --steps) {
    Fragment loaded[2];
    for (size_t i = 0; i < 2; ++i) {
      Result<Fragment> elements =
          elementsOf(step, tiles[i], dims[i], turned[i], worker_.arithmetic().constant(tiles[i].elem, AttrValue(int64_t{0})));
      if (!elements) return elements.error();
      loaded[i] = std::move(*elements);
      bool down = (i == 1) != turned[i]; // whether K is the row dimension of the tile
      auto extent = static_cast<int64_t>(depth.size());
      tiles[i] = moveTile(tiles[i], down ? extent : 0, down ? 0 : extent);
    }
    worker_.arithmetic().multiplyAccumulate(tiles[0].elem, op.result()->type().elem(),
                                            {part.slices[0].size(), part.slices[1].size(), depth.size()}, loaded[0].data(),
                                            loaded[1].data(), sum.data());
  }
  values_.setVector(step, std::move(sum));
  return {};
}

Result<void> TileExecutor::store(const Step &step) {
  const auto &tile = values_.get<TileValue>(step, 1);
  const Holding::Part &part = worker_.held(step);
  if (!part.isFirst) return {};
  if (worker_.tracing()) {
    worker_.environment().observer->stores(tile, part, worker_.subgroup());
    return {};
  }
  const Number *in = values_.fragment(step, 0)->data();
  if (auto element = storeTile(tile, part.slices[0], part.slices[1], in, worker_.site(step)))
    return worker_.reachesOutside(step, tile, *element);
  return {};
}

Result<void> TileExecutor::atomic(const Step &step) {
  const Holding::Part &part = worker_.held(step);
  if (!part.isFirst) return values_.setVector(step, Fragment(part.count)), Result<void>(); // nobody uses the old values
  const AtomicUpdate atomic(*step.op);
  const RuntimeValue &target = values_.operand(step, atomic.tileIndex());
  const auto *tile = std::get_if<TileValue>(&target);
  const Fragment *mask = atomic.mask() ? values_.fragment(step, atomic.maskIndex()).get() : nullptr;
  if (worker_.tracing()) {
    if (tile)
      worker_.environment().observer->stores(*tile, part, worker_.subgroup());
    else
      worker_.environment().observer->storesScattered(std::get<ScatterTile>(target), mask, worker_.subgroup());
    return {};
  }
  Fragment before(part.count);
  ElementUpdate update;
  update.values = values_.fragment(step, atomic.valueIndex())->data();
  if (atomic.compares())
    update.expected = values_.fragment(step, AtomicUpdate::kExpectedIndex)->data();
  else
    update.kind = wordText(AtomicRmwOp(*step.op).kind());
  if (!tile) {
    updateScatter(std::get<ScatterTile>(target), mask, update, before.data(), worker_.site(step));
  } else if (auto element = updateTile(*tile, part.slices[0], part.slices[1], update, before.data(), worker_.site(step))) {
    return worker_.reachesOutside(step, *tile, *element);
  }
  values_.setVector(step, std::move(before));
  return {};
}

void TileExecutor::gather(const Step &step) {
  const auto &tile = values_.get<ScatterTile>(step, 0);
  Number padding = worker_.arithmetic().padding(tile.elem, LoadGatherOp(*step.op).padding());
  Fragment result(tile.offsets->size());
  loadGather(tile, values_.fragment(step, 1).get(), padding, result.data(), worker_.site(step));
  values_.setVector(step, std::move(result));
}

void TileExecutor::scatter(const Step &step) {
  if (!worker_.held(step).isFirst) return;
  const auto &tile = values_.get<ScatterTile>(step, 2);
  const Fragment *mask = values_.fragment(step, 1).get();
  if (worker_.tracing())
    worker_.environment().observer->storesScattered(tile, mask, worker_.subgroup());
  else
    storeScatter(tile, mask, values_.fragment(step, 0)->data(), worker_.site(step));
}

} // namespace xt
