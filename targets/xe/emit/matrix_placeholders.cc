#include "targets/xe/emit/matrix_placeholders.h"

#include "ir/base/text.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>

#include <vector>

namespace xt {
namespace {

std::string_view nameOf(MatrixExchange exchange) {
  return exchange == MatrixExchange::ToMatrix ? "xt.matrix.of.lanes." : "xt.lanes.of.matrix.";
}

} // namespace

llvm::CallInst *placeholder(llvm::IRBuilderBase &b, MatrixExchange exchange, const MatrixForm &form, llvm::Type *result,
                            llvm::ArrayRef<LlvmValue *> arguments) {
  llvm::SmallVector<llvm::Type *, 16> types;
  for (LlvmValue *argument : arguments) types.push_back(argument->getType());
  llvm::Module *module = b.GetInsertBlock()->getModule();
  llvm::FunctionCallee callee =
      module->getOrInsertFunction(str(nameOf(exchange), matrixTypeName(form)), llvm::FunctionType::get(result, types, false));
  auto *function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setConvergent();
  return b.CreateCall(function, arguments);
}

std::optional<MatrixForm> formOf(const LlvmValue *value, MatrixExchange exchange) {
  const auto *call = llvm::dyn_cast<llvm::CallInst>(value);
  const llvm::Function *called = call ? call->getCalledFunction() : nullptr;
  std::string_view kind = nameOf(exchange);
  if (!called || !called->getName().starts_with(llvm::StringRef(kind))) return std::nullopt;
  return matrixOfTypeName(std::string_view(called->getName()).substr(kind.size()));
}

void eachPlaceholder(llvm::Function &function, MatrixExchange exchange, llvm::function_ref<void(llvm::CallInst *)> f) {
  std::vector<llvm::WeakVH> calls; // null once erased
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (formOf(&instruction, exchange)) calls.emplace_back(&instruction);
  for (const llvm::WeakVH &call : calls)
    if (call) f(llvm::cast<llvm::CallInst>(call));
}

void replace(llvm::Instruction *old, LlvmValue *value) {
  llvm::SmallVector<llvm::WeakTrackingVH, 16> operands(old->operands());
  old->replaceAllUsesWith(value);
  old->eraseFromParent();
  for (llvm::WeakTrackingVH &operand : operands)
    if (operand) llvm::RecursivelyDeleteTriviallyDeadInstructions(operand);
}

void eraseUnusedPlaceholders(llvm::Module &module) {
  auto isPlaceholder = [](const llvm::Function &function) {
    llvm::StringRef name = function.getName();
    return name.starts_with(llvm::StringRef(nameOf(MatrixExchange::ToMatrix))) ||
           name.starts_with(llvm::StringRef(nameOf(MatrixExchange::ToLanes)));
  };
  for (llvm::Function &function : llvm::make_early_inc_range(module))
    if (isPlaceholder(function) && function.use_empty()) function.eraseFromParent();
}

} // namespace xt
