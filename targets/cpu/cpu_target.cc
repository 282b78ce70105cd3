#include "targets/cpu/cpu_target.h"

#include "ir/base/text.h"
#include "targets/cpu/jit.h"
#include "targets/cpu/launch_frame.h"
#include "targets/cpu/thread_pool.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>

namespace xt {
namespace {

// Scratch memory of one worker, kept from launch to launch.
class Arena {
public:
  Arena() = default;
  ~Arena() { std::free(memory_); }
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  bool grow(int64_t bytes) {
    if (bytes <= bytes_) return true;
    constexpr size_t kPage = 4096;
    std::free(memory_);
    size_t rounded = (static_cast<size_t>(bytes) + kPage - 1) / kPage * kPage;
    memory_ = std::aligned_alloc(kPage, rounded);
    bytes_ = memory_ ? static_cast<int64_t>(rounded) : 0;
    return memory_ != nullptr;
  }
  void *memory() const { return memory_; }

private:
  void *memory_ = nullptr;
  int64_t bytes_ = 0;
};

class CpuExecutable final : public Executable {
public:
  CpuExecutable(std::unique_ptr<Jit> jit, int threads)
      : jit_(std::move(jit)), pool_(threads), arenas_(static_cast<size_t>(pool_.workers())) {}

  Result<void> launch(const Kernel &kernel, const std::vector<LaunchArg> &args,
                      const std::vector<GridRange> &grid) override {
    const Jit::LoadedKernel *loaded = jit_->find(kernel.name);
    if (!loaded)
      return Error::environment(str("@", kernel.name, " is not among the compiled kernels"), kernel.nameRange);
    Result<LaunchFrame> frame = makeFrame(kernel, args, grid);
    if (!frame) return frame.error();
    std::lock_guard lock(launchMutex_);
    size_t workers = std::min<size_t>(arenas_.size(), static_cast<size_t>(std::max<int64_t>(1, frame->workgroups)));
    for (size_t i = 0; i < (workers > 1 ? arenas_.size() : 1); ++i)
      if (!arenas_[i].grow(loaded->code.scratchBytes))
        return Error::environment(str("no memory: @", kernel.name, " needs ", loaded->code.scratchBytes,
                                      " bytes for each of ", arenas_.size(), " threads"),
                                  kernel.nameRange);
    uint64_t failure = kNoFailure;
    frame->words[frame->failureWord] = reinterpret_cast<uintptr_t>(&failure);
    pool_.run(frame->workgroups, [&](int64_t begin, int64_t end, int worker) {
      loaded->function(frame->words.data(), begin, end, arenas_[static_cast<size_t>(worker)].memory());
    });
    if (failure == kNoFailure) return {};
    const Failure &first = loaded->code.failures[failure >> 32];
    return Error::environment(str(first.message, " (workgroup ", failure & 0xFFFFFFFF, " of @", kernel.name, ")"),
                              first.range);
  }

private:
  std::unique_ptr<Jit> jit_;
  ThreadPool pool_;
  std::vector<Arena> arenas_; // by worker
  std::mutex launchMutex_;
};

class CpuTarget final : public Target {
public:
  std::string_view name() const override { return "cpu"; }
  std::string_view summary() const override {
    return "this machine's processor, compiled through LLVM, all its threads";
  }
  bool wantsSmallSizes() const override { return false; }
  std::vector<std::string_view> pipeline() const override {
    return {"infer-layouts", "canonicalize", "cse", "dead-code"};
  }
  Result<std::unique_ptr<Executable>> compile(const Module &module, const CompileOptions &options,
                                              Diagnostics &diagnostics) override {
    Result<CpuInfo> cpu = cpuInfo("host");
    if (!cpu) return cpu.error();
    return compileForCpu(module, *cpu, options, diagnostics);
  }
};

} // namespace

Target &cpuTarget() {
  static CpuTarget target;
  return target;
}

Result<std::unique_ptr<Executable>> compileForCpu(const Module &module, const CpuInfo &cpu,
                                                  const CompileOptions &options, Diagnostics &diagnostics) {
  Result<std::unique_ptr<Jit>> jit = Jit::compile(module, cpu, diagnostics);
  if (!jit) return jit.error();
  return std::unique_ptr<Executable>(std::make_unique<CpuExecutable>(std::move(*jit), options.threads));
}

} // namespace xt
