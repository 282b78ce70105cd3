#include "targets/llvm/lane/kernel_emitter.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/op_kinds.h"
#include "ir/uniformity.h"
#include "ir/views/scalar.h"
#include "targets/llvm/lane/async_copies.h"
#include "targets/llvm/lane/control_flow.h"
#include "targets/llvm/lane/elementwise.h"
#include "targets/llvm/lane/exchange.h"
#include "targets/llvm/lane/failures.h"
#include "targets/llvm/lane/gathers.h"
#include "targets/llvm/lane/memory.h"
#include "targets/llvm/lane/named_barriers.h"
#include "targets/llvm/lane/products.h"
#include "targets/llvm/lane/vector_ops.h"
#include "targets/llvm/lane/windows.h"

namespace xt {

Result<LaneKernel> LaneKernelEmitter::emit(const std::string &entry) {
  if (const Op *op = LaneProducts(c).firstWithoutInstruction())
    return Error::environment(
        str("`", op->info().name, "` in @", c.kernel.name, ": ", c.target.name, " has no matrix instruction for these types"));
  if (const Op *op = LaneAsyncCopies(c).firstWithoutCode())
    return Error::environment(str("`", op->info().name, "` in @", c.kernel.name, " has no code for ", c.target.name,
                                  ": first run the pass block-tiles, which replaces such copies"));
  c.output.name = c.kernel.name;
  c.output.entry = entry;
  c.output.subgroups = c.kernel.subgroups;
  c.output.subgroupSize = c.kernel.lanes;
  c.output.slmBytes = c.slmLayout.bytes;
  llvm::Function *function = makeFunction(entry);
  LaneNamedBarriers(c).prepare();
  emitBlock(c.kernel.body);
  b.CreateRetVoid();
  c.output.reportsFailures = !c.output.failures.empty();
  if (!c.output.reportsFailures) function = withoutOutcome(function);
  function->setName(entry);
  c.device.annotate(*function, c.kernel);
  lines_.end();
  return std::move(c.output);
}

// The last parameter, the outcome, is removed again if nothing can fail.
llvm::Function *LaneKernelEmitter::makeFunction(const std::string &entry) {
  llvm::SmallVector<llvm::Type *, 16> types;
  for (size_t i = 0; i < c.kernel.paramCount; ++i) {
    Type type = c.kernel.param(i)->type();
    types.push_back(type.isMemRef() ? b.getPtrTy(c.addressSpace(MemorySpace::Global)) : c.ops.storageType(type.elem(), 0));
    if (type.isMemRef()) types.append(2 * static_cast<size_t>(type.rank()), b.getInt64Ty());
  }
  types.append(2 * c.kernel.grid.size(), b.getInt64Ty());
  types.push_back(b.getPtrTy(c.addressSpace(MemorySpace::Global)));
  auto *type = llvm::FunctionType::get(b.getVoidTy(), types, false);
  auto *function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, entry, c.module);
  function->setCallingConv(c.device.kernelConvention());
  function->setDoesNotThrow();
  lines_.begin(*function, c.kernel);
  b.SetCurrentDebugLocation(lines_.at(c.kernel.nameRange));
  LaneMemoryOps(c).makeSlmVariables(entry);
  b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "entry", function));
  // Stack slots go into the entry block; all other code starts in its own block.
  auto *start = llvm::BasicBlock::Create(b.getContext(), "start", function);
  b.CreateBr(start);
  b.SetInsertPoint(start);
  loadParameters(function);
  computeIds(function);
  return function;
}

void LaneKernelEmitter::loadParameters(llvm::Function *function) {
  unsigned next = 0;
  for (size_t i = 0; i < c.kernel.paramCount; ++i) {
    const Value *param = c.kernel.param(i);
    Type type = param->type();
    function->getArg(next)->setName(param->name().empty() ? str("p", i) : param->name());
    if (type.isMemRef()) {
      next = loadMemRef(function, i, next);
      continue;
    }
    LlvmValue *value = c.ops.fromStorage(type.elem(), function->getArg(next++));
    if (type.isIndex())
      v.setIndex(param, value);
    else
      v.setParts(param, {value});
  }
}

// Loads the arguments of a memref, the first of which is number `next`. Returns the number of the argument after the last.
unsigned LaneKernelEmitter::loadMemRef(llvm::Function *function, size_t param, unsigned next) {
  Type type = c.kernel.param(param)->type();
  llvm::Argument *address = function->getArg(next++);
  std::string name = address->getName().str();
  LaneParts parts = {address};
  std::vector<int64_t> strides = memrefStrides(type);
  // Block messages take these numbers from registers. Moving a constant to a register for each message would cost more than
  // passing it as an argument.
  bool sent = c.device.sendsExtents(param);
  for (int d = 0; d < type.rank(); ++d) { // sizes are below 2^31, which the host checks
    llvm::Argument *size = function->getArg(next++);
    size->setName(str(name, ".size", d));
    c.extent = size;
    parts.push_back(sent || type.extent(d) == kDynamic ? b.CreateTrunc(size, b.getInt32Ty()) : v.number32(type.extent(d)));
  }
  for (size_t d = 0; d < strides.size(); ++d) {
    llvm::Argument *stride = function->getArg(next++);
    stride->setName(str(name, ".stride", d));
    bool constant = strides[d] != kDynamic && (!sent || strides[d] == 1);
    parts.push_back(constant ? v.number(strides[d]) : stride);
  }
  v.setParts(c.kernel.param(param), std::move(parts));
  return next;
}

void LaneKernelEmitter::computeIds(llvm::Function *function) {
  for (int d = 0; d < 3; ++d) c.coordinates[d] = b.CreateTrunc(c.device.groupId(b, d), b.getInt32Ty());
  c.subgroup = c.device.subgroupId(b);
  c.lane = c.device.laneId(b);
  unsigned next = static_cast<unsigned>(function->arg_size() - 1 - 2 * c.kernel.grid.size());
  for (size_t d = 0; d < c.kernel.grid.size(); ++d) {
    const Value *variable = c.kernel.grid[d].variable;
    llvm::Argument *lower = function->getArg(next++), *step = function->getArg(next++);
    lower->setName(variable->name() + ".lower");
    step->setName(variable->name() + ".step");
    bool small = v.narrow(variable);
    LlvmValue *id = v.resize(c.coordinates[c.kernel.grid.size() - 1 - d], small);
    v.setIndex(variable, b.CreateAdd(v.resize(lower, small), b.CreateMul(id, v.resize(step, small))));
  }
  c.outcome = function->getArg(next);
  c.outcome->setName("outcome");
}

llvm::Function *LaneKernelEmitter::withoutOutcome(llvm::Function *function) {
  llvm::SmallVector<llvm::Type *, 16> types(function->getFunctionType()->params().drop_back());
  auto *type = llvm::FunctionType::get(b.getVoidTy(), types, false);
  auto *made = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "", c.module);
  made->setCallingConv(function->getCallingConv());
  made->setDoesNotThrow();
  made->setSubprogram(function->getSubprogram());
  made->splice(made->begin(), function);
  for (unsigned i = 0; i < types.size(); ++i) {
    made->getArg(i)->takeName(function->getArg(i));
    function->getArg(i)->replaceAllUsesWith(made->getArg(i));
  }
  function->eraseFromParent();
  return made;
}

void LaneKernelEmitter::emitBlock(const Block &block) {
  llvm::DebugLoc outer = b.getCurrentDebugLocation();
  for (const Op &op : block) {
    llvm::DebugLoc own = lines_.at(op.range());
    b.SetCurrentDebugLocation(own ? own : outer); // an op without a source position gets that of the enclosing op
    bool diverges = op.regionCount() > 0 && divergesAt(op, c.divergent);
    c.divergentRegions += diverges;
    c.device.beginOp(c, op);
    emitOp(op);
    c.divergentRegions -= diverges;
  }
  b.SetCurrentDebugLocation(outer);
}

void LaneKernelEmitter::emitId(const Op &op) {
  v.setIndex(op.result(), op.kind() == OpKind::SubgroupId ? c.subgroup
                          : op.kind() == OpKind::LaneId   ? c.lane
                                                          : c.coordinates[static_cast<size_t>(BlockIdOp(op).dimension())]);
}

void LaneKernelEmitter::emitOp(const Op &op) {
  auto region = [this](const Block &block) { emitBlock(block); };
  switch (op.info().typeRule) {
  case TypeRule::Constant: return LaneElementwise(c).emitConstant(op);
  case TypeRule::Elementwise:
  case TypeRule::Compare:
  case TypeRule::Select:
  case TypeRule::Cast: return LaneElementwise(c).emitElementwise(op);
  case TypeRule::Splat: return LaneElementwise(c).emitSplat(op);
  case TypeRule::Dim: return LaneMemoryOps(c).emitDim(op);
  case TypeRule::Id: return emitId(op);
  case TypeRule::For: return LaneControlFlow(c, region).emitFor(op);
  case TypeRule::While: return LaneControlFlow(c, region).emitWhile(op);
  case TypeRule::If: return LaneControlFlow(c, region).emitIf(op);
  case TypeRule::Yield: return; // the enclosing op moves the values
  case TypeRule::Iota:
  case TypeRule::CreateMask:
  case TypeRule::Transpose:
  case TypeRule::Reduction:
  case TypeRule::Broadcast:
  case TypeRule::ConvertLayout:
  case TypeRule::Reshape:
  case TypeRule::Extract:
  case TypeRule::Insert:
  case TypeRule::ExtractStridedSlice:
  case TypeRule::InsertStridedSlice: return emitVectorOp(op);
  case TypeRule::Shuffle: return LaneExchange(c).emitShuffle(op);
  case TypeRule::SubgroupReduce: return LaneExchange(c).emitSubgroupReduce(op);
  case TypeRule::Nothing: return LaneExchange(c).emitBarrierOrFence(op);
  case TypeRule::AllocNbarrier:
  case TypeRule::CreateNbarrier:
  case TypeRule::Nbarrier: return LaneNamedBarriers(c).emit(op);
  case TypeRule::Dpas: return LaneProducts(c).emitDpas(op);
  case TypeRule::TileMma: return LaneProducts(c).emitTileMma(op);
  case TypeRule::AsyncCopy: return; // its group is emitted where it is committed
  case TypeRule::AsyncCommit: return LaneAsyncCopies(c).emitCommit(op);
  case TypeRule::AsyncWait: return LaneAsyncCopies(c).emitWait(op);
  case TypeRule::Nest: XT_UNREACHABLE("block-tiles has turned nests into loops");
  case TypeRule::Scan: XT_UNREACHABLE("expand-scans has replaced scans");
  case TypeRule::Print:
    if (op.kind() == OpKind::Assert) LaneFailures(c).emitAssert(op); // checkTargetLimits has reported that prints are left out
    return;
  case TypeRule::InitTile:
  case TypeRule::LoadTile:
  case TypeRule::StoreTile:
  case TypeRule::PrefetchTile:
  case TypeRule::UpdateTileOffset:
  case TypeRule::AtomicUpdate:
  case TypeRule::LoadGather:
  case TypeRule::StoreScatter:
  case TypeRule::CreateNdTdesc:
  case TypeRule::LoadNd:
  case TypeRule::StoreNd:
  case TypeRule::PrefetchNd:
  case TypeRule::UpdateNdOffset:
  case TypeRule::CreateTdesc:
  case TypeRule::GatherTdesc:
  case TypeRule::ScatterTdesc:
  case TypeRule::PrefetchTdesc:
  case TypeRule::UpdateTdesc:
  case TypeRule::AtomicTdesc:
  case TypeRule::AllocSlm:
  case TypeRule::MemRefCast:
  case TypeRule::View:
  case TypeRule::MemRefLoad:
  case TypeRule::MemRefStore: return emitMemoryOp(op);
  }
}

void LaneKernelEmitter::emitVectorOp(const Op &op) {
  LaneVectorOps ops(c);
  switch (op.info().typeRule) {
  case TypeRule::Iota: return ops.emitIota(op);
  case TypeRule::CreateMask: return ops.emitCreateMask(op);
  case TypeRule::Transpose: return ops.emitTranspose(op);
  case TypeRule::Reduction: return ops.emitReduction(op);
  case TypeRule::Broadcast: return ops.emitBroadcast(op);
  case TypeRule::ConvertLayout:
  case TypeRule::Reshape: return v.setFragment(op.result(), v.fragment(op.operand(0)));
  case TypeRule::Extract: return ops.emitExtract(op);
  case TypeRule::Insert: return ops.emitInsert(op);
  case TypeRule::ExtractStridedSlice:
  case TypeRule::InsertStridedSlice: return ops.emitSlice(op);
  default: XT_UNREACHABLE("an op on vectors");
  }
}

void LaneKernelEmitter::emitMemoryOp(const Op &op) {
  bool scatter = op.resultCount() == 1 && op.result()->type().isWindow() && op.result()->type().data().scatter;
  LaneWindows windows(c);
  LaneGathers gathers(c);
  LaneMemoryOps memory(c);
  switch (op.info().typeRule) {
  case TypeRule::InitTile:
  case TypeRule::CreateNdTdesc: return scatter ? gathers.initScatter(op) : v.setParts(op.result(), windows.makeWindow(op));
  case TypeRule::UpdateTileOffset:
  case TypeRule::UpdateNdOffset: return scatter ? gathers.moveScatter(op) : windows.moveWindow(op);
  case TypeRule::CreateTdesc: return gathers.initScatter(op);
  case TypeRule::UpdateTdesc: return gathers.moveScatter(op);
  case TypeRule::LoadTile: return windows.emitLoadTile(op);
  case TypeRule::StoreTile: return windows.emitStoreTile(op);
  case TypeRule::PrefetchTile: // there is no prefetch message for lanes that diverge
  case TypeRule::PrefetchTdesc: return;
  case TypeRule::LoadNd: return windows.emitLoadNd(op);
  case TypeRule::StoreNd: return windows.emitStoreNd(op);
  case TypeRule::PrefetchNd:
    if (c.device.takesBlock(op)) c.device.prefetchBlock(c, op);
    return;
  case TypeRule::LoadGather:
  case TypeRule::GatherTdesc: return gathers.emitGather(op);
  case TypeRule::StoreScatter:
  case TypeRule::ScatterTdesc: return gathers.emitScatter(op);
  case TypeRule::AtomicUpdate:
  case TypeRule::AtomicTdesc: return gathers.emitAtomic(op);
  case TypeRule::AllocSlm: return memory.allocSlm(op);
  case TypeRule::MemRefCast: return memory.castMemRef(op);
  case TypeRule::View: return memory.viewMemRef(op);
  case TypeRule::MemRefLoad: return memory.emitLoad(op);
  case TypeRule::MemRefStore: return memory.emitStore(op);
  default: XT_UNREACHABLE("an op on memory");
  }
}

} // namespace xt
