// The code that is emitted for a module, and the facts about its kernels that a launcher needs.
#pragma once
#include "targets/cpu/runtime/host_runtime.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <string>
#include <vector>

namespace xt {

// Facts about a kernel that a launcher needs (runtime/launch_abi.h).
struct KernelCode {
  std::string name;   // the kernel's name
  std::string symbol; // the name of its function
  size_t frameWords = 0;
  int64_t scratchBytes = 0; // per worker, or per fiber if the kernel uses fibers
  int64_t slmBytes = 0;
  int64_t fibers = 1; // fibers per workgroup if the kernel uses them: subgroups, or lanes at lane scope
  int64_t lanes = 0;  // lanes per subgroup at lane scope
  KernelOutput output;
};
struct EmittedModule {
  std::unique_ptr<llvm::Module> module;
  std::vector<KernelCode> kernels; // in the order of the module
};

} // namespace xt
