// Kernels as code in this process.
#pragma once
#include "targets/cpu/kernel_module.h"
#include "targets/llvm/object_cache.h"

namespace xt {

using KernelFunction = void (*)(const uint64_t *frame, int64_t begin, int64_t end, void *scratch);

class Jit {
public:
  struct LoadedKernel {
    KernelCode code;
    KernelFunction function = nullptr;
  };
  // `optimise`: LLVM's work on the code, which takes most of the time.
  static Result<std::unique_ptr<Jit>> compile(const Module &module, const CpuInfo &cpu, const ObjectCache &cache, bool optimise, Diagnostics &diagnostics);
  ~Jit();

  const LoadedKernel *find(std::string_view kernelName) const;
  size_t frameBytes() const { return frameBytes_; } // of the stack that a kernel takes, at most

private:
  struct Memory; // owns the code
  Jit();
  std::unique_ptr<Memory> memory_;
  std::vector<LoadedKernel> kernels_;
  size_t frameBytes_ = 0;
};

} // namespace xt
