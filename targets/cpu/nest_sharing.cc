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
void NestEmitter::choosePanels(const Op &store, LlvmValue *inPlace) {
  if (inSlices())
    return; // slices take more memory than b: f32 and f16 2048x2048x2048 would take 1.2 times as long (Intel Xeon with AMX)
  const Kernel &kernel = e_.kernel_;
  std::vector<bool> dims(kernel.grid.size());
  const Value *stored = parameterBehind(kernel, store.operand(1));
  if (onlyNest(kernel, e_.fusion_) != &op_ || !stored || parameterBehind(kernel, op_.operand(1)) == stored) return;
  for (size_t operand : {1, 3, 4, 5})
    if (!collectGridDims(kernel, op_.operand(operand), dims)) return;
  LlvmValue *alike = e_.alikeWorkgroups(dims), *threads = e_.threads_;
  if (!alike) return;
  isOddAmongAlike_ = e_.isOddAmongAlike(dims);
  e_.shareBy(dims, op_.result()->type());
  // Packing a line takes less time than waiting for a line that another thread packs and then reading it: f16 256x256x256 and
  // 512x512x512 with two threads, in tiles of 128x1024, take 0.81 and 0.92 of the time (Intel Xeon with AMX).
  ownPanels_ = usesTiles(style_) ? b.getFalse() : b.CreateICmpSLE(alike, b.CreateShl(threads, 1));
  dims.flip();
  LlvmValue *columns = e_.partCount_, *different = e_.alikeWorkgroups(dims);
  if (different) columns = b.CreateMul(columns, different);
  // If there are columns for all threads, all workgroups of a column run on one thread.
  LlvmValue *ofThread = b.CreateUDiv(b.CreateAdd(alike, b.CreateSub(threads, number(1))), threads);
  served_ = b.CreateSelect(b.CreateAnd(ownPanels_, b.CreateICmpSLT(columns, threads)), ofThread, alike);
  // AMX is so fast that waiting for a panel that another thread packs pays only if the panel serves several workgroups of each
  // thread: bytes and bf16 of 512x512x512 with two threads take 0.65 and 0.85 of the time when each packs all (the same Xeon).
  LlvmValue *few = usesTiles(style_) ? threads : number(1);
  shares_ = b.CreateAnd(inPlace, b.CreateICmpSGT(served_, few));
}

namespace {

// The least number of columns of a part. AMX's panels are packed in pairs; where narrow tiles take any remainder, a part need
// not consist of whole panels.
int64_t columnsOfPart(RegisterTile tile, ProductStyle style) {
  int64_t vectors = usesTiles(style) ? kMostPanels * tile.vectors : narrowTakesAnyRest(tile) ? tile.narrow : tile.vectors;
  return vectors * tile.lanes;
}

} // namespace

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

// A part computes its share of the columns. If nothing may be stored before all parts have read everything, the first part
// computes all columns.
void NestEmitter::chooseColumns() {
  columnBegin_ = number(0);
  if (!e_.output_.divides) return;
  LlvmValue *wide = number(columnsOfPart(tile_, style_)), *first = b.CreateICmpEQ(e_.part_, number(0));
  LlvmValue *units = b.CreateUDiv(b.CreateAdd(columns_, b.CreateSub(wide, number(1))), wide);
  auto share = [&](LlvmValue *part) { return b.CreateMul(b.CreateUDiv(b.CreateMul(units, part), e_.partCount_), wide); };
  LlvmValue *begin = share(e_.part_), *end = least(share(b.CreateAdd(e_.part_, number(1))), columns_);
  columnBegin_ = b.CreateSelect(divides_, begin, b.CreateSelect(first, number(0), columns_));
  columns_ = b.CreateSelect(divides_, end, columns_);
}

} // namespace xt
