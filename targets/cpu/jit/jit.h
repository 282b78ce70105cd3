// Compiles kernels into code in this process.
#pragma once
#include "targets/cpu/jit/code_library.h"
#include "targets/cpu/jit/code_units.h"

namespace xt {

using KernelFunction = void (*)(const uint64_t *frame, int64_t begin, int64_t end, void *scratch);

class Jit {
public:
  struct LoadedKernel {
    KernelCode code;
    std::shared_ptr<const LoadedCode> loaded;

    KernelFunction function() const { return reinterpret_cast<KernelFunction>(loaded->address); }
    size_t frameBytes() const { return loaded->frameBytes; }
  };
  // `optimise`: whether LLVM optimises the code, which takes most of the time. Kernels are compiled on the threads of the pool.
  static Result<std::unique_ptr<Jit>> compile(EmittedModule emitted, const CpuInfo &cpu, const ObjectCache &cache,
                                              bool optimise, ThreadPool &pool);

  const LoadedKernel *find(std::string_view kernelName) const;

private:
  Jit() = default;
  std::vector<LoadedKernel> kernels_;
};

} // namespace xt
