#include "targets/cpu/vector/kernel_emitter.h"

#include "ir/base/check.h"
#include "ir/constants.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "targets/cpu/analysis/needs_fibers.h"
#include "targets/cpu/analysis/vector_values.h"
#include "targets/cpu/vector/fused_loop.h"
#include "targets/cpu/vector/scan_emitter.h"
#include "targets/cpu/vector/vector_math.h"

#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

namespace xt {

KernelEmitter::KernelEmitter(llvm::Module &module, const Kernel &kernel, const CpuInfo &cpu, const FusionPlan &fusion,
                             const BufferAssignment &buffers, const SlmLayout &slm, MakeProductEmitter makeProducts)
    : context(module, kernel, cpu, fusion, buffers, slm), products_(makeProducts(*this)) {}

KernelOutput KernelEmitter::emit() {
  c_.output.usesFibers = needsFibers(c_.kernel);
  products_->divide(c_.output);
  llvm::Type *pointer = b.getPtrTy(), *word = b.getInt64Ty();
  auto *type = llvm::FunctionType::get(b.getVoidTy(), {pointer, word, word, pointer}, false);
  auto *function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, kernelSymbol(c_.kernel), c_.module);
  function->setDoesNotThrow();
  function->addFnAttr("target-cpu", c_.cpu.name);
  if (!c_.cpu.features.empty()) function->addFnAttr("target-features", c_.cpu.features);
  // LLVM is tuned to split wide vectors on some processors, but the emitter has already chosen the width.
  std::string bits = std::to_string(c_.cpu.vectorBytes * 8);
  function->addFnAttr("min-legal-vector-width", bits);
  function->addFnAttr("prefer-vector-width", bits);
  const char *names[] = {"frame", "begin", "end", "scratch"};
  for (unsigned i = 0; i < 4; ++i) function->getArg(i)->setName(names[i]);
  function->getArg(3)->addAttr(llvm::Attribute::NoAlias);

  // Stack slots go into the entry block; all other code starts in its own block.
  b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "entry", function));
  auto *start = llvm::BasicBlock::Create(b.getContext(), "start", function);
  b.CreateBr(start);
  b.SetInsertPoint(start);
  c_.scratch = function->getArg(3);
  if (c_.output.usesFibers) {
    c_.slm = b.CreateAlignedLoad(pointer, c_.scratch, llvm::Align(8));
    c_.fiber = b.CreateAlignedLoad(pointer, byteOffset(b, c_.scratch, c_.number(8)), llvm::Align(8));
    c_.scratch = byteOffset(b, c_.scratch, c_.number(kFiberHeader));
  }
  loadParameters(function->getArg(0));
  if (!c_.output.usesFibers && c_.slmLayout.bytes > 0)
    c_.slm = byteOffset(b, c_.scratch, c_.argument(c_.buffers.scratchBytes()));
  if (c_.output.usesFibers) {
    c_.subgroup = function->getArg(2);
    if (c_.kernel.scope == Scope::Lane) {
      c_.lane = b.CreateURem(c_.subgroup, c_.number(c_.kernel.lanes));
      c_.subgroup = b.CreateUDiv(c_.subgroup, c_.number(c_.kernel.lanes));
    }
    emitWorkgroup(function->getArg(1));
  } else {
    forLoop(b, function->getArg(1), function->getArg(2), c_.number(1), [&](LlvmValue *id) { emitWorkgroup(id); });
  }
  // Makes non-temporal stores visible to other threads.
  if (c_.fences) b.CreateIntrinsic(b.getVoidTy(), llvm::Intrinsic::x86_sse_sfence, {});
  b.CreateRetVoid();
  return std::move(c_.output);
}

// Index constants become arguments (KernelContext::argument), except 0, 1, and those with which other ops compute: these stay
// LLVM constants, so that the results are known at compile time.
LlvmValue *KernelEmitter::constant(const Op &op) {
  Elem elem = op.result()->type().elem();
  const AttrValue &value = ConstantOp(op).value();
  const auto *integer = std::get_if<int64_t>(&value);
  bool computes = std::ranges::any_of(op.result()->uses(), [](Use use) {
    TypeRule rule = use.user->info().typeRule;
    return rule == TypeRule::Elementwise || rule == TypeRule::Dim || rule == TypeRule::View;
  });
  if (elem != Elem::Index || computes || !integer || *integer == 0 || *integer == 1) return ops_.constant(elem, value, 0);
  return c_.argument(*integer);
}

void KernelEmitter::loadParameters(LlvmValue *frame) {
  size_t next = 0;
  auto load = [&](llvm::Type *type) {
    return b.CreateAlignedLoad(type, b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), frame, next++), llvm::Align(8));
  };
  for (auto &dim : c_.grid)
    for (LlvmValue *&part : dim) part = load(b.getInt64Ty());
  c_.words.failure = load(b.getPtrTy());
  c_.words.output = load(b.getPtrTy());
  c_.words.parts = load(b.getInt64Ty());
  c_.words.threads = load(b.getInt64Ty());
  c_.words.apart = load(b.getInt64Ty());
  c_.words.numbers = load(b.getPtrTy());
  for (size_t i = 0; i < c_.kernel.paramCount; ++i) {
    Type type = c_.kernel.param(i)->type();
    Parts &parts = c_.parts[c_.kernel.param(i)];
    if (!type.isMemRef()) {
      parts.push_back(ops_.fromStorage(type.elem(), load(ops_.storageType(type.elem(), 0))));
      continue;
    }
    parts.push_back(load(b.getPtrTy()));
    std::vector<int64_t> known(type.shape().begin(), type.shape().end());
    std::vector<int64_t> strides = memrefStrides(type);
    known.insert(known.end(), strides.begin(), strides.end());
    for (int64_t value : known) {
      if (value == kDynamic)
        parts.push_back(load(b.getInt64Ty()));
      else
        parts.push_back(c_.number(value)), ++next;
    }
  }
}

void KernelEmitter::emitWorkgroup(LlvmValue *id) {
  if (c_.output.divides) {
    c_.part = b.CreateURem(id, c_.words.parts);
    id = b.CreateUDiv(id, c_.words.parts);
  }
  c_.workgroup = id;
  c_.coordinates[2] = b.CreateURem(id, c_.grid[2][2]);
  LlvmValue *rest = b.CreateUDiv(id, c_.grid[2][2]);
  c_.coordinates[1] = b.CreateURem(rest, c_.grid[1][2]);
  c_.coordinates[0] = b.CreateUDiv(rest, c_.grid[1][2]);
  for (size_t d = 0; d < c_.kernel.grid.size(); ++d) {
    size_t dim = kGridDims - c_.kernel.grid.size() + d;
    std::optional<int64_t> lower = constantInt(*c_.kernel.grid[d].lower), step = constantInt(*c_.kernel.grid[d].step);
    LlvmValue *value = b.CreateMul(c_.coordinates[dim], c_.grid[dim][1]);
    if (!lower || *lower != 0) value = b.CreateAdd(c_.grid[dim][0], value);
    if (lower && *lower >= 0 && step && *step > 0) c_.notNegative.insert(value);
    c_.parts[c_.kernel.grid[d].variable] = {value};
  }
  c_.workgroupEnd = llvm::BasicBlock::Create(b.getContext(), "workgroup.end");
  if (c_.kernel.scope == Scope::Workgroup || c_.output.usesFibers)
    emitBlock(c_.kernel.body);
  else if (c_.kernel.subgroups == 1) {
    c_.subgroup = c_.number(0);
    emitBlock(c_.kernel.body);
  } else
    forLoop(b, c_.number(0), c_.argument(c_.kernel.subgroups), c_.number(1), [&](LlvmValue *subgroup) {
      c_.subgroup = subgroup;
      emitBlock(c_.kernel.body);
    });
  llvm::Function *function = b.GetInsertBlock()->getParent();
  b.CreateBr(c_.workgroupEnd);
  function->insert(function->end(), c_.workgroupEnd);
  b.SetInsertPoint(c_.workgroupEnd);
}

void KernelEmitter::emitBlock(const Block &block) {
  const Block *outer = std::exchange(c_.block, &block);
  for (Op &op : block) emitOp(op);
  c_.block = outer;
}

void KernelEmitter::emitPointwise(const Op &op) {
  if (!op.result()->type().isVector()) {
    c_.parts[op.result()] = {ops_.elementwise(op, flow.partsOfAll(op.operands()))};
    return;
  }
  if (c_.fusion.isInline(op.result()) || c_.fusion.fillerOf(op.result())) return;
  if (isPlainLoad(op)) return loads.emitLoad(op);
  FusedLoop loop(*this);
  loop.computeToBuffer(op, *c_.buffers.bufferOf(op.result()));
  loop.emit();
}

void KernelEmitter::emitOp(const Op &op) {
  if (isPointwise(op) || isPlainLoad(op)) return emitPointwise(op);
  switch (op.info().typeRule) {
  case TypeRule::Constant:
    if (!op.result()->type().isVector()) c_.parts[op.result()] = {constant(op)};
    return;
  case TypeRule::Splat: return; // evaluated at its uses
  case TypeRule::Dim: c_.parts[op.result()] = {dimOf(op)}; return;
  case TypeRule::Id: c_.parts[op.result()] = {idOf(op)}; return;
  case TypeRule::InitTile: c_.parts[op.result()] = tiles.initTile(op); return;
  case TypeRule::UpdateTileOffset: c_.parts[op.result()] = tiles.moveTile(op); return;
  case TypeRule::PrefetchTile: return; // the hardware's own prefetchers follow a tile's rows
  case TypeRule::Nest:
    if (!c_.fusion.isInline(op.result())) products_->emitNest(op, nullptr);
    return;
  case TypeRule::StoreTile: {
    if (const Op *nest = c_.fusion.nestInto(op)) {
      products_->emitNest(*nest, &op);
      return;
    }
    FusedLoop loop(*this);
    loop.toTile(op.operand(0), op.operand(1), c_.streamed.stores.contains(&op));
    loop.emit();
    return;
  }
  case TypeRule::TileMma: products_->emitMma(op); return;
  case TypeRule::For: flow.emitFor(op); return;
  case TypeRule::If: flow.emitIf(op); return;
  case TypeRule::Yield: return; // the enclosing op moves the values
  case TypeRule::While: flow.emitWhile(op); return;
  case TypeRule::LoadTile:
    if (!c_.shared.loads.contains(&op)) transposer.emitTransposedLoad(op); // a shared load is packed from memory directly
    return;
  case TypeRule::Iota:
  case TypeRule::CreateMask: return; // evaluated at their uses
  case TypeRule::Transpose: transposer.emitTranspose(op); return;
  case TypeRule::Reduction: picker.emitReduction(op); return;
  case TypeRule::Scan: ScanEmitter(*this, c_, op).emit(); return;
  case TypeRule::Broadcast:
    if (!c_.fusion.isInline(op.result())) picker.emitBlockBroadcast(op);
    return;
  case TypeRule::Reshape: picker.emitReshape(op); return;
  case TypeRule::Extract: c_.parts[op.result()] = {picker.emitExtract(op)}; return;
  case TypeRule::Insert: picker.emitInsert(op); return;
  case TypeRule::ExtractStridedSlice: picker.emitExtractSlice(op); return;
  case TypeRule::InsertStridedSlice: picker.emitInsertSlice(op); return;
  case TypeRule::LoadGather: scatter.emitGather(op); return;
  case TypeRule::StoreScatter: scatter.emitScatter(op); return;
  case TypeRule::AtomicUpdate: scatter.emitAtomic(op); return;
  case TypeRule::AllocSlm: c_.parts[op.result()] = scatter.slmBuffer(op); return;
  case TypeRule::MemRefCast: c_.parts[op.result()] = scatter.castMemRef(op); return;
  case TypeRule::View: c_.parts[op.result()] = scatter.viewMemRef(op); return;
  case TypeRule::MemRefLoad: c_.parts[op.result()] = {scatter.loadElement(op)}; return;
  case TypeRule::MemRefStore: scatter.storeElement(op); return;
  case TypeRule::Print: host.emitPrintOrAssert(op); return;
  case TypeRule::Nothing: host.emitBarrierOrFence(op); return;
  case TypeRule::Shuffle: lanes.emitShuffle(op); return;
  case TypeRule::SubgroupReduce: lanes.emitSubgroupReduce(op); return;
  case TypeRule::AllocNbarrier: host.allocNamedBarriers(op); return;
  case TypeRule::CreateNbarrier: c_.parts[op.result()] = host.createNamedBarrier(op); return;
  case TypeRule::Nbarrier: host.meetAtNamedBarrier(op); return;
  case TypeRule::Elementwise:
  case TypeRule::Compare:
  case TypeRule::Select:
  case TypeRule::ConvertLayout:
  case TypeRule::CreateNdTdesc: // xegpu-to-tiles has replaced the XeGPU ops of blocks and lanes
  case TypeRule::LoadNd:
  case TypeRule::StoreNd:
  case TypeRule::PrefetchNd:
  case TypeRule::UpdateNdOffset:
  case TypeRule::Dpas:
  case TypeRule::CreateTdesc:
  case TypeRule::GatherTdesc:
  case TypeRule::ScatterTdesc:
  case TypeRule::PrefetchTdesc:
  case TypeRule::UpdateTdesc:
  case TypeRule::AtomicTdesc:
  case TypeRule::Cast:
#define XT_TYPE_RULE(rule, function)
#define XT_EXPANDED_RULE(rule, function) case TypeRule::rule:
#include "ir/ops/type_rules.def"
    break;
  }
  XT_UNREACHABLE("an op that the cpu target does not emit");
}

LlvmValue *KernelEmitter::idOf(const Op &op) {
  if (op.kind() == OpKind::SubgroupId) return c_.subgroup;
  if (op.kind() == OpKind::LaneId) return c_.lane;
  return c_.coordinates[2 - static_cast<size_t>(BlockIdOp(op).dimension())];
}

LlvmValue *KernelEmitter::dimOf(const Op &op) {
  const Value *memref = op.operand(0);
  const Parts &parts = c_.parts.at(memref);
  LlvmValue *dimension = c_.scalar(op.operand(1)), *extent = c_.number(0);
  int rank = memref->type().rank(), first = op.kind() == OpKind::Stride ? 1 + rank : 1;
  for (int d = 0; d < rank; ++d)
    extent = b.CreateSelect(b.CreateICmpEQ(dimension, c_.number(d)), parts[static_cast<size_t>(first + d)], extent);
  return extent;
}

} // namespace xt
