// Kernels as code in this process.
#pragma once
#include "targets/cpu/code_units.h"
#include "targets/cpu/loop_library.h"

namespace xt {

using KernelFunction = void (*)(const uint64_t *frame, int64_t begin, int64_t end, void *scratch);

class Jit {
public:
  struct LoadedKernel {
    KernelCode code;
    KernelFunction function = nullptr;
  };
  // `optimise`: LLVM's work on the code, which takes most of the time.
  // By the pool's threads.
  static Result<std::unique_ptr<Jit>> compile(const Module &module, const CpuInfo &cpu, const ObjectCache &cache, bool optimise, ThreadPool &pool,
                                              Diagnostics &diagnostics);

  const LoadedKernel *find(std::string_view kernelName) const;
  size_t frameBytes() const { return frameBytes_; } // of the stack that a kernel takes, at most

private:
  Jit() = default;
  Result<void> load(const std::vector<CodeUnit> &units, const CpuInfo &cpu, const ObjectCache &cache, ThreadPool &pool);
  std::vector<std::shared_ptr<const LoadedLoop>> loops_;
  std::unique_ptr<LinkedObject> callers_, others_; // of kernels; callers of loops are apart. null: there are none
  std::vector<LoadedKernel> kernels_;
  size_t frameBytes_ = 0;
};

} // namespace xt
