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

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

namespace xt {
namespace {

constexpr unsigned kColumnWord = 5, kRowWord = 6;
constexpr int64_t kRegisterBytes = 64;
// A payload takes a register through the whole loop. In loops with more messages, those inside of them counted, as attention's, and in
// those that compute with what they load, as products of tf32 round it, messages of one matrix share a payload, which is stepped in place
// between them. A step then waits until the message before it has read the payload; so other messages have one each.
constexpr size_t kMostPayloads = 24;
constexpr size_t kMostUnshared = 8; // the same in a loop that wants many registers, where each message has a payload of its own
// Loops that compute more for each message keep their calls: what payloads save is little there, as where fp8 is converted or f32 multiplied
// without matrix instructions, and such loops want the registers.
constexpr size_t kMostOperations = 256;
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
    std::vector<Chain> chains = chainsOf(loads);
    for (Chain &chain : chains) begin(chain); // before any call goes, as the values that it has go with it
    for (Chain &chain : chains) replace(chain);
    return !chains.empty();
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

  // A row that is far outside if a leading index is out of bounds (XeLaneDevice::blockArgs) stays outside for 2^30 rows more.
  static bool isFar(LlvmValue *value) {
    auto *row = llvm::dyn_cast<llvm::ConstantInt>(value);
    return row && row->getSExtValue() == int64_t{1} << 30;
  }

  // A coordinate before the loop, and its change in each turn.
  struct Coordinate {
    LlvmValue *start;
    int64_t step;
  };
  // nullopt if the value is not of this form. `b` adds instructions before the loop.
  std::optional<Coordinate> coordinate(llvm::IRBuilder<> &b, LlvmValue *value, llvm::Loop *loop) {
    if (isInvariant(value, loop)) return Coordinate{value, 0};
    if (auto *select = llvm::dyn_cast<llvm::SelectInst>(value)) {
      if (!isFar(select->getTrueValue()) || !isInvariant(select->getCondition(), loop)) return std::nullopt;
      std::optional<Coordinate> near = coordinate(b, select->getFalseValue(), loop);
      if (near) near->start = b.CreateSelect(select->getCondition(), select->getTrueValue(), near->start);
      return near;
    }
    // The column of a message whose words have several elements (XeLaneDevice::blockArgs): it begins at a whole word.
    if (auto *divide = llvm::dyn_cast<llvm::BinaryOperator>(value); divide && divide->getOpcode() == llvm::Instruction::SDiv) {
      auto *parts = llvm::dyn_cast<llvm::ConstantInt>(divide->getOperand(1));
      std::optional<Coordinate> whole = parts ? coordinate(b, divide->getOperand(0), loop) : std::nullopt;
      if (!whole || whole->step % parts->getSExtValue() != 0) return std::nullopt;
      return Coordinate{b.CreateSDiv(whole->start, parts), whole->step / parts->getSExtValue()};
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

  // A load whose arguments are the same in each turn of its loop, but for the position.
  struct Place {
    Load *load;
    std::vector<LlvmValue *> values; // address, extents, pitch
    Coordinate x, y;
  };
  std::optional<Place> placeOf(Load &load) {
    llvm::CallInst *call = load.call;
    llvm::Loop *loop = loopOf(call);
    LlvmValue *column = elementOf(call->getArgOperand(4), 0), *row = elementOf(call->getArgOperand(4), 1);
    if (!column || !row) return std::nullopt;
    std::vector<LlvmValue *> values(call->arg_begin(), call->arg_begin() + 4);
    for (LlvmValue *value : values)
      if (!isInvariant(value, loop)) return std::nullopt;
    llvm::IRBuilder<> b(loop->getLoopPreheader()->getTerminator());
    b.SetCurrentDebugLocation(call->getDebugLoc());
    std::optional<Coordinate> x = coordinate(b, column, loop), y = coordinate(b, row, loop);
    if (!x || !y) return std::nullopt;
    return Place{&load, std::move(values), *x, *y};
  }

  // Columns and rows from one place to another.
  struct Offset {
    int64_t column, row;
  };

  // Messages that one payload serves, one after the other.
  struct Chain {
    std::vector<Place> places;
    std::vector<Offset> steps = {}; // behind each message of several, the last one to the first of the next turn
    LlvmValue *start = nullptr, *whole = nullptr; // the first payload, and its change in a turn; null: none
  };

  std::vector<Chain> chainsOf(std::vector<Load> &loads) {
    std::map<llvm::Loop *, size_t> counts; // used for lookup only
    std::map<llvm::Loop *, bool> crowded;
    for (const Load &load : loads)
      for (llvm::Loop *loop = loopOf(load.call); loop; loop = loop->getParentLoop())
        crowded[loop] |= ++counts[loop] > kMostPayloads || isComputedWith(load);
    std::vector<Chain> chains;
    for (Load &load : loads) {
      llvm::Loop *loop = loopOf(load.call);
      std::optional<Place> place = operationsOf(loop) <= kMostOperations * counts[loop] ? placeOf(load) : std::nullopt;
      if (!place) continue;
      auto follows = [&](const Chain &chain) { return offset(chain.places.back(), *place).has_value(); };
      auto found = crowded[loop->getOutermostLoop()] ? std::ranges::find_if(chains, follows) : chains.end();
      if (found == chains.end()) found = chains.insert(chains.end(), Chain());
      found->places.push_back(std::move(*place));
    }
    counts.clear();
    std::map<llvm::Loop *, bool> shared;
    for (const Chain &chain : chains) ++counts[outermostLoop(chain)], shared[outermostLoop(chain)] |= chain.places.size() > 1;
    std::erase_if(chains, [&](const Chain &chain) {
      llvm::Loop *loop = outermostLoop(chain);
      return counts[loop] > (crowded[loop] && !shared[loop] ? kMostUnshared : kMostPayloads);
    });
    return chains;
  }
  // What a lane computes in a turn of a loop, on vectors once for each element. Casts count, moves between vectors do not.
  size_t operationsOf(llvm::Loop *loop) {
    size_t &count = operations_[loop];
    if (count > 0) return count;
    for (const llvm::BasicBlock *block : loop->blocks())
      for (const llvm::Instruction &each : *block) {
        if (!llvm::isa<llvm::BinaryOperator, llvm::CmpInst, llvm::CastInst, llvm::SelectInst, llvm::CallInst>(each)) continue;
        auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(each.getType());
        count += vector ? vector->getNumElements() : 1;
      }
    return count;
  }
  llvm::Loop *outermostLoop(const Chain &chain) const { return loopOf(chain.places[0].load->call)->getOutermostLoop(); }

  // nullopt if the two do not share what else a payload holds, or stay where they are.
  std::optional<Offset> offset(const Place &from, const Place &to) {
    const BlockFunction &a = from.load->block, &b = to.load->block;
    const llvm::BasicBlock *latch = loopOf(from.load->call)->getLoopLatch(); // each turn reaches all of them then
    if (from.load->call->getParent() != latch || to.load->call->getParent() != latch || shapeWord(a) != shapeWord(b) ||
        a.bits != b.bits)
      return std::nullopt;
    if (from.x.step != to.x.step || from.y.step != to.y.step || (from.x.step == 0 && from.y.step == 0)) return std::nullopt;
    for (size_t i = 0; i < from.values.size(); ++i)
      if (!isSame(from.values[i], to.values[i])) return std::nullopt;
    std::optional<int64_t> column = difference(from.x.start, to.x.start), row = difference(from.y.start, to.y.start);
    if (!column || !row) return std::nullopt;
    return Offset{*column, *row};
  }
  std::optional<int64_t> difference(LlvmValue *from, LlvmValue *to) {
    if (isSame(from, to)) return 0;
    auto *a = llvm::dyn_cast<llvm::SelectInst>(from), *b = llvm::dyn_cast<llvm::SelectInst>(to); // far outside or not, both
    if (a && b && isFar(a->getTrueValue()) && isFar(b->getTrueValue()) && isSame(a->getCondition(), b->getCondition()))
      return difference(a->getFalseValue(), b->getFalseValue());
    const auto *constant =
        llvm::dyn_cast<llvm::SCEVConstant>(evolution_.getMinusSCEV(evolution_.getSCEV(to), evolution_.getSCEV(from)));
    return constant ? std::optional(constant->getAPInt().getSExtValue()) : std::nullopt;
  }
  // Whether two values are the same computation on the same values.
  static bool isSame(LlvmValue *one, LlvmValue *other, int depth = 8) {
    if (one == other) return true;
    auto *a = llvm::dyn_cast<llvm::Instruction>(one), *b = llvm::dyn_cast<llvm::Instruction>(other);
    if (!a || !b || depth == 0 || !a->isSameOperationAs(b) || a->mayReadOrWriteMemory() || llvm::isa<llvm::PHINode>(a))
      return false;
    for (unsigned i = 0; i < a->getNumOperands(); ++i)
      if (!isSame(a->getOperand(i), b->getOperand(i), depth - 1)) return false;
    return true;
  }

  // Whether what is loaded is computed with, which takes registers, instead of being handed on to products as it is.
  static bool isComputedWith(const Load &load) {
    auto computes = [](auto &self, LlvmValue *value) -> bool {
      return std::ranges::any_of(value->users(), [&](llvm::User *user) {
        if (llvm::isa<llvm::BinaryOperator>(user) || llvm::isa<llvm::CmpInst>(user)) return true;
        const bool moves = llvm::isa<llvm::BitCastInst>(user) || llvm::isa<llvm::ShuffleVectorInst>(user) ||
                           llvm::isa<llvm::ExtractElementInst>(user);
        return moves && self(self, user);
      });
    };
    return std::ranges::any_of(load.reads, [&](const Load::Read &each) { return computes(computes, each.read); });
  }

  // Makes the payload before the loop.
  void begin(Chain &chain) {
    const Place &first = chain.places.front();
    llvm::IRBuilder<> b(loopOf(first.load->call)->getLoopPreheader()->getTerminator());
    b.SetCurrentDebugLocation(first.load->call->getDebugLoc());
    std::vector<LlvmValue *> values = first.values;
    values.insert(values.end(), {first.x.start, first.y.start});
    chain.start = payload(b, laneId(), values, shapeWord(first.load->block));
    chain.whole = stepOf(b, laneId(), first.x.step, first.y.step);
    Offset back{first.x.step, first.y.step};
    for (size_t i = 1; i < chain.places.size(); ++i) {
      chain.steps.push_back(*offset(chain.places[i - 1], chain.places[i]));
      back.column -= chain.steps.back().column, back.row -= chain.steps.back().row;
    }
    chain.steps.push_back(back);
  }

  void replace(Chain &chain) {
    llvm::Loop *loop = loopOf(chain.places[0].load->call);
    llvm::BasicBlock *latch = loop->getLoopLatch(), *header = loop->getHeader();
    llvm::PHINode *phi = nullptr;
    LlvmValue *sent = chain.start;
    if (chain.whole) sent = phi = llvm::PHINode::Create(chain.start->getType(), 2, "payload", header->begin());
    for (size_t i = 0; i < chain.places.size(); ++i) {
      Load &load = *chain.places[i].load;
      llvm::IRBuilder<> at(load.call);
      at.SetCurrentDebugLocation(load.call->getDebugLoc());
      LlvmValue *words = send(at, load, sent);
      if (chain.places.size() > 1) sent = stepped(at, sent, chain.steps[i]);
      if (phi && chain.places.size() == 1) {
        if (load.call->getParent() != latch) at.SetInsertPoint(latch->getTerminator()); // not every turn may reach the call
        sent = at.CreateAdd(sent, chain.whole);
      }
      finish(load, words);
    }
    if (!phi) return;
    for (llvm::BasicBlock *from : llvm::predecessors(header)) phi->addIncoming(from == latch ? sent : chain.start, from);
  }

  // A payload that moves on, without a register for the step.
  LlvmValue *stepped(llvm::IRBuilder<> &b, LlvmValue *payload, Offset by) {
    for (auto [lane, amount] : {std::pair(kColumnWord, by.column), std::pair(kRowWord, by.row)})
      if (amount != 0)
        payload = callAssembly(b, functionOf(PayloadStep{lane, static_cast<int32_t>(amount)}), payload->getType(), payload);
    return payload;
  }

  // Puts what a message loads in place of the reads of what the call does.
  void finish(Load &load, LlvmValue *words) {
    for (const Load::Read &each : load.reads) {
      llvm::IRBuilder<> reads(each.read);
      each.read->replaceAllUsesWith(wordsAt(reads, words, each.word, each.read->getType()));
      each.read->eraseFromParent();
    }
    LlvmValue *position = load.call->getArgOperand(4);
    load.call->eraseFromParent();
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
    llvm::CallInst *call = callAssembly(b, functionOf(RawSend{descriptorOf(load.block)}), type, payload);
    call->getCalledFunction()->setConvergent();
    call->setConvergent();
    return call;
  }

  // A call of a function that inline assembly replaces (inline_assembly.h).
  llvm::CallInst *callAssembly(llvm::IRBuilder<> &b, const std::string &name, llvm::Type *result, LlvmValue *payload) {
    auto *type = llvm::FunctionType::get(result, {payload->getType()}, false);
    auto *function = llvm::cast<llvm::Function>(function_.getParent()->getOrInsertFunction(name, type).getCallee());
    function->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    function->setDoesNotThrow();
    llvm::CallInst *call = b.CreateCall(function, {payload});
    call->setCallingConv(llvm::CallingConv::SPIR_FUNC);
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
  std::map<llvm::Loop *, size_t> operations_; // used for lookup only
  LlvmValue *lane_ = nullptr;
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
