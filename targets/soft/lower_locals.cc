#include "targets/soft/lower.h"
#include "targets/soft/round_up.h"
#include "targets/soft/runtime.h"

#include "ir/base/text.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/ReplaceConstant.h>

#include <algorithm>
#include <map>
#include <set>

namespace xt::soft {
namespace {

constexpr size_t kLocalAlignment = 16;

// Replaces the uses of a variable. Shared local memory has no address before a workgroup runs, so each function computes the
// variable's address from the start of that memory and an offset.
void replaceUses(LowerContext &context, llvm::GlobalVariable &variable, size_t number) {
  llvm::Constant *constant = &variable;
  llvm::convertUsersOfConstantsToInstructions({constant});
  std::map<llvm::Function *, llvm::Value *> addresses;
  std::vector<llvm::Use *> uses;
  for (llvm::Use &use : variable.uses()) uses.push_back(&use);
  for (llvm::Use *use : uses) {
    auto *user = llvm::dyn_cast<llvm::Instruction>(use->getUser());
    if (!user) continue;
    llvm::Value *&address = addresses[user->getFunction()];
    if (!address) {
      llvm::BasicBlock &entry = user->getFunction()->getEntryBlock();
      llvm::IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
      llvm::FunctionCallee local = context.runtime(kLocalSymbol, builder.getPtrTy(), {});
      auto *function = llvm::cast<llvm::Function>(local.getCallee());
      function->setDoesNotAccessMemory();
      function->setWillReturn();
      llvm::Value *base = builder.CreateAddrSpaceCast(builder.CreateCall(local), variable.getType());
      address = builder.CreateConstGEP1_64(builder.getInt8Ty(), base, context.program.locals[number].offset);
      context.localAddresses[address] = number;
    }
    use->set(address);
  }
}

void collectLocals(const llvm::Function &function, const std::map<const llvm::Value *, size_t> &numbers,
                   std::set<const llvm::Function *> &seen, std::set<size_t> &found) {
  if (!seen.insert(&function).second) return;
  for (const llvm::Instruction &each : llvm::instructions(function)) {
    for (const llvm::Value *operand : each.operands())
      if (auto number = numbers.find(operand); number != numbers.end()) found.insert(number->second);
    if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&each))
      if (const llvm::Function *callee = call->getCalledFunction()) collectLocals(*callee, numbers, seen, found);
  }
}

} // namespace

void placeLocals(LowerContext &context) {
  const llvm::DataLayout &layout = context.module.getDataLayout();
  std::vector<llvm::GlobalVariable *> variables;
  for (llvm::GlobalVariable &variable : context.module.globals())
    if (variable.getAddressSpace() == kLocalSpace) variables.push_back(&variable);
  std::map<const llvm::Value *, size_t> numbers;
  size_t offset = 0;
  for (llvm::GlobalVariable *variable : variables) {
    llvm::convertUsersOfConstantsToInstructions({variable});
    size_t alignment = std::max(kLocalAlignment, static_cast<size_t>(layout.getPreferredAlign(variable).value()));
    offset = roundUp(offset, alignment);
    size_t bytes = layout.getTypeAllocSize(variable->getValueType()).getFixedValue();
    numbers[variable] = context.program.locals.size();
    context.program.locals.push_back({variable->getName().str(), offset, bytes});
    offset += bytes + kLocalGap;
  }
  for (LoweredKernel &kernel : context.program.kernels) {
    std::set<const llvm::Function *> seen;
    std::set<size_t> found;
    collectLocals(*context.module.getFunction(kernel.name), numbers, seen, found);
    kernel.locals.assign(found.begin(), found.end());
    size_t bytes = 0;
    for (size_t each : found) bytes += context.program.locals[each].bytes;
    if (bytes > static_cast<size_t>(context.device.target->slmBytes))
      context.errors.push_back(str("kernel ", kernel.name, " has ", bytes, " bytes of shared local memory; ",
                                   context.device.target->name, " has ", context.device.target->slmBytes));
  }
  for (llvm::GlobalVariable *variable : variables) {
    replaceUses(context, *variable, numbers[variable]);
    variable->eraseFromParent();
  }
}

} // namespace xt::soft
