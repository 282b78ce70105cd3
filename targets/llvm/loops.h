// Building blocks of control flow in LLVM IR. Each leaves the builder at the end of the emitted code.
#pragma once
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>

namespace xt {

using LlvmValue = llvm::Value; // xt::Value is a different type
using LlvmValues = llvm::SmallVector<llvm::Value *, 8>;

// for (i = lower; i < upper; i += step) carried = body(i, carried), on signed i64 with step > 0; `lower` and `upper` must be
// far enough from the limits of i64 that i + step does not overflow. Returns the carried values after the loop (`inits` if it
// runs zero times). The loop test is at the bottom; the test before the loop is folded if both bounds are constants.
LlvmValues forLoop(llvm::IRBuilderBase &b, llvm::Value *lower, llvm::Value *upper, llvm::Value *step,
                   llvm::ArrayRef<llvm::Value *> inits,
                   llvm::function_ref<LlvmValues(llvm::Value *i, llvm::ArrayRef<llvm::Value *> carried)> body);
void forLoop(llvm::IRBuilderBase &b, llvm::Value *lower, llvm::Value *upper, llvm::Value *step,
             llvm::function_ref<void(llvm::Value *i)> body);
// carried = body(carried), `count` times; `atLeastOnce` if the caller knows that count >= 1. The counter runs down to
// zero, so that its limit needs no register.
LlvmValues repeat(llvm::IRBuilderBase &b, llvm::Value *count, bool atLeastOnce, llvm::ArrayRef<llvm::Value *> inits,
                  llvm::function_ref<LlvmValues(llvm::ArrayRef<llvm::Value *> carried)> body);

void ifThen(llvm::IRBuilderBase &b, llvm::Value *condition, llvm::function_ref<void()> then);
void ifThen(llvm::IRBuilderBase &b, llvm::Value *condition, llvm::function_ref<void()> then,
            llvm::function_ref<void()> otherwise);
// condition ? then() : otherwise(), value by value; both must return the same types.
LlvmValues ifElse(llvm::IRBuilderBase &b, llvm::Value *condition, llvm::function_ref<LlvmValues()> then,
                  llvm::function_ref<LlvmValues()> otherwise);

// base + bytes.
llvm::Value *byteOffset(llvm::IRBuilderBase &b, llvm::Value *base, llvm::Value *bytes);

} // namespace xt
