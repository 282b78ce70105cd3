#include "targets/cpu/vector/kernel_emitter.h"

#include "ir/base/check.h"
#include "ir/constants.h"
#include "targets/cpu/analysis/needs_fibers.h"
#include "targets/cpu/analysis/vector_values.h"
#include "targets/cpu/vector/fused_loop.h"
#include "targets/cpu/vector/vector_math.h"

#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

namespace xt {

KernelEmitter::KernelEmitter(llvm::Module &module, const Kernel &kernel, const CpuInfo &cpu, const FusionPlan &fusion,
                             const BufferAssignment &buffers, const SlmLayout &slm, MakeProductEmitter products)
    : module_(module), kernel_(kernel), cpu_(cpu), fusion_(fusion), buffers_(buffers), shared_(findSharedOperands(kernel)),
      b(module.getContext()), ops_(b, {.halves = cpu.f16c, .function = vectorMathOf(cpu)}), products_(products(*this)),
      slmLayout_(slm), streamed_(findStreamedStores(kernel)) {}

KernelOutput KernelEmitter::emit() {
  output_.usesFibers = needsFibers(kernel_);
  products_->divide(output_);
  llvm::Type *pointer = b.getPtrTy(), *word = b.getInt64Ty();
  auto *type = llvm::FunctionType::get(b.getVoidTy(), {pointer, word, word, pointer}, false);
  auto *function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, kernelSymbol(kernel_), module_);
  function->setDoesNotThrow();
  function->addFnAttr("target-cpu", cpu_.name);
  if (!cpu_.features.empty()) function->addFnAttr("target-features", cpu_.features);
  // LLVM is tuned to split wide vectors on some processors, but the emitter has already chosen the width.
  std::string bits = std::to_string(cpu_.vectorBytes * 8);
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
  scratch_ = function->getArg(3);
  if (output_.usesFibers) {
    slm_ = b.CreateAlignedLoad(pointer, scratch_, llvm::Align(8));
    fiber_ = b.CreateAlignedLoad(pointer, byteOffset(b, scratch_, number(8)), llvm::Align(8));
    scratch_ = byteOffset(b, scratch_, number(kFiberHeader));
  }
  loadParameters(function->getArg(0));
  if (!output_.usesFibers && slmLayout_.bytes > 0) slm_ = byteOffset(b, scratch_, argument(buffers_.scratchBytes()));
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
  // Makes non-temporal stores visible to other threads.
  if (fences_) b.CreateIntrinsic(b.getVoidTy(), llvm::Intrinsic::x86_sse_sfence, {});
  b.CreateRetVoid();
  return std::move(output_);
}

// Loads the number at each use: values kept from the start of the kernel on would occupy registers and cost LLVM time.
LlvmValue *KernelEmitter::argument(int64_t value) {
  LlvmValue *place = b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), numbers_, output_.numbers.size());
  llvm::LoadInst *load = b.CreateAlignedLoad(b.getInt64Ty(), place, llvm::Align(8));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
  output_.numbers.push_back(value);
  if (value >= 0) notNegative_.insert(load);
  return load;
}

LlvmValue *KernelEmitter::numbersAddress(llvm::ArrayRef<int64_t> values) {
  LlvmValue *place = b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), numbers_, output_.numbers.size());
  output_.numbers.insert(output_.numbers.end(), values.begin(), values.end());
  return b.CreatePtrToInt(place, b.getInt64Ty());
}

// Constants that are computed with stay LLVM constants, so that their results are known at compile time; so do 0 and 1.
LlvmValue *KernelEmitter::constant(const Op &op) {
  Elem elem = op.result()->type().elem();
  const AttrValue &value = op.attr("value")->value;
  const auto *integer = std::get_if<int64_t>(&value);
  bool computes = std::ranges::any_of(op.result()->uses(), [](Use use) {
    TypeRule rule = use.user->info().typeRule;
    return rule == TypeRule::Elementwise || rule == TypeRule::Dim;
  });
  if (elem != Elem::Index || computes || !integer || *integer == 0 || *integer == 1) return ops_.constant(elem, value, 0);
  return argument(*integer);
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
  numbers_ = load(b.getPtrTy());
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
      if (value == kDynamic)
        parts.push_back(load(b.getInt64Ty()));
      else
        parts.push_back(number(value)), ++next;
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
    LlvmValue *value = b.CreateMul(coordinates_[dim], grid_[dim][1]);
    if (!lower || *lower != 0) value = b.CreateAdd(grid_[dim][0], value);
    if (lower && *lower >= 0 && step && *step > 0) notNegative_.insert(value);
    parts_[kernel_.grid[d].variable] = {value};
  }
  workgroupEnd_ = llvm::BasicBlock::Create(b.getContext(), "workgroup.end");
  if (kernel_.scope == Scope::Workgroup || output_.usesFibers)
    emitBlock(kernel_.body);
  else if (kernel_.subgroups == 1) {
    subgroup_ = number(0);
    emitBlock(kernel_.body);
  } else
    forLoop(b, number(0), argument(kernel_.subgroups), number(1), [&](LlvmValue *subgroup) {
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
    if (!vector) parts_[op.result()] = {constant(op)};
    return;
  case TypeRule::Splat: return; // evaluated at its uses
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
    if (!fusion_.isInline(op.result())) products_->emitNest(op, nullptr);
    return;
  case TypeRule::StoreTile: {
    if (const Op *nest = fusion_.nestInto(op)) {
      products_->emitNest(*nest, &op);
      return;
    }
    FusedLoop loop(*this);
    loop.toTile(op.operand(0), op.operand(1), streamed_.stores.contains(&op));
    loop.emit();
    return;
  }
  case TypeRule::TileMma: products_->emitMma(op); return;
  case TypeRule::For: emitFor(op); return;
  case TypeRule::If: emitIf(op); return;
  case TypeRule::Yield: return; // the enclosing op moves the values
  case TypeRule::While: emitWhile(op); return;
  case TypeRule::LoadTile:
    if (!shared_.loads.contains(&op)) emitTransposedLoad(op); // otherwise it is packed from memory directly
    return;
  case TypeRule::Iota:
  case TypeRule::CreateMask: return; // evaluated at their uses
  case TypeRule::Transpose: emitTranspose(op); return;
  case TypeRule::Reduction: emitReduction(op); return;
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
  case TypeRule::Cast: break;
  }
  XT_UNREACHABLE("an op that the cpu target does not emit");
}

LlvmValue *KernelEmitter::bufferAddress(const Buffer &buffer) { return byteOffset(b, scratch_, argument(buffer.offset)); }

LlvmValue *KernelEmitter::pitchOf(const Buffer &buffer) { return argument(buffer.shape.pitch); }

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
