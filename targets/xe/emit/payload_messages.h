// Block messages that are calls of functions, and the same as inline assembly, which sends a payload that is in a register: one
// word in each lane (address_payloads.h).
#pragma once
#include "ir/gpu/target_info.h"
#include "targets/xe/emit/device_functions.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace xt {

// A call that can become inline assembly, and how the code reads what it loads, or writes what it stores.
struct BlockMessageCall {
  llvm::CallInst *call = nullptr;
  BlockFunction block = {};
  llvm::AllocaInst *memory = nullptr; // of the lane; null: a prefetch
  struct Read {
    llvm::LoadInst *read;
    int64_t word; // its first one
  };
  std::vector<Read> reads = {};
  llvm::StoreInst *written = nullptr; // all that a store sends
  std::vector<llvm::Instruction *> addresses = {}; // of reads, those made of others first

  // The arguments that describe the matrix: address, extents, pitch; and the position, a vector of column and row.
  std::vector<llvm::Value *> matrix() const { return {call->arg_begin(), call->arg_begin() + 4}; }
  llvm::Value *position() const { return call->getArgOperand(4); }
};

class BlockMessageCalls {
public:
  explicit BlockMessageCalls(const TargetInfo &target);
  // nullopt: it is another call, or a block does not fill whole registers, or the lane's memory has other uses.
  std::optional<BlockMessageCall> find(llvm::CallInst *call) const;

private:
  std::map<std::string, BlockFunction> functions_; // by symbol
};

// Columns and rows from one position to another.
struct BlockOffset {
  int64_t column = 0, row = 0;
};

// The word of a payload that holds the block's shape.
uint32_t shapeWord(const BlockFunction &block);
// The payload for a matrix and a position. `lane`: the lane's number.
llvm::Value *makePayload(llvm::IRBuilder<> &b, llvm::Value *lane, const std::vector<llvm::Value *> &matrix, llvm::Value *column,
                         llvm::Value *row, uint32_t shape);
// What is added to a payload for a step; null: it stays.
llvm::Value *payloadStep(llvm::IRBuilder<> &b, llvm::Value *lane, BlockOffset by);
// A payload that moves on in place, without a register for the step.
llvm::Value *steppedInPlace(llvm::IRBuilder<> &b, llvm::Value *payload, BlockOffset by);

// Adds the message where the builder is; the result is what it loads.
llvm::CallInst *sendMessage(llvm::IRBuilder<> &b, const BlockMessageCall &message, llvm::Value *payload);
// Puts what a message loads in place of what the call does, and removes the call.
void replaceCall(const BlockMessageCall &message, llvm::CallInst *by);

} // namespace xt
