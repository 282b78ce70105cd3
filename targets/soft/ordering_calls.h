// The calls and instructions of an LLVM module with the intrinsics of NVVM that order accesses to memory: barriers, waits for
// asynchronous copies, and fences. A launch can leave one of them out (LaunchRequest::without), to see whether it is needed.
#pragma once
#include <llvm/IR/Module.h>

#include <string>
#include <vector>

namespace xt::soft {

struct OrderingCall {
  std::string kernel; // the function that it is in
  std::string name;   // "llvm.nvvm.bar.warp.sync", or "fence"
  uint32_t line = 0;  // in the source; 0: unknown
};

// All of them, in the order of the module. Each is executed only if the launch keeps its number.
std::vector<OrderingCall> guardOrderingCalls(llvm::Module &module);

} // namespace xt::soft
