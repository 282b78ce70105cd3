#include "targets/xe/emit/address_payloads.h"

#include "targets/xe/emit/device_calls.h"
#include "targets/xe/emit/payload_places.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <set>

namespace xt {
namespace {

// A payload takes a register through the whole loop. In loops with more messages, those inside of them counted, as attention's,
// and in those that compute with what they load, as products of tf32 round it, messages of one matrix share a payload, which is
// stepped in place between them. A step then waits until the message before it has read the payload; so other messages have one
// each.
constexpr size_t kMostPayloads = 24;
constexpr size_t kMostUnshared = 8; // the same in a loop that wants many registers, where each message has a payload of its own
// Loops that compute more for each message keep their calls: what payloads save is little there, as where fp8 is converted or
// f32 multiplied without matrix instructions, and such loops want the registers.
constexpr size_t kMostOperations = 256;
// The fewest stores in one block of code for which a payload of their own, made there, pays: it takes about 16 instructions,
// and what is stored comes together in registers of its own. With the four of attention's result, Intel's compiler spills.
constexpr size_t kFewestInBlock = 8;

// Whether what is loaded is computed with, which takes registers, instead of being handed on to products as it is.
bool isComputedWith(const BlockMessageCall &message) {
  auto computes = [](auto &self, llvm::Value *value) -> bool {
    return std::ranges::any_of(value->users(), [&](llvm::User *user) {
      if (llvm::isa<llvm::BinaryOperator>(user) || llvm::isa<llvm::CmpInst>(user)) return true;
      const bool moves = llvm::isa<llvm::BitCastInst>(user) || llvm::isa<llvm::ShuffleVectorInst>(user) ||
                         llvm::isa<llvm::ExtractElementInst>(user);
      return moves && self(self, user);
    });
  };
  return std::ranges::any_of(message.reads, [&](const BlockMessageCall::Read &each) { return computes(computes, each.read); });
}

// Messages that one payload serves, one after the other: in each turn of a loop, or once in a block of code.
struct Chain {
  llvm::Loop *loop; // null: in a block of code
  std::vector<BlockPlacement> places = {};
  std::vector<BlockOffset> steps = {}; // behind each message of several, in a loop the last one to the first of the next turn
  llvm::Value *start = nullptr, *whole = nullptr; // the first payload, and its change in a turn; null: none

  llvm::CallInst *first() const { return places.front().message->call; }
};

class Payloads {
public:
  Payloads(llvm::Function &function, const BlockMessageCalls &known) : function_(function), known_(known), places_(function) {}

  // Returns whether any call has become a message.
  bool run() {
    std::vector<BlockMessageCall> messages;
    for (llvm::Instruction &instruction : llvm::instructions(function_))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
        if (std::optional<BlockMessageCall> message = known_.find(call)) messages.push_back(std::move(*message));
    std::vector<Chain> chains = chainsOfLoops(messages);
    addChainsOfBlocks(messages, chains);
    for (Chain &chain : chains) begin(chain); // before any call goes, as the values that it has go with it
    for (Chain &chain : chains) replace(chain);
    return !chains.empty();
  }

private:
  std::vector<Chain> chainsOfLoops(std::vector<BlockMessageCall> &messages) {
    std::map<llvm::Loop *, size_t> counts; // used for lookup only
    std::map<llvm::Loop *, bool> crowded;
    for (const BlockMessageCall &message : messages)
      for (llvm::Loop *loop = places_.loopOf(message); loop; loop = loop->getParentLoop())
        crowded[loop] |= ++counts[loop] > kMostPayloads || isComputedWith(message);
    std::vector<Chain> chains;
    for (BlockMessageCall &message : messages) {
      llvm::Loop *loop = places_.loopOf(message);
      if (!loop || operationsOf(loop) > kMostOperations * counts[loop]) continue;
      std::optional<BlockPlacement> place = places_.inLoop(message);
      if (!place) continue;
      auto follows = [&](const Chain &chain) {
        return chain.loop == loop && isShared(chain.places.back()) && isShared(*place) &&
               places_.offset(chain.places.back(), *place);
      };
      auto found = crowded[loop->getOutermostLoop()] ? std::ranges::find_if(chains, follows) : chains.end();
      if (found == chains.end()) found = chains.insert(chains.end(), Chain{loop});
      found->places.push_back(std::move(*place));
    }
    return mostValuable(std::move(chains), crowded);
  }
  // Whether each turn of the loop reaches the message in one block, and the payload moves on.
  bool isShared(const BlockPlacement &place) const {
    const bool moves = place.x.step != 0 || place.y.step != 0;
    return moves && place.message->call->getParent() == places_.loopOf(*place.message)->getLoopLatch();
  }
  // As many chains of each nest of loops as may have a register: those of inner loops first, and those with more messages.
  static std::vector<Chain> mostValuable(std::vector<Chain> chains, const std::map<llvm::Loop *, bool> &crowded) {
    std::map<llvm::Loop *, bool> shared; // used for lookup only
    for (const Chain &chain : chains) shared[chain.loop->getOutermostLoop()] |= chain.places.size() > 1;
    std::ranges::stable_sort(chains, [](const Chain &a, const Chain &b) {
      const unsigned inner = a.loop->getLoopDepth(), other = b.loop->getLoopDepth();
      return inner != other ? inner > other : a.places.size() > b.places.size();
    });
    std::map<llvm::Loop *, size_t> kept;
    std::erase_if(chains, [&](const Chain &chain) {
      llvm::Loop *nest = chain.loop->getOutermostLoop();
      return ++kept[nest] > (crowded.at(nest) && !shared[nest] ? kMostUnshared : kMostPayloads);
    });
    return chains;
  }

  // The other messages: stores to one matrix in a block of code.
  void addChainsOfBlocks(std::vector<BlockMessageCall> &messages, std::vector<Chain> &chains) {
    std::set<const BlockMessageCall *> taken; // used for lookup only
    for (const Chain &chain : chains)
      for (const BlockPlacement &place : chain.places) taken.insert(place.message);
    std::vector<Chain> found;
    for (BlockMessageCall &message : messages) {
      const bool stores = message.block.use == BlockUse::Store && !taken.contains(&message);
      std::optional<BlockPlacement> place = stores ? PayloadPlaces::here(message) : std::nullopt;
      if (!place) continue;
      auto chain = std::ranges::find_if(found, [&](const Chain &each) {
        return each.first()->getParent() == message.call->getParent() && places_.offset(each.places.back(), *place);
      });
      if (chain == found.end()) chain = found.insert(found.end(), Chain{nullptr});
      chain->places.push_back(std::move(*place));
    }
    for (Chain &chain : found)
      if (chain.places.size() >= kFewestInBlock) chains.push_back(std::move(chain));
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

  // Makes the payload before the loop, or before the first message.
  void begin(Chain &chain) {
    const BlockPlacement &first = chain.places.front();
    llvm::IRBuilder<> b(chain.loop ? chain.loop->getLoopPreheader()->getTerminator() : chain.first());
    b.SetCurrentDebugLocation(chain.first()->getDebugLoc());
    chain.start = makePayload(b, laneId(), first.matrix, first.x.start, first.y.start, shapeWord(first.message->block));
    BlockOffset back{first.x.step, first.y.step};
    if (chain.loop) chain.whole = payloadStep(b, laneId(), back);
    for (size_t i = 1; i < chain.places.size(); ++i) {
      chain.steps.push_back(*places_.offset(chain.places[i - 1], chain.places[i]));
      back.column -= chain.steps.back().column, back.row -= chain.steps.back().row;
    }
    chain.steps.push_back(chain.loop ? back : BlockOffset{});
  }

  void replace(Chain &chain) {
    llvm::BasicBlock *latch = chain.loop ? chain.loop->getLoopLatch() : nullptr;
    llvm::PHINode *phi = nullptr;
    llvm::Value *sent = chain.start;
    if (chain.whole) sent = phi = llvm::PHINode::Create(chain.start->getType(), 2, "payload", chain.loop->getHeader()->begin());
    for (size_t i = 0; i < chain.places.size(); ++i) {
      const BlockMessageCall &message = *chain.places[i].message;
      llvm::IRBuilder<> at(message.call);
      at.SetCurrentDebugLocation(message.call->getDebugLoc());
      llvm::CallInst *words = sendMessage(at, message, sent);
      if (chain.places.size() > 1) sent = steppedInPlace(at, sent, chain.steps[i]);
      if (phi && chain.places.size() == 1) {
        if (message.call->getParent() != latch) at.SetInsertPoint(latch->getTerminator()); // not every turn may reach the call
        sent = at.CreateAdd(sent, chain.whole);
      }
      replaceCall(message, words);
    }
    if (!phi) return;
    for (llvm::BasicBlock *from : llvm::predecessors(phi->getParent()))
      phi->addIncoming(from == latch ? sent : chain.start, from);
  }

  llvm::Value *laneId() {
    if (lane_) return lane_;
    llvm::BasicBlock &entry = function_.getEntryBlock();
    llvm::IRBuilder<> top(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
    lane_ = callDevice(top, deviceFunction("get_sub_group_local_id", {}, "j"), {}, DeviceEffect::None);
    return lane_;
  }

  llvm::Function &function_;
  const BlockMessageCalls &known_;
  PayloadPlaces places_;
  std::map<llvm::Loop *, size_t> operations_; // used for lookup only
  llvm::Value *lane_ = nullptr;
};

} // namespace

bool keepAddressPayloads(llvm::Module &module, const TargetInfo &target) {
  const BlockMessageCalls known(target);
  bool any = false;
  for (llvm::Function &function : module)
    if (!function.isDeclaration()) any |= Payloads(function, known).run();
  return any;
}

} // namespace xt
