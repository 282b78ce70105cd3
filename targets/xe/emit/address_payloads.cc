#include "targets/xe/emit/address_payloads.h"

#include "targets/xe/emit/device_calls.h"
#include "targets/xe/emit/device_functions.h"
#include "targets/xe/emit/inline_assembly.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <bit>
#include <map>
#include <numeric>

namespace xt {
namespace {

constexpr unsigned kColumnWord = 5, kRowWord = 6;
constexpr int64_t kRegisterBytes = 64;
// Loops with more messages, those inside of them counted, keep their calls: a payload takes a register through the whole loop. Attention
// has more, and would spill.
constexpr size_t kMostPayloads = 24;
constexpr uint64_t kLongestVector = 16; // of SPIR-V

// The fields of a message descriptor.
constexpr uint32_t kLoadBlock2d = 3, kVnni = 1 << 7, kTransposed = 1 << 15;
constexpr int kDataSizeShift = 9, kResultShift = 20, kPayloadShift = 25;

int64_t bytesOfOne(const BlockFunction &block) { return block.rows * block.columns * block.bits / 8; }

// Whether a result is what the lanes get from a call: each block of a message begins in a register of its own.
bool fillsRegisters(const BlockFunction &block) { return bytesOfOne(block) % kRegisterBytes == 0; }

uint32_t descriptorOf(const BlockFunction &block) {
  uint32_t size =
      static_cast<uint32_t>(std::countr_zero(static_cast<uint64_t>(block.bits)) - 3); // 8 bits: 0, 16: 1, 32: 2, 64: 3
  uint32_t registers =
      block.use == BlockUse::Prefetch ? 0 : static_cast<uint32_t>(block.blocks * bytesOfOne(block) / kRegisterBytes);
  return kLoadBlock2d | (block.use == BlockUse::LoadVnni ? kVnni : 0) |
         (block.use == BlockUse::LoadTransposed ? kTransposed : 0) | size << kDataSizeShift | registers << kResultShift |
         uint32_t{1} << kPayloadShift;
}

uint32_t shapeWord(const BlockFunction &block) {
  return static_cast<uint32_t>((block.columns - 1) | (block.rows - 1) << 8 | (block.blocks - 1) << 16);
}

// The functions that load or prefetch, by their symbols.
std::map<std::string, BlockFunction> functionsBySymbol(const TargetInfo &target) {
  std::map<std::string, BlockFunction> all;
  for (const BlockShape &shape : target.blockShapes) {
    if (shape.use == BlockUse::Store) continue;
    for (int64_t rows = shape.fewestRows; rows <= shape.mostRows; rows *= 2)
      for (int64_t blocks = shape.fewestBlocks; blocks <= shape.blocks; blocks *= 2) {
        BlockFunction block = blockFunction(shape, rows, blocks);
        all[deviceFunction(block).symbol] = block;
      }
  }
  return all;
}

// A call that becomes a message, and the reads of what it loads.
struct Load {
  llvm::CallInst *call;
  BlockFunction block;
  llvm::AllocaInst *memory; // of the lane; null: a prefetch
  struct Read {
    llvm::LoadInst *read;
    int64_t word; // its first one
  };
  std::vector<Read> reads;
  std::vector<llvm::Instruction *> addresses; // of reads, those made of others first
};

class Payloads {
public:
  Payloads(llvm::Function &function, const std::map<std::string, BlockFunction> &known)
      : function_(function), known_(known), library_(llvm::Triple(function.getParent()->getTargetTriple())), tree_(function),
        loops_(tree_), assumptions_(function), libraryInfo_(library_),
        evolution_(function, libraryInfo_, assumptions_, tree_, loops_) {}

  // Returns whether any call has become a message.
  bool run() {
    std::vector<Load> loads;
    for (llvm::Instruction &instruction : llvm::instructions(function_))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
        if (std::optional<Load> load = loadOf(call)) loads.push_back(std::move(*load));
    std::map<llvm::Loop *, size_t> counts; // used for lookup only
    for (const Load &load : loads)
      for (llvm::Loop *loop = loopOf(load.call); loop; loop = loop->getParentLoop()) ++counts[loop];
    for (Load &load : loads)
      if (counts[loops_.getLoopFor(load.call->getParent())->getOutermostLoop()] <= kMostPayloads) replace(load);
    return any_;
  }

private:
  llvm::Loop *loopOf(const llvm::CallInst *call) const { return loops_.getLoopFor(call->getParent()); }

  std::optional<Load> loadOf(llvm::CallInst *call) {
    llvm::Function *callee = call->getCalledFunction();
    auto found = callee ? known_.find(callee->getName().str()) : known_.end();
    llvm::Loop *loop = loopOf(call);
    if (found == known_.end() || !loop || !loop->getLoopPreheader() || !loop->getLoopLatch()) return std::nullopt;
    Load load{call, found->second, nullptr, {}, {}};
    if (load.block.use == BlockUse::Prefetch) return load;
    load.memory = llvm::dyn_cast<llvm::AllocaInst>(call->getArgOperand(5));
    if (!fillsRegisters(load.block)) return std::nullopt;
    auto *words = load.memory ? llvm::dyn_cast<llvm::ArrayType>(load.memory->getAllocatedType()) : nullptr;
    if (!words || words->getNumElements() > kLongestVector || !addReads(load.memory, 0, load)) return std::nullopt;
    return load;
  }

  // Adds the reads of the memory at an address, which is `offset` bytes behind its begin; false if it has other uses.
  static bool addReads(LlvmValue *address, int64_t offset, Load &load) {
    const llvm::DataLayout &layout = load.call->getModule()->getDataLayout();
    for (llvm::User *user : address->users()) {
      if (user == load.call && offset == 0) continue;
      if (auto *step = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
        llvm::APInt more(layout.getIndexTypeSizeInBits(step->getType()), 0);
        if (!step->accumulateConstantOffset(layout, more) || !addReads(step, offset + more.getSExtValue(), load)) return false;
        load.addresses.push_back(step);
        continue;
      }
      auto *read = llvm::dyn_cast<llvm::LoadInst>(user);
      if (!read || read->getParent() != load.call->getParent() || !load.call->comesBefore(read)) return false;
      load.reads.push_back({read, offset * 8 / load.block.wordBits});
    }
    return true;
  }

  // Whether a value is the same in each turn of the loop; then it is computed before the loop.
  bool isInvariant(LlvmValue *value, llvm::Loop *loop) {
    bool changed = false;
    return loop->makeLoopInvariant(value, changed, loop->getLoopPreheader()->getTerminator(), nullptr, &evolution_);
  }

  // A coordinate before the loop, and its change in each turn.
  struct Coordinate {
    LlvmValue *start;
    int64_t step;
  };
  // nullopt if the value is not of this form. `b` adds instructions before the loop.
  std::optional<Coordinate> coordinate(llvm::IRBuilder<> &b, LlvmValue *value, llvm::Loop *loop) {
    if (isInvariant(value, loop)) return Coordinate{value, 0};
    // A row that is far outside if a leading index is out of bounds (XeLaneDevice::blockArgs) stays outside for 2^30 rows more.
    constexpr int64_t kFar = int64_t{1} << 30;
    if (auto *select = llvm::dyn_cast<llvm::SelectInst>(value)) {
      auto *far = llvm::dyn_cast<llvm::ConstantInt>(select->getTrueValue());
      if (!far || far->getSExtValue() != kFar || !isInvariant(select->getCondition(), loop)) return std::nullopt;
      std::optional<Coordinate> near = coordinate(b, select->getFalseValue(), loop);
      if (near) near->start = b.CreateSelect(select->getCondition(), far, near->start);
      return near;
    }
    const auto *recurrence = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution_.getSCEV(value));
    if (!recurrence || recurrence->getLoop() != loop || !recurrence->isAffine()) return std::nullopt;
    const auto *step = llvm::dyn_cast<llvm::SCEVConstant>(recurrence->getStepRecurrence(evolution_));
    llvm::SCEVExpander expander(evolution_, "payload");
    llvm::Instruction *end = loop->getLoopPreheader()->getTerminator();
    if (!step || !expander.isSafeToExpandAt(recurrence->getStart(), end)) return std::nullopt;
    return Coordinate{expander.expandCodeFor(recurrence->getStart(), value->getType(), end), step->getAPInt().getSExtValue()};
  }

  static LlvmValue *elementOf(LlvmValue *vector, uint64_t index) {
    while (auto *insert = llvm::dyn_cast<llvm::InsertElementInst>(vector)) {
      auto *at = llvm::dyn_cast<llvm::ConstantInt>(insert->getOperand(2));
      if (at && at->getZExtValue() == index) return insert->getOperand(1);
      vector = insert->getOperand(0);
    }
    auto *constant = llvm::dyn_cast<llvm::Constant>(vector);
    return constant ? constant->getAggregateElement(static_cast<unsigned>(index)) : nullptr;
  }

  // Does nothing if an argument changes in another way.
  void replace(Load &load) {
    llvm::CallInst *call = load.call;
    llvm::Loop *loop = loopOf(call);
    LlvmValue *column = elementOf(call->getArgOperand(4), 0), *row = elementOf(call->getArgOperand(4), 1);
    if (!column || !row) return;
    llvm::BasicBlock *before = loop->getLoopPreheader(), *latch = loop->getLoopLatch(), *header = loop->getHeader();
    std::vector<LlvmValue *> values(call->arg_begin(), call->arg_begin() + 4);
    for (LlvmValue *value : values)
      if (!isInvariant(value, loop)) return;
    llvm::IRBuilder<> b(before->getTerminator());
    b.SetCurrentDebugLocation(call->getDebugLoc());
    std::optional<Coordinate> x = coordinate(b, column, loop), y = coordinate(b, row, loop);
    if (!x || !y) return;
    values.insert(values.end(), {x->start, y->start});
    LlvmValue *lane = laneId();
    LlvmValue *start = payload(b, lane, values, shapeWord(load.block));
    LlvmValue *step = stepOf(b, lane, x->step, y->step);
    LlvmValue *sent = start;
    llvm::PHINode *phi = nullptr;
    if (step) {
      phi = llvm::PHINode::Create(b.getInt32Ty(), 2, "payload", header->begin());
      sent = phi;
    }
    llvm::IRBuilder<> at(call);
    at.SetCurrentDebugLocation(call->getDebugLoc());
    LlvmValue *words = send(at, load, sent);
    any_ = true;
    if (phi) {
      if (call->getParent() != latch) at.SetInsertPoint(latch->getTerminator()); // not every turn may reach the call
      LlvmValue *next = at.CreateAdd(phi, step);
      for (llvm::BasicBlock *from : llvm::predecessors(header)) phi->addIncoming(from == latch ? next : start, from);
    }
    for (const Load::Read &each : load.reads) {
      llvm::IRBuilder<> reads(each.read);
      each.read->replaceAllUsesWith(wordsAt(reads, words, each.word, each.read->getType()));
      each.read->eraseFromParent();
    }
    LlvmValue *position = call->getArgOperand(4);
    call->eraseFromParent();
    llvm::RecursivelyDeleteTriviallyDeadInstructions(position);
    for (llvm::Instruction *address : load.addresses) address->eraseFromParent();
    if (load.memory) load.memory->eraseFromParent();
  }

  LlvmValue *laneId() {
    if (lane_) return lane_;
    llvm::BasicBlock &entry = function_.getEntryBlock();
    llvm::IRBuilder<> top(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
    lane_ = callDevice(top, deviceFunction("get_sub_group_local_id", {}, "j"), {}, DeviceEffect::None);
    return lane_;
  }

  static LlvmValue *inLane(llvm::IRBuilder<> &b, LlvmValue *lane, unsigned index, LlvmValue *value, LlvmValue *otherwise) {
    return b.CreateSelect(b.CreateICmpEQ(lane, b.getInt32(index)), value, otherwise);
  }

  LlvmValue *payload(llvm::IRBuilder<> &b, LlvmValue *lane, const std::vector<LlvmValue *> &v, uint32_t shape) {
    LlvmValue *address = b.CreatePtrToInt(v[0], b.getInt64Ty());
    LlvmValue *words[] = {b.CreateTrunc(address, b.getInt32Ty()),
                          b.CreateTrunc(b.CreateLShr(address, 32), b.getInt32Ty()),
                          b.CreateSub(v[1], b.getInt32(1)),
                          b.CreateSub(v[2], b.getInt32(1)),
                          b.CreateSub(v[3], b.getInt32(1)),
                          v[4],
                          v[5],
                          b.getInt32(shape)};
    LlvmValue *all = b.getInt32(0);
    for (unsigned i = 0; i < 8; ++i) all = inLane(b, lane, i, words[i], all);
    return all;
  }

  // null: no step
  LlvmValue *stepOf(llvm::IRBuilder<> &b, LlvmValue *lane, int64_t column, int64_t row) {
    if (column == 0 && row == 0) return nullptr;
    auto number = [&](int64_t value) { return b.getInt32(static_cast<uint32_t>(value)); };
    LlvmValue *step = b.getInt32(0);
    if (column != 0) step = inLane(b, lane, kColumnWord, number(column), step);
    if (row != 0) step = inLane(b, lane, kRowWord, number(row), step);
    return step;
  }

  // Part of a vector of words, as a vector or one word.
  static LlvmValue *wordsAt(llvm::IRBuilder<> &b, LlvmValue *words, int64_t first, llvm::Type *type) {
    if (type == words->getType()) return words;
    auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    if (!vector) return b.CreateExtractElement(words, static_cast<uint64_t>(first));
    std::vector<int> places(vector->getNumElements());
    std::iota(places.begin(), places.end(), static_cast<int>(first));
    return b.CreateShuffleVector(words, places);
  }

  LlvmValue *send(llvm::IRBuilder<> &b, const Load &load, LlvmValue *payload) {
    llvm::Type *type = b.getVoidTy();
    if (load.memory) {
      const auto count = static_cast<unsigned>(llvm::cast<llvm::ArrayType>(load.memory->getAllocatedType())->getNumElements());
      type = b.getIntNTy(load.block.wordBits);
      if (count > 1) type = llvm::FixedVectorType::get(type, count);
    }
    auto *function =
        llvm::cast<llvm::Function>(function_.getParent()
                                       ->getOrInsertFunction(functionOf({descriptorOf(load.block)}),
                                                             llvm::FunctionType::get(type, {b.getInt32Ty()}, false))
                                       .getCallee());
    function->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    function->setDoesNotThrow();
    function->setConvergent();
    llvm::CallInst *call = b.CreateCall(function, {payload});
    call->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    call->setConvergent();
    return call;
  }

  llvm::Function &function_;
  const std::map<std::string, BlockFunction> &known_;
  llvm::TargetLibraryInfoImpl library_;
  llvm::DominatorTree tree_;
  llvm::LoopInfo loops_;
  llvm::AssumptionCache assumptions_;
  llvm::TargetLibraryInfo libraryInfo_;
  llvm::ScalarEvolution evolution_;
  LlvmValue *lane_ = nullptr;
  bool any_ = false;
};

} // namespace

bool keepAddressPayloads(llvm::Module &module, const TargetInfo &target) {
  const std::map<std::string, BlockFunction> known = functionsBySymbol(target);
  bool any = false;
  for (llvm::Function &function : module)
    if (!function.isDeclaration()) any |= Payloads(function, known).run();
  return any;
}

} // namespace xt
