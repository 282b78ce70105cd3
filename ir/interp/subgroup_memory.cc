// Memrefs and tiles.
#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/interp/mma.h"
#include "ir/interp/subgroup.h"
#include "ir/views/nest.h"
#include "ir/views/tile.h"

#include <algorithm>
#include <numeric>

namespace xt {

std::string Subgroup::whereabouts() const {
  return str(workerText(environment_.kernel, id_), " of ", workgroupText(environment_.kernel, environment_.blockId));
}

Error Subgroup::reachesOutside(const Step &step, const TileValue &tile, const Overreach &element) const {
  std::string buffer = "all buffers of the launch";
  if (tile.memory.low) buffer = "its buffer";
  if (tile.parameter != kNoParameter) buffer = str("`%", environment_.program.entry().param(tile.parameter)->name(), "`");
  return Error::kernel(str("element [", join(element.index, ", "),
                           "] of a base with an explicit shape and strides is outside of ", buffer, " (", whereabouts(), ")"),
                       step.op->range());
}

std::vector<int64_t> Subgroup::indices(const Step &step, size_t first) const {
  std::vector<int64_t> values;
  for (size_t i = first; i < step.operands.size(); ++i) values.push_back(index(step, i));
  return values;
}

Result<void> Subgroup::dim(const Step &step) {
  const auto &memref = std::get<MemRefValue>(slots_[step.operands[0]]);
  int64_t dimension = index(step, 1);
  if (dimension < 0 || static_cast<size_t>(dimension) >= memref.rank)
    return Error::kernel(str("`dim` of dimension ", dimension, ", but the memref has ", memref.rank, " dimensions"),
                         step.op->range());
  slots_[step.results[0]] = integerNumber(memref.sizes[static_cast<size_t>(dimension)]);
  return {};
}

// A tile with an explicit shape and strides, or from an address, may reach anywhere: its accesses are checked.
Result<void> Subgroup::initTile(const Step &step) {
  MemRefValue base;
  const RuntimeValue &given = slots_[step.operands[0]];
  if (const auto *memref = std::get_if<MemRefValue>(&given)) {
    base = *memref;
  } else {
    base.data = reinterpret_cast<unsigned char *>(static_cast<intptr_t>(std::get<Number>(given).i));
    base.elem = step.op->result()->type().elem();
    base.rank = 2;
  }
  if (step.op->result()->type().data().scatter) return initScatter(step, base), Result<void>();
  std::vector<int64_t> values = indices(step, 1);
  bool explicitView = values.size() > base.rank;
  if (explicitView)
    for (size_t d = 0; d < base.rank; ++d) {
      base.sizes[d] = std::max<int64_t>(0, values[base.rank + d]);
      base.strides[d] = values[2 * base.rank + d];
    }
  size_t inner = step.op->result()->type().data().order == Order::ColumnMajor ? 2 : 1; // counted from the last dimension
  if (explicitView && base.strides[base.rank - inner] != 1 && base.sizes[base.rank - inner] > 1)
    return Error::kernel(
        str("the innermost stride of a base must be 1, not ", base.strides[base.rank - inner], " (", whereabouts(), ")"),
        step.op->range());
  TileValue tile = xt::initTile(base, std::span(values).first(base.rank), step.op->result()->type().packFactor());
  tile.checked = explicitView;
  slots_[step.results[0]] = tile;
  return {};
}

void Subgroup::initScatter(const Step &step, const MemRefValue &base) {
  ScatterTile tile{base.data, base.elem, base.sizes[0], base.strides[0], base.parameter, base.memory};
  if (!step.op->operand(0)->type().isMemRef()) tile.anywhere = true, tile.stride = 1;
  tile.offsets = fragment(step.operands[1]);
  slots_[step.results[0]] = std::move(tile);
}

void Subgroup::moveTile(const Step &step) {
  const RuntimeValue &given = slots_[step.operands[0]];
  if (const auto *tile = std::get_if<TileValue>(&given)) {
    slots_[step.results[0]] = xt::moveTile(*tile, index(step, 1), index(step, 2));
    return;
  }
  ScatterTile tile = std::get<ScatterTile>(given);
  Fragment offsets = *tile.offsets;
  const auto *all = std::get_if<Number>(&slots_[step.operands[1]]);
  for (size_t k = 0; k < offsets.size(); ++k) {
    int64_t delta = all ? all->i : (*fragment(step.operands[1]))[k].i;
    offsets[k].i = static_cast<int64_t>(static_cast<uint64_t>(offsets[k].i) + static_cast<uint64_t>(delta));
  }
  tile.offsets = std::make_shared<const Fragment>(std::move(offsets));
  slots_[step.results[0]] = std::move(tile);
}

Result<Fragment> Subgroup::elementsOf(const Step &step, const TileValue &tile, std::span<const std::vector<int64_t>> dims,
                                      bool transposed, Number padding) {
  size_t height = dims[0].size(), width = dims[1].size();
  Fragment result(height * width);
  size_t rows = transposed ? 1 : 0;
  if (auto element = xt::loadTile(tile, dims[rows], dims[1 - rows], padding, result.data(), site(step)))
    return reachesOutside(step, tile, *element);
  if (!transposed) return result;
  Fragment turned(result.size());
  for (size_t r = 0; r < height; ++r)
    for (size_t c = 0; c < width; ++c) turned[r * width + c] = result[c * height + r];
  return turned;
}

Result<void> Subgroup::loadTile(const Step &step) {
  const auto &tile = std::get<TileValue>(slots_[step.operands[0]]);
  Number padding = paddingOf(tile.elem, LoadTileOp(*step.op).padding());
  Result<Fragment> loaded = elementsOf(step, tile, held(step).slices, transposes(*step.op), padding);
  if (!loaded) return loaded.error();
  setVector(step, std::move(*loaded));
  return {};
}

// Each subgroup loads the elements that its part of the sum needs, even if another subgroup would hold them in the loop.
Result<void> Subgroup::nest(const Step &step) {
  const Op &op = *step.op;
  const Holding::Part &part = held(step);
  int64_t lower = index(step, 3), upper = index(step, 4), increment = index(step, 5);
  if (increment <= 0) return Error::kernel(str("the step of a `nest` must be positive, it is ", increment), op.operandRange(5));
  TileValue tiles[] = {std::get<TileValue>(slots_[step.operands[0]]), std::get<TileValue>(slots_[step.operands[1]])};
  bool turned[] = {NestOp(op).transposeA(), NestOp(op).transposeB()};
  std::vector<int64_t> depth(static_cast<size_t>(op.operand(0)->type().extent(turned[0] ? 0 : 1)));
  std::iota(depth.begin(), depth.end(), 0);
  const std::vector<int64_t> dims[2][2] = {{part.slices[0], depth}, {depth, part.slices[1]}};
  Fragment sum = *fragment(step.operands[2]);
  uint64_t steps =
      lower < upper ? (static_cast<uint64_t>(upper) - static_cast<uint64_t>(lower) - 1) / static_cast<uint64_t>(increment) + 1
                    : 0;
  for (; steps > 0; --steps) {
    Fragment loaded[2];
    for (size_t i = 0; i < 2; ++i) {
      Result<Fragment> elements =
          elementsOf(step, tiles[i], dims[i], turned[i], arithmetic().constant(tiles[i].elem, AttrValue(int64_t{0})));
      if (!elements) return elements.error();
      loaded[i] = std::move(*elements);
      bool down = (i == 1) != turned[i]; // K is the row dimension
      auto extent = static_cast<int64_t>(depth.size());
      tiles[i] = xt::moveTile(tiles[i], down ? extent : 0, down ? 0 : extent);
    }
    arithmetic().multiplyAccumulate(tiles[0].elem, op.result()->type().elem(),
                                    {part.slices[0].size(), part.slices[1].size(), depth.size()}, loaded[0].data(),
                                    loaded[1].data(), sum.data());
  }
  setVector(step, std::move(sum));
  return {};
}

Result<void> Subgroup::storeTile(const Step &step) {
  const auto &tile = std::get<TileValue>(slots_[step.operands[1]]);
  const Holding::Part &part = held(step);
  if (tracing()) {
    environment_.observer->stores(tile, part, subgroup());
    return {};
  }
  const Number *in = fragment(step.operands[0])->data();
  if (auto element = xt::storeTile(tile, part.slices[0], part.slices[1], in, site(step)))
    return reachesOutside(step, tile, *element);
  return {};
}

Result<void> Subgroup::atomic(const Step &step) {
  const Holding::Part &part = held(step);
  const RuntimeValue &target = slots_[step.operands[1]];
  const auto *tile = std::get_if<TileValue>(&target);
  const Fragment *mask = step.operands.size() > 2 ? fragment(step.operands[2]).get() : nullptr;
  if (tracing()) {
    if (tile)
      environment_.observer->stores(*tile, part, subgroup());
    else
      traceScatter(std::get<ScatterTile>(target), mask);
    return {};
  }
  Fragment before(part.count);
  std::string_view kind = wordText(AtomicRmwOp(*step.op).kind());
  const Number *in = fragment(step.operands[0])->data();
  if (!tile) {
    updateScatter(std::get<ScatterTile>(target), mask, kind, in, before.data(), site(step));
  } else if (auto element = updateTile(*tile, part.slices[0], part.slices[1], kind, in, before.data(), site(step))) {
    return reachesOutside(step, *tile, *element);
  }
  setVector(step, std::move(before));
  return {};
}

void Subgroup::loadGather(const Step &step) {
  const auto &tile = std::get<ScatterTile>(slots_[step.operands[0]]);
  Number padding = paddingOf(tile.elem, LoadGatherOp(*step.op).padding());
  Fragment result(tile.offsets->size());
  xt::loadGather(tile, fragment(step.operands[1]).get(), padding, result.data(), site(step));
  setVector(step, std::move(result));
}

void Subgroup::storeScatter(const Step &step) {
  const auto &tile = std::get<ScatterTile>(slots_[step.operands[2]]);
  const Fragment *mask = fragment(step.operands[1]).get();
  if (tracing())
    traceScatter(tile, mask);
  else
    xt::storeScatter(tile, mask, fragment(step.operands[0])->data(), site(step));
}

void Subgroup::traceScatter(const ScatterTile &tile, const Fragment *mask) const {
  for (size_t k = 0; k < tile.offsets->size(); ++k) {
    int64_t offset = (*tile.offsets)[k].i;
    if ((mask && (*mask)[k].i == 0) || (!tile.anywhere && (offset < 0 || offset >= tile.size))) continue;
    // Unsigned: offsets from an address may have any value.
    auto distance = static_cast<uint64_t>(offset) * static_cast<uint64_t>(tile.stride) *
                    static_cast<uint64_t>(elemInfo(tile.elem).storageBytes);
    auto place = reinterpret_cast<uintptr_t>(tile.data) + static_cast<uintptr_t>(distance);
    environment_.observer->storesElement(reinterpret_cast<const unsigned char *>(place), subgroup());
  }
}

void Subgroup::loadElement(const Step &step) {
  const auto &memref = std::get<MemRefValue>(slots_[step.operands[0]]);
  const unsigned char *p = accessElement(step, memref, indices(step, 1), MemoryMonitor::Kind::Read);
  slots_[step.results[0]] = p ? arithmetic().load(memref.elem, p) : arithmetic().constant(memref.elem, int64_t{0});
}

// At workgroup scope the value is the same in all subgroups, so one of them writes it.
void Subgroup::storeElement(const Step &step) {
  if (environment_.workgroupScope && id_ != 0) return;
  const auto &memref = std::get<MemRefValue>(slots_[step.operands[1]]);
  unsigned char *p = accessElement(step, memref, indices(step, 2), MemoryMonitor::Kind::Write);
  if (!p) return;
  if (tracing())
    environment_.observer->storesElement(p, subgroup());
  else
    arithmetic().store(memref.elem, p, number(step.operands[0]));
}

unsigned char *Subgroup::accessElement(const Step &step, const MemRefValue &memref, const std::vector<int64_t> &index,
                                       MemoryMonitor::Kind kind) const {
  unsigned char *p = elementOf(memref, index);
  if (!environment_.monitor) return p;
  auto bytes = static_cast<size_t>(elemInfo(memref.elem).storageBytes);
  if (p)
    environment_.monitor->access(site(step), kind, p, bytes);
  else
    environment_.monitor->outside(site(step), kind, memref.memory, index);
  return p;
}

} // namespace xt
