// Loops of a kernel as functions of their own: they take nearly all of its time, may be the same in many kernels, and are optimised,
// while what is around them is only translated.
#pragma once
#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <vector>

namespace xt {

// A loop's name in a module of its own; its callers' is longer.
inline constexpr const char *kLoopSymbol = "xt_loop";

struct LoopRegion {
  llvm::BasicBlock *entry, *behind; // all that is reached from `entry`, up to `behind`, which is not part of it
};

// To make one function takes as long as the kernel is large.
inline constexpr size_t kMostOutlined = 16;

// One function for each region, in the order of the regions, in the same module. No region leaves the kernel.
std::vector<llvm::Function *> outlineLoops(llvm::Function &kernel, llvm::ArrayRef<LoopRegion> regions);

// Moves a function, which uses no variables, to another module of the same context, where what it calls is declared. Gives what is
// declared where it was.
llvm::Function *moveFunction(llvm::Function &function, llvm::Module &to);

} // namespace xt
