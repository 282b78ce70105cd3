#include "targets/cpu/analysis/shared_operands.h"

#include "ir/op_kinds.h"
#include "targets/cpu/analysis/buffer_assignment.h"
#include "targets/cpu/analysis/needs_fibers.h"
#include "targets/cpu/analysis/tile_source.h"
#include "targets/cpu/analysis/vector_values.h"

#include <algorithm>

namespace xt {
namespace {

// The parameters that a kernel stores to; nullopt: it does more than store tiles to parameters.
std::optional<std::vector<const Value *>> storedParameters(const Kernel &kernel) {
  std::vector<const Value *> stored;
  bool known = true;
  forEachOp(kernel.body, [&](const Op &op) {
    Effect effects = op.info().effects;
    known &= !has(effects, Effect::Synchronises);
    if (!known || !has(effects, Effect::Writes)) return;
    const Value *memref = op.kind() == OpKind::StoreTile ? parameterBehind(kernel, op.operand(1)) : nullptr;
    known = memref != nullptr;
    if (std::find(stored.begin(), stored.end(), memref) == stored.end()) stored.push_back(memref);
  });
  return known ? std::optional(stored) : std::nullopt;
}

bool writes(const Op &op) {
  bool any = has(op.info().effects, Effect::Writes);
  for (size_t r = 0; r < op.regionCount(); ++r)
    forEachOp(*op.region(r), [&](const Op &inner) { any |= has(inner.info().effects, Effect::Writes); });
  return any;
}

// Whether the block may be loaded at the product instead: nothing writes memory in between.
bool isReadThere(const Op &load, const Op &mma) {
  if (load.block() != mma.block()) return false;
  for (const Op *op = mma.previous(); op != &load; op = op->previous())
    if (writes(*op)) return false;
  return true;
}

bool isPackedAlone(const Op &load, const Op &mma) {
  Type type = load.result()->type();
  bool packed = !isPlainLoad(load) || type.elem() != mmaElem(type.elem());
  bool large = type.extent(0) * type.extent(1) * elemInfo(type.elem()).storageBytes >= kLeastSharedBytes;
  return packed && large && isReadThere(load, mma) &&
         std::distance(load.result()->uses().begin(), load.result()->uses().end()) == 1;
}

} // namespace

SharedOperands findSharedOperands(const Kernel &kernel) {
  SharedOperands found;
  if (needsFibers(kernel) || kernel.grid.empty()) return found;
  std::optional<std::vector<const Value *>> stored = storedParameters(kernel);
  if (!stored) return found;
  found.stored = *stored;
  forEachOp(kernel.body, [&](const Op &mma) {
    const Op *load = mma.kind() == OpKind::TileMma ? mma.operand(1)->definingOp() : nullptr;
    if (!load || load->kind() != OpKind::LoadTile || !isPackedAlone(*load, mma)) return;
    const Value *read = parameterBehind(kernel, load->operand(0));
    std::vector<bool> dims(kernel.grid.size());
    bool known = read && std::find(stored->begin(), stored->end(), read) == stored->end() &&
                 collectGridDims(kernel, load->operand(0), dims);
    if (!known || std::find(dims.begin(), dims.end(), false) == dims.end()) return;
    found.ofMma[&mma] = {load, read, std::move(dims)};
    found.loads.insert(load);
  });
  return found;
}

} // namespace xt
