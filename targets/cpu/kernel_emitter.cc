#include "targets/cpu/kernel_emitter.h"

#include "ir/base/check.h"
#include "ir/constants.h"
#include "targets/cpu/fused_loop.h"
#include "targets/cpu/nest_emitter.h"
#include "targets/cpu/vector_math.h"
#include "targets/cpu/vector_values.h"

#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

namespace xt {

size_t frameWords(const Kernel &kernel) {
  size_t words = kGridWords + kRuntimeWords;
  for (size_t i = 0; i < kernel.paramCount; ++i) {
    Type type = kernel.param(i)->type();
    words += type.isMemRef() ? 1 + 2 * static_cast<size_t>(type.rank()) : 1;
  }
  return words;
}

std::string kernelSymbol(const Kernel &kernel) { return "xt_kernel_" + kernel.name; }

namespace {

// A call takes some ten nanoseconds: of products with 16 steps, 3% of a workgroup of so many sums, a fifth of one of 8x16.
constexpr int64_t kLeastSums = 64 * 64;

bool holdsNest(const Op &op) {
  bool found = false;
  for (size_t r = 0; r < op.regionCount(); ++r) walk(*const_cast<Op &>(op).region(r), [&](Op &each) { found |= each.kind() == OpKind::Nest; });
  return found;
}

// Whether all loops are nests, loops around nests, or those of other ops that are outlined, which do not leave the workgroup. Vectors
// that loops carry would be moved by others.
bool outlinesLoops(const Kernel &kernel, const FusionPlan &fusion) {
  bool nests = false, others = false;
  auto isVector = [](const Value *value) { return value->type().isVector(); };
  walk(const_cast<Block &>(kernel.body), [&](Op &op) { // walk gives mutable ops; nothing is changed
    TypeRule rule = op.info().typeRule;
    if (rule == TypeRule::Nest) nests = true, others |= op.result()->type().extent(0) * op.result()->type().extent(1) < kLeastSums;
    bool vector = std::ranges::any_of(op.operands(), isVector) || (op.resultCount() > 0 && isVector(op.result()));
    bool outlined = rule == TypeRule::Nest || rule == TypeRule::StoreTile || rule == TypeRule::Reduction || rule == TypeRule::LoadTile || isPointwise(op);
    bool evaluatedWhereUsed = op.resultCount() == 1 && isVector(op.result()) && fusion.isInline(op.result());
    bool lasts = has(op.info().effects, Effect::Synchronises) || has(op.info().effects, Effect::Observable);
    bool loops = (rule == TypeRule::For || rule == TypeRule::While) && !holdsNest(op);
    others |= loops || lasts || (vector && !outlined && !evaluatedWhereUsed);
  });
  return nests && !others && !needsFibers(kernel);
}

} // namespace

KernelEmitter::KernelEmitter(llvm::Module &module, const Kernel &kernel, const CpuInfo &cpu, const FusionPlan &fusion,
                             const BufferAssignment &buffers, const SlmLayout &slm)
    : module_(module), kernel_(kernel), cpu_(cpu), fusion_(fusion), buffers_(buffers), slmLayout_(slm),
      streamed_(findStreamedStores(kernel)), shared_(findSharedOperands(kernel)), b(module.getContext()),
      ops_(b, {.halves = cpu.f16c, .function = vectorMathOf(cpu)}), outlines_(outlinesLoops(kernel, fusion)) {}

namespace {
// Where a single subgroup waits for others at a named barrier it waits for ever, which fibers tell.
bool hasNamedBarriers(const Kernel &kernel) {
  bool found = false;
  walk(const_cast<Block &>(kernel.body), [&](Op &op) { found |= op.kind() == OpKind::AllocNbarrier || op.kind() == OpKind::CreateNbarrier; });
  return found;
}
} // namespace

bool needsFibers(const Kernel &kernel) {
  if (kernel.scope == Scope::Lane) return true;
  if (kernel.scope != Scope::Subgroup) return false;
  bool waits = false;
  walk(const_cast<Block &>(kernel.body), [&](Op &op) {
    waits |= op.kind() == OpKind::Barrier || op.kind() == OpKind::AllocNbarrier || op.kind() == OpKind::CreateNbarrier;
  });
  return waits && (kernel.subgroups > 1 || hasNamedBarriers(kernel));
}

KernelOutput KernelEmitter::emit() {
  output_.usesFibers = needsFibers(kernel_);
  if (int64_t parts = NestEmitter::mostParts(kernel_, fusion_, cpu_)) {
    output_.divides = true;
    output_.mostParts = parts;
    output_.partsAreCheap = NestEmitter::partsAreCheap(kernel_, fusion_, cpu_);
  }
  llvm::Type *pointer = b.getPtrTy(), *word = b.getInt64Ty();
  auto *type = llvm::FunctionType::get(b.getVoidTy(), {pointer, word, word, pointer}, false);
  auto *function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, kernelSymbol(kernel_), module_);
  function->setDoesNotThrow();
  function->addFnAttr("target-cpu", cpu_.name);
  if (!cpu_.features.empty()) function->addFnAttr("target-features", cpu_.features);
  // Some processors are tuned to split vectors; the emitter has chosen their width.
  std::string bits = std::to_string(cpu_.vectorBytes * 8);
  function->addFnAttr("min-legal-vector-width", bits);
  function->addFnAttr("prefer-vector-width", bits);
  const char *names[] = {"frame", "begin", "end", "scratch"};
  for (unsigned i = 0; i < 4; ++i) function->getArg(i)->setName(names[i]);
  function->getArg(3)->addAttr(llvm::Attribute::NoAlias);

  // Stack slots go into the entry block; everything else starts in a block of its own.
  b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "entry", function));
  auto *start = llvm::BasicBlock::Create(b.getContext(), "start", function);
  b.CreateBr(start);
  b.SetInsertPoint(start);
  scratch_ = function->getArg(3);
  slm_ = byteOffset(b, scratch_, number(buffers_.scratchBytes()));
  if (output_.usesFibers) {
    slm_ = b.CreateAlignedLoad(pointer, scratch_, llvm::Align(8));
    fiber_ = b.CreateAlignedLoad(pointer, byteOffset(b, scratch_, number(8)), llvm::Align(8));
    scratch_ = byteOffset(b, scratch_, number(kFiberHeader));
  }
  loadParameters(function->getArg(0));
  if (output_.usesFibers) {
    subgroup_ = function->getArg(2);
    if (kernel_.scope == Scope::Lane) {
      lane_ = b.CreateURem(subgroup_, number(kernel_.lanes));
      subgroup_ = b.CreateUDiv(subgroup_, number(kernel_.lanes));
    }
    emitWorkgroup(function->getArg(1));
  } else {
    forLoop(b, function->getArg(1), function->getArg(2), number(1), [&](LlvmValue *id) { emitWorkgroup(id); });
  }
  // What went past the caches is there for other threads.
  if (fences_) b.CreateIntrinsic(b.getVoidTy(), llvm::Intrinsic::x86_sse_sfence, {});
  b.CreateRetVoid();
  if (regions_.size() <= kMostOutlined) loops_ = outlineLoops(*function, regions_);
  return std::move(output_);
}

// No loop is part of the entry block.
llvm::IRBuilder<> KernelEmitter::atEntry() { return llvm::IRBuilder<>(b.GetInsertBlock()->getParent()->getEntryBlock().getTerminator()); }

LlvmValue *KernelEmitter::argument(int64_t value) { return outlines_ ? atEntry().CreateFreeze(number(value)) : number(value); }

void KernelEmitter::outlined(llvm::function_ref<void()> emit) {
  if (depth_ > 0) emit();
  else outlinedWithin(emit);
}

void KernelEmitter::outlinedWithin(llvm::function_ref<void()> emit) {
  if (!outlines_) return emit();
  ++depth_;
  llvm::Function *function = b.GetInsertBlock()->getParent();
  auto *entry = llvm::BasicBlock::Create(b.getContext(), "outlined", function);
  b.CreateBr(entry);
  b.SetInsertPoint(entry);
  emit();
  auto *behind = llvm::BasicBlock::Create(b.getContext(), "behind", function);
  b.CreateBr(behind);
  b.SetInsertPoint(behind);
  regions_.push_back({entry, behind});
  --depth_;
}

void KernelEmitter::loadParameters(LlvmValue *frame) {
  size_t next = 0;
  auto load = [&](llvm::Type *type) {
    return b.CreateAlignedLoad(type, b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), frame, next++), llvm::Align(8));
  };
  for (auto &dim : grid_)
    for (LlvmValue *&part : dim) part = load(b.getInt64Ty());
  failureWord_ = load(b.getPtrTy());
  runtime_ = load(b.getPtrTy());
  partCount_ = load(b.getInt64Ty());
  threads_ = load(b.getInt64Ty());
  apartBits_ = load(b.getInt64Ty());
  for (size_t i = 0; i < kernel_.paramCount; ++i) {
    Type type = kernel_.param(i)->type();
    Parts &parts = parts_[kernel_.param(i)];
    if (!type.isMemRef()) {
      parts.push_back(ops_.fromStorage(type.elem(), load(ops_.storageType(type.elem(), 0))));
      continue;
    }
    parts.push_back(load(b.getPtrTy()));
    std::vector<int64_t> known(type.shape().begin(), type.shape().end());
    std::vector<int64_t> strides = memrefStrides(type);
    known.insert(known.end(), strides.begin(), strides.end());
    for (int64_t value : known) {
      if (value == kDynamic) parts.push_back(load(b.getInt64Ty()));
      else parts.push_back(number(value)), ++next;
    }
  }
}

void KernelEmitter::emitWorkgroup(LlvmValue *id) {
  if (output_.divides) {
    part_ = b.CreateURem(id, partCount_);
    id = b.CreateUDiv(id, partCount_);
  }
  workgroup_ = id;
  coordinates_[2] = b.CreateURem(id, grid_[2][2]);
  LlvmValue *rest = b.CreateUDiv(id, grid_[2][2]);
  coordinates_[1] = b.CreateURem(rest, grid_[1][2]);
  coordinates_[0] = b.CreateUDiv(rest, grid_[1][2]);
  for (size_t d = 0; d < kernel_.grid.size(); ++d) {
    size_t dim = kGridDims - kernel_.grid.size() + d;
    std::optional<int64_t> lower = constantInt(*kernel_.grid[d].lower), step = constantInt(*kernel_.grid[d].step);
    LlvmValue *value = b.CreateMul(coordinates_[dim], step ? number(*step) : grid_[dim][1]);
    if (!lower || *lower != 0) value = b.CreateAdd(lower ? number(*lower) : grid_[dim][0], value);
    if (lower && *lower >= 0 && step && *step > 0) notNegative_.insert(value);
    parts_[kernel_.grid[d].variable] = {value};
  }
  workgroupEnd_ = llvm::BasicBlock::Create(b.getContext(), "workgroup.end");
  if (kernel_.scope == Scope::Workgroup || output_.usesFibers) emitBlock(kernel_.body);
  else if (kernel_.subgroups == 1) {
    subgroup_ = number(0);
    emitBlock(kernel_.body);
  } else
    forLoop(b, number(0), number(kernel_.subgroups), number(1), [&](LlvmValue *subgroup) {
      subgroup_ = subgroup;
      emitBlock(kernel_.body);
    });
  llvm::Function *function = b.GetInsertBlock()->getParent();
  b.CreateBr(workgroupEnd_);
  function->insert(function->end(), workgroupEnd_);
  b.SetInsertPoint(workgroupEnd_);
}

void KernelEmitter::emitBlock(const Block &block) {
  const Block *outer = std::exchange(block_, &block);
  for (Op &op : block) emitOp(op);
  block_ = outer;
}

void KernelEmitter::emitOp(const Op &op) {
  bool vector = op.resultCount() == 1 && op.result()->type().isVector();
  if (isPointwise(op) || isPlainLoad(op)) {
    if (!vector) {
      parts_[op.result()] = {ops_.elementwise(op, partsOfAll(op.operands()))};
    } else if (!fusion_.isInline(op.result()) && !fusion_.fillerOf(op.result())) {
      if (isPlainLoad(op)) return emitLoad(op);
      FusedLoop loop(*this);
      loop.computeToBuffer(op, *buffers_.bufferOf(op.result()));
      loop.emit();
    }
    return;
  }
  switch (op.info().typeRule) {
  case TypeRule::Constant:
    if (!vector) parts_[op.result()] = {ops_.constant(op.result()->type().elem(), op.attr("value")->value, 0)};
    return;
  case TypeRule::Splat: return; // evaluated where it is used
  case TypeRule::Dim: parts_[op.result()] = {dimOf(op)}; return;
  case TypeRule::Id:
    parts_[op.result()] = {op.kind() == OpKind::SubgroupId   ? subgroup_
                           : op.kind() == OpKind::LaneId     ? lane_
                           : op.textAttr("dimension") == "x" ? coordinates_[2]
                           : op.textAttr("dimension") == "y" ? coordinates_[1]
                                                             : coordinates_[0]};
    return;
  case TypeRule::InitTile: parts_[op.result()] = initTile(op); return;
  case TypeRule::UpdateTileOffset: parts_[op.result()] = moveTile(op); return;
  case TypeRule::PrefetchTile: return; // the hardware's own prefetchers follow a tile's rows
  case TypeRule::Nest:
    if (!fusion_.isInline(op.result())) NestEmitter(*this, op).toBuffer();
    return;
  case TypeRule::StoreTile: {
    if (const Op *nest = fusion_.nestInto(op)) {
      NestEmitter(*this, *nest).toTile(op);
      return;
    }
    FusedLoop loop(*this);
    loop.toTile(op.operand(0), op.operand(1), streamed_.stores.contains(&op));
    loop.emit();
    return;
  }
  case TypeRule::TileMma: emitMma(op); return;
  case TypeRule::For: emitFor(op); return;
  case TypeRule::If: emitIf(op); return;
  case TypeRule::Yield: return; // moved by the op around it
  case TypeRule::While: emitWhile(op); return;
  case TypeRule::LoadTile:
    if (!shared_.loads.contains(&op)) outlined([&] { emitTransposedLoad(op); }); // else where it is packed
    return;
  case TypeRule::Iota:
  case TypeRule::CreateMask: return; // evaluated where it is used
  case TypeRule::Transpose: emitTranspose(op); return;
  case TypeRule::Reduction: outlined([&] { emitReduction(op); }); return;
  case TypeRule::Broadcast:
    if (!fusion_.isInline(op.result())) emitBlockBroadcast(op);
    return;
  case TypeRule::Reshape: emitReshape(op); return;
  case TypeRule::Extract: parts_[op.result()] = {emitExtract(op)}; return;
  case TypeRule::Insert: emitInsert(op); return;
  case TypeRule::ExtractStridedSlice: emitExtractSlice(op); return;
  case TypeRule::InsertStridedSlice: emitInsertSlice(op); return;
  case TypeRule::LoadGather: emitGather(op); return;
  case TypeRule::StoreScatter: emitScatter(op); return;
  case TypeRule::AtomicRmw: emitAtomic(op); return;
  case TypeRule::AllocSlm: parts_[op.result()] = slmBuffer(op); return;
  case TypeRule::MemRefCast: parts_[op.result()] = castMemRef(op); return;
  case TypeRule::MemRefLoad: parts_[op.result()] = {loadElement(op)}; return;
  case TypeRule::MemRefStore: storeElement(op); return;
  case TypeRule::Print: emitPrintOrAssert(op); return;
  case TypeRule::Nothing: emitBarrierOrFence(op); return;
  case TypeRule::Shuffle: emitShuffle(op); return;
  case TypeRule::SubgroupReduce: emitSubgroupReduce(op); return;
  case TypeRule::AllocNbarrier: allocNamedBarriers(op); return;
  case TypeRule::CreateNbarrier: parts_[op.result()] = createNamedBarrier(op); return;
  case TypeRule::Nbarrier: meetAtNamedBarrier(op); return;
  case TypeRule::Elementwise:
  case TypeRule::Compare:
  case TypeRule::Select:
  case TypeRule::ConvertLayout:
  case TypeRule::CreateNdTdesc: // xegpu-to-tiles has replaced those of blocks and lanes
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
  case TypeRule::Cast: break;
  }
  XT_UNREACHABLE("an op that the cpu target does not emit");
}

LlvmValue *KernelEmitter::bufferAddress(const Buffer &buffer) {
  if (!outlines_) return byteOffset(b, scratch_, number(buffer.offset));
  LlvmValue *&address = addresses_[&buffer];
  if (!address) address = atEntry().CreatePtrAdd(scratch_, number(buffer.offset));
  return address;
}

LlvmValue *KernelEmitter::pitchOf(const Buffer &buffer) {
  if (!outlines_) return number(buffer.shape.pitch);
  LlvmValue *&pitch = pitches_[&buffer];
  if (!pitch) pitch = argument(buffer.shape.pitch);
  return pitch;
}

LlvmValue *KernelEmitter::dimOf(const Op &op) {
  const Value *memref = op.operand(0);
  const Parts &parts = parts_.at(memref);
  LlvmValue *dimension = scalar(op.operand(1)), *extent = number(0);
  for (int d = 0; d < memref->type().rank(); ++d)
    extent = b.CreateSelect(b.CreateICmpEQ(dimension, number(d)), parts[static_cast<size_t>(1 + d)], extent);
  return extent;
}

int64_t KernelEmitter::addFailure(Failure failure) {
  output_.failures.push_back(std::move(failure));
  return static_cast<int64_t>(output_.failures.size()) - 1;
}

void KernelEmitter::failIf(LlvmValue *condition, int64_t failure, llvm::function_ref<void()> before) {
  XT_CHECK(depth_ == 0, "a function of its own does not leave the workgroup");
  llvm::Function *function = b.GetInsertBlock()->getParent();
  auto *fails = llvm::BasicBlock::Create(b.getContext(), "fails", function);
  auto *holds = llvm::BasicBlock::Create(b.getContext(), "holds", function);
  b.CreateCondBr(condition, fails, holds);
  b.SetInsertPoint(fails);
  before();
  LlvmValue *code = b.CreateOr(b.CreateShl(workgroup_, 32), number(failure));
  b.CreateAtomicRMW(llvm::AtomicRMWInst::UMin, failureWord_, code, llvm::Align(8), llvm::AtomicOrdering::Monotonic);
  b.CreateBr(workgroupEnd_);
  b.SetInsertPoint(holds);
}

} // namespace xt
