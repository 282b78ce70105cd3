// Which memory a nest's stores may overwrite early, and what the parts of a workgroup and the workgroups of a launch can share.
#include "targets/cpu/analysis/tile_source.h"
#include "targets/cpu/nest_emitter.h"

#include <algorithm>
#include <optional>

namespace xt {

namespace {

// The arrays that a kernel reads besides the operands of the nest, if all of them are parameters; nullopt: some are not.
std::optional<std::vector<const Value *>> otherReads(const Kernel &kernel, const Op &nest) {
  std::vector<const Value *> memrefs;
  bool known = true;
  walk(const_cast<Block &>(kernel.body), [&](Op &op) { // walk passes mutable ops; nothing is changed
    if (&op == &nest || !has(op.info().effects, Effect::Reads)) return;
    const Value *memref = op.kind() == OpKind::LoadTile                ? parameterBehind(kernel, op.operand(0))
                          : op.info().typeRule == TypeRule::MemRefLoad ? op.operand(0)
                                                                       : nullptr;
    known &= memref && !memref->definingOp() && memref->definingBlock() == &kernel.body;
    if (known && std::find(memrefs.begin(), memrefs.end(), memref) == memrefs.end()) memrefs.push_back(memref);
  });
  return known ? std::optional(memrefs) : std::nullopt;
}

} // namespace

// Whether stores may begin before everything has been read, because the matrices do not overlap. If the workgroup is divided
// into parts, its other reads must not overlap with the stores either.
LlvmValue *NestEmitter::isApart(const Op &store) {
  LlvmValue *apart =
      b.CreateAnd(e_.areTilesApart(store.operand(1), op_.operand(0)), e_.areTilesApart(store.operand(1), op_.operand(1)));
  divides_ = apart;
  std::optional<std::vector<const Value *>> others = otherReads(e_.kernel_, op_);
  if (e_.output_.divides && others)
    for (const Value *memref : *others) divides_ = b.CreateAnd(divides_, e_.isApartFrom(store.operand(1), memref));
  return apart;
}

namespace {

// The only nest of a kernel whose only lasting effect is to store values computed from that nest; null: there is no such nest.
const Op *onlyNest(const Kernel &kernel, const FusionPlan &fusion) {
  if (kernel.scope == Scope::Lane || (kernel.scope == Scope::Subgroup && kernel.subgroups > 1)) return nullptr;
  const Op *nest = nullptr;
  bool alone = true;
  walk(const_cast<Block &>(kernel.body), [&](Op &op) { // walk passes mutable ops; nothing is changed
    Effect effects = op.info().effects;
    if (!has(effects, Effect::Writes) && !has(effects, Effect::Synchronises) && !has(effects, Effect::Observable)) return;
    const Op *stored = op.kind() == OpKind::StoreTile ? fusion.nestInto(op) : nullptr;
    alone &= stored && !nest && op.block() == &kernel.body;
    nest = stored;
  });
  return alone ? nest : nullptr;
}

} // namespace

// Panels of b are the same for all workgroups that differ only in dimensions of the grid that b does not depend on, as
// long as no workgroup of the launch writes b.
void NestEmitter::choosePanels(const Op &store) {
  if (inSlices())
    return; // slices take more memory than b: f32 and f16 2048x2048x2048 would take 1.2 times as long (Intel Xeon with AMX)
  const Kernel &kernel = e_.kernel_;
  std::vector<bool> dims(kernel.grid.size());
  const Value *stored = parameterBehind(kernel, store.operand(1));
  if (onlyNest(kernel, e_.fusion_) != &op_ || !stored || parameterBehind(kernel, op_.operand(1)) == stored) return;
  for (size_t operand : {1, 3, 4, 5})
    if (!collectGridDims(kernel, op_.operand(operand), dims)) return;
  alike_ = e_.alikeWorkgroups(dims);
  if (!alike_) return;
  isOddAmongAlike_ = e_.isOddAmongAlike(dims);
  e_.shareBy(dims, op_.result()->type());
  dims.flip();
  LlvmValue *different = e_.alikeWorkgroups(dims);
  columnGroups_ = different ? b.CreateMul(e_.partCount_, different) : e_.partCount_;
}

bool NestEmitter::partsAreCheap(const Kernel &kernel, const FusionPlan &fusion, const CpuInfo &cpu) {
  const Op *nest = onlyNest(kernel, fusion);
  if (!nest || isTurned(*nest, 0)) return false;
  Elem elem = nest->operand(0)->type().elem();
  switch (productStyle(cpu, *nest)) {
  case ProductStyle::Elements: return mmaElem(elem) == elem || convertsElements(cpu, *nest);
  case ProductStyle::DotBf16: return true;
  case ProductStyle::DotBytes: return !movesBytes(cpu, *nest) || movesLeftBytes(cpu, *nest);
  case ProductStyle::DotShorts:
  case ProductStyle::TilesBf16:
  case ProductStyle::TilesBytes:
  case ProductStyle::TilesSliced: break;
  }
  return false;
}

int64_t NestEmitter::mostParts(const Kernel &kernel, const FusionPlan &fusion, const CpuInfo &cpu) {
  const Op *nest = onlyNest(kernel, fusion);
  if (!nest || !otherReads(kernel, *nest)) return 0;
  RegisterTile tile = nestTile(cpu, *nest);
  int64_t wide = columnsOfPart(tile, productStyle(cpu, *nest));
  return (nest->result()->type().extent(1) + wide - 1) / wide;
}

} // namespace xt
