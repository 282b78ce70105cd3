#include "targets/xe/emit/kernel_emitter.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/gpu/register_pressure.h"
#include "ir/uniformity.h"
#include "ir/views/scalar.h"
#include "targets/xe/core_info.h"

#include <algorithm>
#include <array>

#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>

namespace xt {
namespace {

// Null: the op is not a library function.
LlvmValue *mathFunction(llvm::IRBuilderBase &b, OpKind kind, llvm::ArrayRef<LlvmValue *> args) {
  std::string_view name = mathFunctionName(kind);
  std::string type = mangledType(args[0]->getType());
  return name.empty()
             ? nullptr
             : callDevice(b, deviceFunction(name, std::vector<std::string>(args.size(), type), type), args, DeviceEffect::None);
}

// Some devices lack f64 and others are slow at it, so only ops on f64 use it.
constexpr RegisterTraits kTraits{.halves = true, .doubles = false, .vectors = true, .minimum = false, .function = mathFunction};

// The fraction of the small register file that vectors may occupy.
constexpr int64_t kForVectors = 3, kOf = 4;

// Registers that Intel's compiler needs besides for functions that it inlines, with their branches.
constexpr int64_t kForFunctions = 32;

bool callsFunctions(const Kernel &kernel) {
  bool calls = false;
  walk(kernel.body, [&](const Op &op) {
    calls |= (op.kind() == OpKind::Erf || op.kind() == OpKind::Tanh) && op.result()->type().isVector();
  });
  return calls;
}

bool isCall(const Op &op, TypeRule rule) { return op.info().typeRule == rule; }

// Whether some lane may write memory that another lane reads, other than by one message of the whole subgroup.
bool writesByLane(const Kernel &kernel) {
  bool writes = false;
  walk(kernel.body, [&](const Op &op) { writes |= has(op.info().effects, Effect::Writes) && !isCall(op, TypeRule::StoreNd); });
  return writes;
}

} // namespace

XeKernelEmitter::XeKernelEmitter(llvm::Module &module, Context &context, const Kernel &kernel, const TargetInfo &target,
                                 const XeEmitOptions &options, SourceLines &lines, Diagnostics &diagnostics)
    : module_(module), context_(context), kernel_(kernel), target_(target), options_(options), lines_(lines),
      diagnostics_(diagnostics), origins_(kernel), blocks_(planBlocks(kernel, target, options, origins_, diagnostics)),
      ranges_(kernel, blocks_.facts), slmLayout_(slmLayout(kernel)),
      b(module.getContext(), llvm::InstSimplifyFolder(module.getDataLayout())), ops_(b, kTraits),
      lanesWrite_(writesByLane(kernel)), divergent_(divergentValues(kernel, Among::Workgroup, LoadedValues::MayDiffer)) {}

Result<XeKernel> XeKernelEmitter::emit(std::string entry) {
  if (const Op *op = firstWithoutInstruction())
    return Error::environment(
        str("`", op->info().name, "` in @", kernel_.name, ": ", target_.name, " has no matrix instruction for these types"));
  output_.entry = entry;
  output_.subgroups = kernel_.subgroups;
  output_.subgroupSize = kernel_.lanes;
  output_.slmBytes = slmLayout_.bytes;
  output_.blockUses = blocks_.uses;
  chooseRegisterFile();
  llvm::Function *function = makeFunction(entry);
  prepareNamedBarriers();
  emitBlock(kernel_.body);
  b.CreateRetVoid();
  output_.reportsFailures = !output_.failures.empty();
  if (!output_.reportsFailures) function = withoutOutcome(function);
  function->setName(entry);
  annotate(function);
  lines_.end();
  return std::move(output_);
}

// The large register file halves the threads of an engine. It is used if vectors nearly fill the small one (addresses, message
// payloads and temporaries need the rest), and if a core still has room for a workgroup.
void XeKernelEmitter::chooseRegisterFile() {
  if (target_.registerFile.size() < 2) return;
  int64_t small = target_.registerFile[0], large = target_.registerFile.back();
  int64_t registers = registersAtOnce(kernel_.body, kernel_.lanes, target_),
          others = callsFunctions(kernel_) ? kForFunctions : 0;
  if (kForVectors * small > kOf * (registers + others)) return;
  auto tell = [&](std::string text) {
    diagnostics_.report(DiagCode::DeviceRemark, kernel_.nameRange,
                        str("`@", kernel_.name, "` needs ", registers, " registers for vectors at one time", text));
  };
  if (registersOfThread(target_, kernel_.subgroups) < large) {
    int64_t threads = coreInfo(target_).engines * engineThreads(target_, large);
    return tell(str(", but uses ", small, " per thread: with ", large, " a core has only ", threads,
                    " threads, and a workgroup has ", kernel_.subgroups, " subgroups"));
  }
  output_.largeRegisterFile = true;
  tell(str(": it uses ", large, " per thread, so half as many threads run at one time"));
}

// The last parameter, the outcome, is removed again if nothing can fail.
llvm::Function *XeKernelEmitter::makeFunction(const std::string &entry) {
  llvm::SmallVector<llvm::Type *, 16> types;
  for (size_t i = 0; i < kernel_.paramCount; ++i) {
    Type type = kernel_.param(i)->type();
    types.push_back(type.isMemRef() ? b.getPtrTy(1) : ops_.storageType(type.elem(), 0));
    if (type.isMemRef()) types.append(2 * static_cast<size_t>(type.rank()), b.getInt64Ty());
  }
  types.append(2 * kernel_.grid.size(), b.getInt64Ty());
  types.push_back(b.getPtrTy(1));
  auto *type = llvm::FunctionType::get(b.getVoidTy(), types, false);
  auto *function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, entry, module_);
  function->setCallingConv(llvm::CallingConv::SPIR_KERNEL);
  function->setDoesNotThrow();
  lines_.begin(*function, kernel_);
  b.SetCurrentDebugLocation(lines_.at(kernel_.nameRange));
  makeSlmVariables(entry);
  b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "entry", function));
  // Stack slots go into the entry block; all other code starts in its own block.
  auto *start = llvm::BasicBlock::Create(b.getContext(), "start", function);
  b.CreateBr(start);
  b.SetInsertPoint(start);
  loadParameters(function);
  computeIds(function);
  return function;
}

// Buffers that share memory are placed in one variable, and every other buffer in its own: the software device knows where each
// variable ends.
void XeKernelEmitter::makeSlmVariables(const std::string &entry) {
  std::vector<SlmBuffer> buffers = slmLayout_.buffers;
  std::ranges::stable_sort(buffers, {}, &SlmBuffer::offset);
  for (size_t first = 0, next; first < buffers.size(); first = next) {
    int64_t begin = buffers[first].offset, end = begin;
    std::string name = entry + ".slm";
    for (next = first; next < buffers.size() && (next == first || buffers[next].offset < end); ++next) {
      end = std::max(end, buffers[next].offset + buffers[next].bytes);
      name += "." + std::string(buffers[next].alloc->result()->name());
    }
    auto *bytes = llvm::ArrayType::get(b.getInt8Ty(), static_cast<uint64_t>(end - begin));
    auto *variable =
        new llvm::GlobalVariable(module_, bytes, false, llvm::GlobalValue::InternalLinkage, llvm::PoisonValue::get(bytes), name,
                                 nullptr, llvm::GlobalValue::NotThreadLocal, addressSpace(MemorySpace::Slm));
    variable->setAlignment(llvm::Align(kSlmAlignment));
    slm_.push_back({begin, end, variable});
  }
}

void XeKernelEmitter::loadParameters(llvm::Function *function) {
  unsigned next = 0;
  for (size_t i = 0; i < kernel_.paramCount; ++i) {
    const Value *param = kernel_.param(i);
    Type type = param->type();
    Parts &parts = parts_[param];
    std::string name = param->name().empty() ? str("p", i) : param->name();
    function->getArg(next)->setName(name);
    if (!type.isMemRef()) {
      LlvmValue *value = ops_.fromStorage(type.elem(), function->getArg(next++));
      if (type.isIndex())
        setIndex(param, value);
      else
        parts = {value};
      continue;
    }
    parts.push_back(function->getArg(next++));
    std::vector<int64_t> strides = memrefStrides(type);
    // Messages take these numbers from registers. Moving a constant to a register for each message would cost more than the
    // parameters.
    bool byMessage =
        std::any_of(blocks_.uses.begin(), blocks_.uses.end(), [&](const XeBlockUse &use) { return use.param == i; });
    for (int d = 0; d < type.rank(); ++d) { // below 2^31, which the host checks
      llvm::Argument *size = function->getArg(next++);
      size->setName(str(name, ".size", d));
      extent_ = size;
      parts.push_back(byMessage || type.extent(d) == kDynamic ? b.CreateTrunc(size, b.getInt32Ty()) : number32(type.extent(d)));
    }
    for (size_t d = 0; d < strides.size(); ++d) {
      llvm::Argument *stride = function->getArg(next++);
      stride->setName(str(name, ".stride", d));
      bool constant = strides[d] != kDynamic && (!byMessage || strides[d] == 1);
      parts.push_back(constant ? number(strides[d]) : stride);
    }
  }
}

void XeKernelEmitter::computeIds(llvm::Function *function) {
  for (size_t d = 0; d < 3; ++d) {
    auto *id =
        callDevice(b, deviceFunction("get_group_id", {"j"}, "m"), {b.getInt32(static_cast<uint32_t>(d))}, DeviceEffect::None);
    coordinates_[d] = b.CreateTrunc(id, b.getInt32Ty());
  }
  subgroup_ = callDevice(b, deviceFunction("get_sub_group_id", {}, "j"), {}, DeviceEffect::None);
  lane_ = callDevice(b, deviceFunction("get_sub_group_local_id", {}, "j"), {}, DeviceEffect::None);
  unsigned next = static_cast<unsigned>(function->arg_size() - 1 - 2 * kernel_.grid.size());
  for (size_t d = 0; d < kernel_.grid.size(); ++d) {
    const Value *variable = kernel_.grid[d].variable;
    llvm::Argument *lower = function->getArg(next++), *step = function->getArg(next++);
    lower->setName(variable->name() + ".lower");
    step->setName(variable->name() + ".step");
    bool small = narrow(variable);
    LlvmValue *id = resize(coordinates_[kernel_.grid.size() - 1 - d], small);
    setIndex(variable, b.CreateAdd(resize(lower, small), b.CreateMul(id, resize(step, small))));
  }
  outcome_ = function->getArg(next);
  outcome_->setName("outcome");
}

llvm::Function *XeKernelEmitter::withoutOutcome(llvm::Function *function) {
  llvm::SmallVector<llvm::Type *, 16> types(function->getFunctionType()->params().drop_back());
  auto *type = llvm::FunctionType::get(b.getVoidTy(), types, false);
  auto *made = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "", module_);
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

void XeKernelEmitter::annotate(llvm::Function *function) {
  auto entry = [&](int64_t value) { return llvm::ConstantAsMetadata::get(b.getInt32(static_cast<uint32_t>(value))); };
  llvm::LLVMContext &context = b.getContext();
  // Without it, Intel's compiler chooses 32 lanes, and spills.
  function->setMetadata("intel_reqd_sub_group_size", llvm::MDNode::get(context, {entry(kernel_.lanes)}));
  function->setMetadata("reqd_work_group_size",
                        llvm::MDNode::get(context, {entry(kernel_.subgroups * kernel_.lanes), entry(1), entry(1)}));
}

void XeKernelEmitter::remark(const Op &op, std::string message) {
  diagnostics_.report(DiagCode::BlockRemark, op.range(), std::move(message));
}

void XeKernelEmitter::emitBlock(const Block &block) {
  llvm::DebugLoc outer = b.getCurrentDebugLocation();
  for (const Op &op : block) {
    llvm::DebugLoc own = lines_.at(op.range());
    b.SetCurrentDebugLocation(own ? own : outer); // an op without a source position gets that of the enclosing op
    bool diverges = op.regionCount() > 0 && divergesAt(op, divergent_);
    divergentRegions_ += diverges;
    readHints(op);
    emitOp(op);
    divergentRegions_ -= diverges;
  }
  b.SetCurrentDebugLocation(outer);
}

void XeKernelEmitter::emitOp(const Op &op) {
  switch (op.info().typeRule) {
  case TypeRule::Constant: return emitConstant(op);
  case TypeRule::Elementwise:
  case TypeRule::Compare:
  case TypeRule::Select:
  case TypeRule::Cast: return emitElementwise(op);
  case TypeRule::Splat: {
    LlvmValue *value = scalar(op.operand(0));
    if (op.operand(0)->type().isIndex()) value = wide(value);
    fragments_[op.result()] = splat(value, static_cast<size_t>(op.result()->type().elementCount()));
    return;
  }
  case TypeRule::Dim: return emitDim(op);
  case TypeRule::Id:
    setIndex(op.result(), op.kind() == OpKind::SubgroupId ? subgroup_
                          : op.kind() == OpKind::LaneId   ? lane_
                                                          : coordinates_[static_cast<size_t>(BlockIdOp(op).dimension())]);
    return;
  case TypeRule::For: return emitFor(op);
  case TypeRule::While: return emitWhile(op);
  case TypeRule::If: return emitIf(op);
  case TypeRule::Yield: return; // the enclosing op moves the values
  case TypeRule::Iota: return emitIota(op);
  case TypeRule::CreateMask: return emitCreateMask(op);
  case TypeRule::Transpose: return emitTranspose(op);
  case TypeRule::Reduction: return emitReduction(op);
  case TypeRule::Broadcast: return emitBroadcast(op);
  case TypeRule::ConvertLayout:
  case TypeRule::Reshape: fragments_[op.result()] = fragment(op.operand(0)); return;
  case TypeRule::Extract: return emitExtract(op);
  case TypeRule::Insert: return emitInsert(op);
  case TypeRule::ExtractStridedSlice:
  case TypeRule::InsertStridedSlice: return emitSlice(op);
  case TypeRule::Shuffle: return emitShuffle(op);
  case TypeRule::SubgroupReduce: return emitSubgroupReduce(op);
  case TypeRule::Nothing: return emitBarrierOrFence(op);
  case TypeRule::AllocNbarrier:
  case TypeRule::CreateNbarrier:
  case TypeRule::Nbarrier: return emitNamedBarrier(op);
  case TypeRule::Dpas: return emitDpas(op);
  case TypeRule::Nest: break; // block-tiles has turned it into a loop
  case TypeRule::Print:
    if (op.kind() == OpKind::Assert) emitAssert(op); // checkTargetLimits has reported that prints are left out
    return;
  case TypeRule::InitTile:
  case TypeRule::LoadTile:
  case TypeRule::StoreTile:
  case TypeRule::PrefetchTile:
  case TypeRule::UpdateTileOffset:
  case TypeRule::AtomicRmw:
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
  case TypeRule::MemRefLoad:
  case TypeRule::MemRefStore: return emitMemoryOp(op);
  case TypeRule::TileMma: return emitTileMma(op);
  }
}

void XeKernelEmitter::emitMemoryOp(const Op &op) {
  bool scatter = op.resultCount() == 1 && op.result()->type().isWindow() && op.result()->type().data().scatter;
  switch (op.info().typeRule) {
  case TypeRule::InitTile:
  case TypeRule::CreateNdTdesc:
    if (scatter) return initScatter(op);
    parts_[op.result()] = makeWindow(op);
    return;
  case TypeRule::UpdateTileOffset:
  case TypeRule::UpdateNdOffset: return scatter ? moveScatter(op) : moveWindow(op);
  case TypeRule::CreateTdesc: return initScatter(op);
  case TypeRule::UpdateTdesc: return moveScatter(op);
  case TypeRule::LoadTile: return emitLoadTile(op);
  case TypeRule::StoreTile: return emitStoreTile(op);
  case TypeRule::PrefetchTile: // there is no message for lanes that diverge
  case TypeRule::PrefetchTdesc: return;
  case TypeRule::LoadNd: return emitLoadNd(op);
  case TypeRule::StoreNd: return emitStoreNd(op);
  case TypeRule::PrefetchNd: return emitPrefetchNd(op);
  case TypeRule::LoadGather:
  case TypeRule::GatherTdesc: return emitGather(op);
  case TypeRule::StoreScatter:
  case TypeRule::ScatterTdesc: return emitScatter(op);
  case TypeRule::AtomicRmw:
  case TypeRule::AtomicTdesc: return emitAtomic(op);
  case TypeRule::AllocSlm: return allocSlm(op);
  case TypeRule::MemRefCast: return castMemRef(op);
  case TypeRule::MemRefLoad: return emitLoad(op);
  case TypeRule::MemRefStore: return emitStore(op);
  default: XT_UNREACHABLE("an op on memory");
  }
}

} // namespace xt
