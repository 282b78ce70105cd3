#include "ir/interp/offsets_executor.h"

#include "ir/base/text.h"
#include "ir/interp/block_forms.h"
#include "ir/views/xegpu.h"

namespace xt {
namespace {
// Repeats each lane's value for every element of its chunk. `count`: the values are offsets, to which the number of the
// element in the chunk is added.
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

void OffsetsExecutor::createDesc(const Step &step) {
  Type desc = step.op->result()->type();
  ScatterTile lanes;
  lanes.elem = desc.elem();
  if (const auto *memref = std::get_if<MemRefValue>(&values_.operand(step, 0))) {
    lanes = {memref->data, memref->elem, memref->sizes[0], memref->strides[0], memref->parameter, memref->memory};
  } else {
    lanes.data = reinterpret_cast<unsigned char *>(static_cast<intptr_t>(values_.get<Number>(step, 0).i));
    lanes.anywhere = true;
  }
  lanes.offsets = std::make_shared<const Fragment>(perElement(values_.elements(step, 1), desc.data().chunk, true));
  values_.setResult(step, std::move(lanes));
}

void OffsetsExecutor::moveDesc(const Step &step) {
  ScatterTile lanes = values_.get<ScatterTile>(step, 0);
  Fragment deltas = perElement(values_.elements(step, 1), step.op->result()->type().data().chunk, false);
  Fragment offsets = *lanes.offsets;
  for (size_t k = 0; k < offsets.size(); ++k)
    offsets[k].i = static_cast<int64_t>(static_cast<uint64_t>(offsets[k].i) + static_cast<uint64_t>(deltas[k].i));
  lanes.offsets = std::make_shared<const Fragment>(std::move(offsets));
  values_.setResult(step, std::move(lanes));
}

Result<void> OffsetsExecutor::staysInBuffers(const Step &step, const ScatterTile &lanes, const Fragment &mask) const {
  if (!lanes.anywhere) return {};
  auto bytes = static_cast<size_t>(elemInfo(lanes.elem).storageBytes);
  AccessSite where = worker_.site(step);
  for (size_t k = 0; k < mask.size(); ++k) {
    int64_t offset = (*lanes.offsets)[k].i;
    auto at = reinterpret_cast<uintptr_t>(lanes.data) + static_cast<uint64_t>(offset) * bytes;
    if (mask[k].i != 0 && !where.allowed(lanes.memory, reinterpret_cast<unsigned char *>(at), bytes))
      return Error::kernel(
          str("the element at offset ", offset, " is outside of all buffers of the launch (", worker_.whereabouts(), ")"),
          step.op->range());
  }
  return {};
}

Result<void> OffsetsExecutor::load(const Step &step) {
  const Op &op = *step.op;
  Type desc = op.operand(0)->type();
  const auto &lanes = values_.get<ScatterTile>(step, 0);
  Fragment mask = perElement(values_.elements(step, 1), desc.data().chunk, false), result(lanes.offsets->size());
  if (Result<void> fits = staysInBuffers(step, lanes, mask); !fits) return fits;
  loadGather(lanes, &mask, worker_.arithmetic().constant(lanes.elem, int64_t{0}), result.data(), worker_.site(step));
  if (transposes(op) && !worker_.environment().lanes()) result = turned(result, desc.extent(0), desc.data().chunk);
  values_.setElements(step, std::move(result));
  return {};
}

Result<void> OffsetsExecutor::store(const Step &step) {
  const Op &op = *step.op;
  Type desc = op.operand(1)->type();
  const auto &lanes = values_.get<ScatterTile>(step, 1);
  Fragment mask = perElement(values_.elements(step, 2), desc.data().chunk, false);
  if (worker_.tracing()) { // only addresses and masks have been computed, not the value
    worker_.environment().observer->storesScattered(lanes, &mask, worker_.subgroup());
    return {};
  }
  if (Result<void> fits = staysInBuffers(step, lanes, mask); !fits) return fits;
  Fragment value = values_.elements(step, 0);
  if (transposes(op) && !worker_.environment().lanes()) value = turned(value, desc.data().chunk, desc.extent(0));
  storeScatter(lanes, &mask, value.data(), worker_.site(step));
  return {};
}

Result<void> OffsetsExecutor::atomic(const Step &step) {
  const auto &lanes = values_.get<ScatterTile>(step, 1);
  Fragment mask = perElement(values_.elements(step, 2), step.op->operand(1)->type().data().chunk, false);
  if (worker_.tracing()) {
    worker_.environment().observer->storesScattered(lanes, &mask, worker_.subgroup());
    return {};
  }
  if (Result<void> fits = staysInBuffers(step, lanes, mask); !fits) return fits;
  Fragment before(lanes.offsets->size()), value = values_.elements(step, 0);
  ElementUpdate update{wordText(AtomicTdescOp(*step.op).kind()), value.data()};
  updateScatter(lanes, &mask, update, before.data(), worker_.site(step));
  values_.setElements(step, std::move(before));
  return {};
}

} // namespace xt
