#include "targets/cpu/products/nest_sharing.h"

#include "ir/op_kinds.h"
#include "targets/cpu/analysis/tile_source.h"

#include <algorithm>
#include <optional>

namespace xt {

namespace {

// The arrays that a kernel reads besides the operands of the nest, if all of them are parameters; nullopt: some are not.
std::optional<std::vector<const Value *>> otherReads(const Kernel &kernel, const Op &nest) {
  std::vector<const Value *> memrefs;
  bool known = true;
  walk(kernel.body, [&](const Op &op) {
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
LlvmValue *NestSharing::isApart(const Op &store) {
  LlvmValue *apart = b.CreateAnd(e_.overlaps.areTilesApart(store.operand(1), n.op.operand(0)),
                                 e_.overlaps.areTilesApart(store.operand(1), n.op.operand(1)));
  divides_ = apart;
  std::optional<std::vector<const Value *>> others = otherReads(e_.context.kernel, n.op);
  if (e_.context.output.divides && others)
    for (const Value *memref : *others) divides_ = b.CreateAnd(divides_, e_.overlaps.isApartFrom(store.operand(1), memref));
  return apart;
}

namespace {

// The only nest of a kernel whose only lasting effect is to store values computed from that nest; null: there is no such nest.
const Op *onlyNest(const Kernel &kernel, const FusionPlan &fusion) {
  if (kernel.scope == Scope::Lane || (kernel.scope == Scope::Subgroup && kernel.subgroups > 1)) return nullptr;
  const Op *nest = nullptr;
  bool alone = true;
  walk(kernel.body, [&](const Op &op) {
    Effect effects = op.info().effects;
    if (!has(effects, Effect::Writes) && !has(effects, Effect::Synchronises) && !has(effects, Effect::Observable)) return;
    const Op *stored = op.kind() == OpKind::StoreTile ? fusion.nestInto(op) : nullptr;
    alone &= stored && !nest && op.block() == &kernel.body;
    nest = stored;
  });
  return alone ? nest : nullptr;
}

} // namespace

// All workgroups that differ only in grid dimensions on which `b` does not depend have the same panels of `b`, as long as no
// workgroup of the launch writes `b`.
void NestSharing::choosePanels(const Op &store) {
  if (p.inSlices()) return; // slices take more memory than `b`
  const Kernel &kernel = e_.context.kernel;
  std::vector<bool> dims(kernel.grid.size());
  const Value *stored = parameterBehind(kernel, store.operand(1));
  if (onlyNest(kernel, e_.context.fusion) != &n.op || !stored || parameterBehind(kernel, n.op.operand(1)) == stored) return;
  for (size_t operand : {1, 3, 4, 5})
    if (!collectGridDims(kernel, n.op.operand(operand), dims)) return;
  alike_ = n.sharedPanels.alikeWorkgroups(dims);
  if (!alike_) return;
  isOddAmongAlike_ = n.sharedPanels.isOddAmongAlike(dims);
  n.sharedPanels.shareBy(dims, n.op.result()->type());
  dims.flip();
  LlvmValue *different = n.sharedPanels.alikeWorkgroups(dims);
  columnGroups_ = different ? b.CreateMul(e_.context.words.parts, different) : e_.context.words.parts;
}

void NestSharing::setSizes() {
  const bool divides = e_.context.output.divides;
  n.plan.set(b, &NestSizes::part, divides ? e_.context.part : n.number(0));
  n.plan.set(b, &NestSizes::parts, divides ? e_.context.words.parts : n.number(1));
  n.plan.set(b, &NestSizes::divides, divides ? b.CreateZExt(divides_, b.getInt64Ty()) : n.number(1));
  n.plan.set(b, &NestSizes::alike, alike_ ? alike_ : n.number(0));
  n.plan.set(b, &NestSizes::columnGroups, alike_ ? columnGroups_ : n.number(0));
  n.plan.set(b, &NestSizes::threads, e_.context.words.threads);
}

SharedPanel NestSharing::takePanel(const NestBlock &block, const NestPanel &panel) {
  LlvmValues key{panel.column, block.first, block.depth};
  for (LlvmValue *part : {panel.panels, panel.width})
    if (part) key.push_back(part);
  key.append(e_.context.parts.at(n.op.operand(1)));
  LlvmValue *isOwn = p.inTiles() ? b.getFalse() : n.isSet(&NestPlan::ownPanels);
  return n.sharedPanels.take(n.shares, isOwn, std::move(key), n.toNextPanel(block, panel));
}

// The index of the panel with which a workgroup begins. Of the workgroups that share panels, every second one begins in the
// middle, so that two threads do not wait for the panels that the other one packs. Panels that tiles pack while they multiply
// cause no wait.
LlvmValue *NestSharing::firstPanel(LlvmValue *count) {
  if (!n.shares || (!p.inWords() && !p.left.transposed && n.rules.mayCopy)) return n.number(0);
  return b.CreateSelect(b.CreateAnd(n.shares, isOddAmongAlike_), b.CreateUDiv(count, n.number(2)), n.number(0));
}

bool NestSharing::partsAreCheap(const Kernel &kernel, const FusionPlan &fusion, const CpuInfo &cpu) {
  const Op *nest = onlyNest(kernel, fusion);
  if (!nest || isTransposed(*nest, 0)) return false;
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

int64_t NestSharing::mostParts(const Kernel &kernel, const FusionPlan &fusion, const CpuInfo &cpu) {
  const Op *nest = onlyNest(kernel, fusion);
  if (!nest || !otherReads(kernel, *nest)) return 0;
  RegisterTile tile = nestTile(cpu, *nest);
  int64_t wide = columnsOfPart(tile, productStyle(cpu, *nest));
  return (nest->result()->type().extent(1) + wide - 1) / wide;
}

} // namespace xt
