// XeGPU ops: blocks, lanes with offsets, dpas, named barriers. Collective ops of a subgroup's lanes are in lane_meeting.cc.
#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/interp/block_forms.h"
#include "ir/interp/mma.h"
#include "ir/interp/subgroup.h"
#include "ir/op_kinds.h"
#include "ir/views/xegpu.h"

namespace xt {
namespace {

// The middle of the range assumed for an address without bounds: far enough from both ends of the 64-bit range.
constexpr int64_t kMiddle = int64_t{1} << 40;

} // namespace

void Subgroup::createNdTdesc(const Step &step) {
  Type desc = step.op->result()->type();
  std::vector<int64_t> values = indices(step, 1);
  const RuntimeValue &given = slots_[step.operands[0]];
  MemRefValue base;
  bool address = false;
  if (const auto *memref = std::get_if<MemRefValue>(&given)) {
    base = *memref;
  } else {
    address = true;
    base.data = reinterpret_cast<unsigned char *>(static_cast<intptr_t>(std::get<Number>(given).i));
    base.elem = desc.elem();
    base.rank = static_cast<size_t>(desc.rank());
  }
  bool explicitView = values.size() > base.rank;
  if (explicitView) {
    for (size_t d = 0; d < base.rank; ++d) {
      base.sizes[d] = std::max<int64_t>(0, values[base.rank + d]);
      base.strides[d] = values[2 * base.rank + d];
    }
  } else if (address) { // contiguous memory, on both sides
    base.data = reinterpret_cast<unsigned char *>(reinterpret_cast<uintptr_t>(base.data) -
                                                  static_cast<uintptr_t>(kMiddle * elemInfo(base.elem).storageBytes));
    base.sizes[0] = 2 * kMiddle;
    base.strides[0] = 1;
    values[0] = static_cast<int64_t>(static_cast<uint64_t>(values[0]) + static_cast<uint64_t>(kMiddle));
  }
  values.resize(base.rank);
  if (base.rank == 1) { // as a matrix of one row
    base.sizes = {1, base.sizes[0]};
    base.strides = {0, base.strides[0]};
    base.rank = 2;
    values.insert(values.begin(), 0);
  }
  TileValue block = xt::initTile(base, values);
  block.checked = explicitView || address;
  slots_[step.results[0]] = block;
}

// Without a boundary check, elements outside of the base must not be accessed.
Result<void> Subgroup::staysInside(const Step &step, Type desc, const TileValue &block) const {
  if (desc.data().boundaryCheck) return {};
  int64_t extents[2] = {rowsOf(desc), columnsOf(desc)};
  for (size_t d = 0; d < 2; ++d)
    if (block.offsets[d] < 0 || block.sizes[d] < extents[d] || block.offsets[d] > block.sizes[d] - extents[d])
      return Error::kernel(str("`", step.op->info().name, "` accesses memory out of bounds of its base at offset [",
                               join(block.offsets, ", "), "] (", whereabouts(),
                               "): with boundary_check = false the result is undefined"),
                           step.op->range());
  return {};
}

Result<void> Subgroup::loadNd(const Step &step) {
  const Op &op = *step.op;
  Type desc = op.operand(0)->type();
  const auto &block = std::get<TileValue>(slots_[step.operands[0]]);
  if (Result<void> inside = staysInside(step, desc, block); !inside) return inside;
  int64_t rows = rowsOf(desc), columns = columnsOf(desc);
  Number zero = arithmetic().constant(desc.elem(), int64_t{0});
  std::vector<int64_t> used = usedOf(op, rows, columns);
  Fragment part(static_cast<size_t>(used[0] * used[1])), read(static_cast<size_t>(rows * columns), zero);
  if (auto element = xt::loadTile(block, upTo(used[0]), upTo(used[1]), zero, part.data(), site(step)))
    return reachesOutside(step, block, *element);
  for (int64_t r = 0; r < used[0]; ++r) std::copy_n(part.begin() + r * used[1], used[1], read.begin() + r * columns);
  if (transposes(op) && desc.rank() == 2) {
    read = turned(read, rows, columns);
    std::swap(rows, columns);
  }
  // With vnni_axis = 1, neighbours along the second dimension are adjacent already.
  if (LoadNdOp(op).vnniAxis() == 0) {
    Fragment packed(read.size());
    forEachVnni(rows, columns, op.result()->type().extent(2), [&](size_t plain, size_t vnni) { packed[vnni] = read[plain]; });
    read = std::move(packed);
  }
  setVector(step, std::move(read));
  return {};
}

Result<void> Subgroup::storeNd(const Step &step) {
  Type desc = step.op->operand(1)->type();
  const auto &block = std::get<TileValue>(slots_[step.operands[1]]);
  Holding::Part part{{upTo(rowsOf(desc)), upTo(columnsOf(desc))}, static_cast<size_t>(desc.elementCount())};
  if (tracing()) {
    environment_.observer->stores(block, part, subgroup());
    return {};
  }
  if (Result<void> inside = staysInside(step, desc, block); !inside) return inside;
  const Number *in = fragment(step.operands[0])->data();
  if (auto element = xt::storeTile(block, part.slices[0], part.slices[1], in, site(step)))
    return reachesOutside(step, block, *element);
  return {};
}

void Subgroup::updateNdOffset(const Step &step) {
  const auto &block = std::get<TileValue>(slots_[step.operands[0]]);
  bool matrix = step.operands.size() == 3;
  slots_[step.results[0]] = xt::moveTile(block, matrix ? index(step, 1) : 0, index(step, matrix ? 2 : 1));
}

void Subgroup::dpas(const Step &step) {
  const Op &op = *step.op;
  Type a = op.operand(0)->type(), b = op.operand(1)->type(), result = op.result()->type();
  MmaExtents shape{static_cast<size_t>(result.extent(0)), static_cast<size_t>(result.extent(1)),
                   static_cast<size_t>(a.elementCount() / result.extent(0))};
  Fragment right = *fragment(step.operands[1]);
  if (b.rank() == 3) {
    Fragment packed = std::move(right);
    right.assign(packed.size(), Number());
    forEachVnni(b.extent(0) * b.extent(2), b.extent(1), b.extent(2),
                [&](size_t plain, size_t vnni) { right[plain] = packed[vnni]; });
  }
  Fragment sum = step.operands.size() > 2
                     ? *fragment(step.operands[2])
                     : Fragment(static_cast<size_t>(result.elementCount()), arithmetic().constant(result.elem(), int64_t{0}));
  arithmetic().multiplyAccumulate(a.elem(), result.elem(), shape, fragment(step.operands[0])->data(), right.data(), sum.data());
  setVector(step, std::move(sum));
}

// --- lanes with offsets ----------------------------------------------------------------------------------------------

namespace {
// Repeats each lane's offset, or other value, for every element of its chunk; `count` adds the element's number to it.
Fragment perElement(const Fragment &perLane, int64_t chunk, bool count) {
  Fragment all;
  all.reserve(perLane.size() * static_cast<size_t>(chunk));
  for (Number lane : perLane)
    for (int64_t k = 0; k < chunk; ++k) {
      all.push_back(lane);
      if (count) all.back().i = static_cast<int64_t>(static_cast<uint64_t>(lane.i) + static_cast<uint64_t>(k));
    }
  return all;
}
} // namespace

void Subgroup::createTdesc(const Step &step) {
  Type desc = step.op->result()->type();
  ScatterTile lanes;
  lanes.elem = desc.elem();
  if (const auto *memref = std::get_if<MemRefValue>(&slots_[step.operands[0]])) {
    lanes = {memref->data, memref->elem, memref->sizes[0], memref->strides[0], memref->parameter, memref->memory};
  } else {
    lanes.data = reinterpret_cast<unsigned char *>(static_cast<intptr_t>(std::get<Number>(slots_[step.operands[0]]).i));
    lanes.anywhere = true;
  }
  lanes.offsets = std::make_shared<const Fragment>(perElement(elements(step.operands[1]), desc.data().chunk, true));
  slots_[step.results[0]] = std::move(lanes);
}

void Subgroup::updateTdesc(const Step &step) {
  ScatterTile lanes = std::get<ScatterTile>(slots_[step.operands[0]]);
  Fragment deltas = perElement(elements(step.operands[1]), step.op->result()->type().data().chunk, false);
  Fragment offsets = *lanes.offsets;
  for (size_t k = 0; k < offsets.size(); ++k)
    offsets[k].i = static_cast<int64_t>(static_cast<uint64_t>(offsets[k].i) + static_cast<uint64_t>(deltas[k].i));
  lanes.offsets = std::make_shared<const Fragment>(std::move(offsets));
  slots_[step.results[0]] = std::move(lanes);
}

Result<void> Subgroup::outsideOfBuffers(const Step &step, const ScatterTile &lanes, const Fragment &mask) const {
  if (!lanes.anywhere) return {};
  auto bytes = static_cast<size_t>(elemInfo(lanes.elem).storageBytes);
  AccessSite where = site(step);
  for (size_t k = 0; k < mask.size(); ++k) {
    int64_t offset = (*lanes.offsets)[k].i;
    auto at = reinterpret_cast<uintptr_t>(lanes.data) + static_cast<uint64_t>(offset) * bytes;
    if (mask[k].i != 0 && !where.allowed(lanes.memory, reinterpret_cast<unsigned char *>(at), bytes))
      return Error::kernel(
          str("the element at offset ", offset, " is outside of all buffers of the launch (", whereabouts(), ")"),
          step.op->range());
  }
  return {};
}

Result<void> Subgroup::gatherTdesc(const Step &step) {
  const Op &op = *step.op;
  Type desc = op.operand(0)->type();
  const auto &lanes = std::get<ScatterTile>(slots_[step.operands[0]]);
  Fragment mask = perElement(elements(step.operands[1]), desc.data().chunk, false), result(lanes.offsets->size());
  if (Result<void> fits = outsideOfBuffers(step, lanes, mask); !fits) return fits;
  xt::loadGather(lanes, &mask, arithmetic().constant(lanes.elem, int64_t{0}), result.data(), site(step));
  if (transposes(op) && !environment_.lanes()) result = turned(result, desc.extent(0), desc.data().chunk);
  setResult(step, std::move(result));
  return {};
}

Result<void> Subgroup::scatterTdesc(const Step &step) {
  const Op &op = *step.op;
  Type desc = op.operand(1)->type();
  const auto &lanes = std::get<ScatterTile>(slots_[step.operands[1]]);
  Fragment mask = perElement(elements(step.operands[2]), desc.data().chunk, false);
  if (tracing()) return traceScatter(lanes, &mask), Result<void>(); // the value has not been computed
  if (Result<void> fits = outsideOfBuffers(step, lanes, mask); !fits) return fits;
  Fragment value = elements(step.operands[0]);
  if (transposes(op) && !environment_.lanes()) value = turned(value, desc.data().chunk, desc.extent(0));
  xt::storeScatter(lanes, &mask, value.data(), site(step));
  return {};
}

Result<void> Subgroup::atomicTdesc(const Step &step) {
  const auto &lanes = std::get<ScatterTile>(slots_[step.operands[1]]);
  Fragment mask = perElement(elements(step.operands[2]), step.op->operand(1)->type().data().chunk, false);
  if (tracing()) return traceScatter(lanes, &mask), Result<void>();
  if (Result<void> fits = outsideOfBuffers(step, lanes, mask); !fits) return fits;
  Fragment before(lanes.offsets->size()), value = elements(step.operands[0]);
  updateScatter(lanes, &mask, wordText(AtomicTdescOp(*step.op).kind()), value.data(), before.data(), site(step));
  setResult(step, std::move(before));
  return {};
}

// --- named barriers --------------------------------------------------------------------------------------------------

Result<void> Subgroup::allocNbarrier(const Step &step) {
  int64_t count = number(step.operands[0]).i;
  if (count < 0 || count > NamedBarriers::kMost)
    return Error::kernel(str("a workgroup can have 0 to ", NamedBarriers::kMost, " named barriers, not ", count),
                         step.op->range());
  environment_.barriers->allocated = count;
  return {};
}

Result<void> Subgroup::createNbarrier(const Step &step) {
  int64_t id = number(step.operands[0]).i, role = number(step.operands[1]).i;
  if (id < 0 || id >= environment_.barriers->allocated)
    return Error::kernel(str("named barrier ", id, " does not exist: `alloc_nbarrier` allocated ",
                             environment_.barriers->allocated, " (", whereabouts(), ")"),
                         step.op->range());
  if (role < 0 || role > 2)
    return Error::kernel(
        str("the role at a named barrier must be 0 (producer and consumer), 1 (producer) or 2 (consumer), not ", role),
        step.op->range());
  CreateNbarrierOp part(*step.op);
  slots_[step.results[0]] = NamedBarrierPart{static_cast<size_t>(id), role, part.numProducers(), part.numConsumers()};
  return {};
}

void Subgroup::arriveNbarrier(const Step &step) {
  if (tracing()) return;
  const auto &part = std::get<NamedBarrierPart>(slots_[step.operands[0]]);
  environment_.barriers->arrive(part, id_);
  if (!environment_.monitor) return;
  uint64_t round = environment_.barriers->roundOf(part, id_);
  environment_.monitor->takesPart(*step.op, id_, part, round);
  environment_.monitor->arrived(id_, part.id, round);
}

bool Subgroup::waitsAtNamedBarrier() const { return state_ == State::Waiting && waitsAt_->op->kind() == OpKind::NbarrierWait; }

bool Subgroup::passesNamedBarrier() const {
  const auto &part = std::get<NamedBarrierPart>(slots_[waitsAt_->operands[0]]);
  if (!environment_.barriers->complete(part, subgroup())) return false;
  if (!environment_.monitor) return true;
  uint64_t round = environment_.barriers->roundOf(part, subgroup());
  environment_.monitor->passed(id_, part.id, round);
  if (environment_.lanes()) environment_.monitor->passed(subgroupWorker(environment_.kernel, subgroup()), part.id, round);
  return true;
}

} // namespace xt
