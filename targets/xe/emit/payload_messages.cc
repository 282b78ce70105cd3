#include "targets/xe/emit/payload_messages.h"

#include "targets/llvm/lane/fragment.h"
#include "targets/xe/emit/inline_assembly.h"

#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>

#include <bit>
#include <numeric>

namespace xt {
namespace {

constexpr unsigned kColumnWord = 5, kRowWord = 6;
constexpr int64_t kRegisterBytes = 64;

// The fields of a message descriptor.
constexpr uint32_t kLoadBlock2d = 3, kStoreBlock2d = 7, kVnni = 1 << 7, kTransposed = 1 << 15;
constexpr int kDataSizeShift = 9, kResultShift = 20, kPayloadShift = 25;

int64_t bytesOfOne(const BlockFunction &block) { return block.rows * block.columns * block.bits / 8; }

// Whether lanes have what they have in a call: each block of a message begins in a register of its own.
bool fillsRegisters(const BlockFunction &block) { return bytesOfOne(block) % kRegisterBytes == 0; }

uint32_t dataRegisters(const BlockFunction &block) {
  return static_cast<uint32_t>(block.blocks * bytesOfOne(block) / kRegisterBytes);
}

RawSend sendOf(const BlockFunction &block) {
  const auto size =
      static_cast<uint32_t>(std::countr_zero(static_cast<uint64_t>(block.bits)) - 3); // 8 bits: 0, 16: 1, 32: 2, 64: 3
  const bool stores = block.use == BlockUse::Store, loads = !stores && block.use != BlockUse::Prefetch;
  uint32_t descriptor = (stores ? kStoreBlock2d : kLoadBlock2d) | (block.use == BlockUse::LoadVnni ? kVnni : 0) |
                        (block.use == BlockUse::LoadTransposed ? kTransposed : 0) | size << kDataSizeShift |
                        (loads ? dataRegisters(block) : 0) << kResultShift | uint32_t{1} << kPayloadShift;
  return {descriptor, stores ? dataRegisters(block) : 0};
}

// The words of a lane, as one vector or one word.
llvm::Type *wordsType(const BlockMessageCall &message) {
  const auto count = static_cast<unsigned>(llvm::cast<llvm::ArrayType>(message.memory->getAllocatedType())->getNumElements());
  llvm::Type *word = llvm::Type::getIntNTy(message.call->getContext(), message.block.wordBits);
  return count > 1 ? llvm::FixedVectorType::get(word, count) : word;
}

// Adds the reads of the memory at an address, which is `offset` bytes behind its begin; false if it has other uses.
bool addReads(llvm::Value *address, int64_t offset, BlockMessageCall &load) {
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

// Finds the one access that writes all words of what a call stores.
bool findWritten(BlockMessageCall &store) {
  for (llvm::User *user : store.memory->users()) {
    if (user == store.call) continue;
    auto *write = llvm::dyn_cast<llvm::StoreInst>(user);
    if (!write || store.written || write->getPointerOperand() != store.memory ||
        write->getParent() != store.call->getParent() || !write->comesBefore(store.call) ||
        write->getValueOperand()->getType() != wordsType(store))
      return false;
    store.written = write;
  }
  return store.written != nullptr;
}

llvm::Value *inLane(llvm::IRBuilder<> &b, llvm::Value *lane, unsigned index, llvm::Value *value, llvm::Value *otherwise) {
  return b.CreateSelect(b.CreateICmpEQ(lane, b.getInt32(index)), value, otherwise);
}

// Part of a vector of words, as a vector or one word.
llvm::Value *wordsAt(llvm::IRBuilder<> &b, llvm::Value *words, int64_t first, llvm::Type *type) {
  if (type == words->getType()) return words;
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (!vector) return b.CreateExtractElement(words, static_cast<uint64_t>(first));
  std::vector<int> places(vector->getNumElements());
  std::iota(places.begin(), places.end(), static_cast<int>(first));
  return b.CreateShuffleVector(words, places);
}

// A call of a function that inline assembly replaces (inline_assembly.h).
llvm::CallInst *callAssembly(llvm::IRBuilder<> &b, const std::string &name, llvm::Type *result,
                             llvm::ArrayRef<llvm::Value *> arguments) {
  std::vector<llvm::Type *> types;
  for (llvm::Value *each : arguments) types.push_back(each->getType());
  llvm::Module &module = *b.GetInsertBlock()->getModule();
  llvm::FunctionCallee callee = module.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  auto *function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  function->setDoesNotThrow();
  llvm::CallInst *call = b.CreateCall(callee, arguments);
  call->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  return call;
}

} // namespace

BlockMessageCalls::BlockMessageCalls(const TargetInfo &target) {
  for (const BlockShape &shape : target.blockShapes)
    for (int64_t rows = shape.fewestRows; rows <= shape.mostRows; rows *= 2)
      for (int64_t blocks = shape.fewestBlocks; blocks <= shape.blocks; blocks *= 2) {
        BlockFunction block = blockFunction(shape, rows, blocks);
        functions_[deviceFunction(block).symbol] = block;
      }
}

std::optional<BlockMessageCall> BlockMessageCalls::find(llvm::CallInst *call) const {
  llvm::Function *callee = call->getCalledFunction();
  auto found = callee ? functions_.find(callee->getName().str()) : functions_.end();
  if (found == functions_.end()) return std::nullopt;
  BlockMessageCall message{call, found->second};
  if (message.block.use == BlockUse::Prefetch) return message;
  message.memory = llvm::dyn_cast<llvm::AllocaInst>(call->getArgOperand(5));
  auto *words = message.memory ? llvm::dyn_cast<llvm::ArrayType>(message.memory->getAllocatedType()) : nullptr;
  if (!words || words->getNumElements() > kLongestVector || !fillsRegisters(message.block)) return std::nullopt;
  const bool known = message.block.use == BlockUse::Store ? findWritten(message) : addReads(message.memory, 0, message);
  return known ? std::optional(std::move(message)) : std::nullopt;
}

uint32_t shapeWord(const BlockFunction &block) {
  return static_cast<uint32_t>((block.columns - 1) | (block.rows - 1) << 8 | (block.blocks - 1) << 16);
}

llvm::Value *makePayload(llvm::IRBuilder<> &b, llvm::Value *lane, const std::vector<llvm::Value *> &matrix, llvm::Value *column,
                         llvm::Value *row, uint32_t shape) {
  llvm::Value *address = b.CreatePtrToInt(matrix[0], b.getInt64Ty());
  llvm::Value *words[] = {b.CreateTrunc(address, b.getInt32Ty()),
                          b.CreateTrunc(b.CreateLShr(address, 32), b.getInt32Ty()),
                          b.CreateSub(matrix[1], b.getInt32(1)),
                          b.CreateSub(matrix[2], b.getInt32(1)),
                          b.CreateSub(matrix[3], b.getInt32(1)),
                          column,
                          row,
                          b.getInt32(shape)};
  llvm::Value *all = b.getInt32(0);
  for (unsigned i = 0; i < 8; ++i) all = inLane(b, lane, i, words[i], all);
  return all;
}

llvm::Value *payloadStep(llvm::IRBuilder<> &b, llvm::Value *lane, BlockOffset by) {
  if (by.column == 0 && by.row == 0) return nullptr;
  auto number = [&](int64_t value) { return b.getInt32(static_cast<uint32_t>(value)); };
  llvm::Value *step = b.getInt32(0);
  if (by.column != 0) step = inLane(b, lane, kColumnWord, number(by.column), step);
  if (by.row != 0) step = inLane(b, lane, kRowWord, number(by.row), step);
  return step;
}

llvm::Value *steppedInPlace(llvm::IRBuilder<> &b, llvm::Value *payload, BlockOffset by) {
  for (auto [lane, amount] : {std::pair(kColumnWord, by.column), std::pair(kRowWord, by.row)})
    if (amount != 0)
      payload = callAssembly(b, functionOf(PayloadStep{lane, static_cast<int32_t>(amount)}), payload->getType(), {payload});
  return payload;
}

llvm::CallInst *sendMessage(llvm::IRBuilder<> &b, const BlockMessageCall &message, llvm::Value *payload) {
  const bool loads = message.memory && !message.written;
  std::vector<llvm::Value *> arguments = {payload};
  if (message.written) arguments.push_back(message.written->getValueOperand());
  const std::string name = functionOf(sendOf(message.block), message.memory ? message.block.wordBits : 0);
  llvm::CallInst *call = callAssembly(b, name, loads ? wordsType(message) : b.getVoidTy(), arguments);
  call->getCalledFunction()->setConvergent();
  call->setConvergent();
  return call;
}

void replaceCall(const BlockMessageCall &message, llvm::CallInst *by) {
  for (const BlockMessageCall::Read &each : message.reads) {
    llvm::IRBuilder<> reads(each.read);
    each.read->replaceAllUsesWith(wordsAt(reads, by, each.word, each.read->getType()));
    each.read->eraseFromParent();
  }
  llvm::Value *position = message.position();
  message.call->eraseFromParent();
  llvm::RecursivelyDeleteTriviallyDeadInstructions(position);
  if (message.written) message.written->eraseFromParent();
  for (llvm::Instruction *address : message.addresses) address->eraseFromParent();
  if (message.memory) message.memory->eraseFromParent();
}

} // namespace xt
