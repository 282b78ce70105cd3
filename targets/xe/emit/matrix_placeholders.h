// Internal to the emission of cooperative matrices: calls that stand for an exchange of elements between lanes and a matrix until
// lowerMatrixExchanges().
#pragma once
#include "targets/xe/emit/matrix_form.h"

#include <llvm/IR/Instructions.h>

namespace xt {

enum class MatrixExchange : uint8_t { ToMatrix, ToLanes };

llvm::CallInst *placeholder(llvm::IRBuilderBase &b, MatrixExchange exchange, const MatrixForm &form, llvm::Type *result,
                            llvm::ArrayRef<LlvmValue *> arguments);
// The form of the matrix of a placeholder; nullopt if the value is not a call of a placeholder of this kind.
std::optional<MatrixForm> formOf(const LlvmValue *value, MatrixExchange exchange);
// Calls `f` for each placeholder of this kind, which may erase it and others.
void eachPlaceholder(llvm::Function &function, MatrixExchange exchange, llvm::function_ref<void(llvm::CallInst *)> f);
// Erases an instruction, whose users get `value`, and those of its operands that no instruction needs any more.
void replace(llvm::Instruction *old, LlvmValue *value);
void eraseUnusedPlaceholders(llvm::Module &module);

} // namespace xt
