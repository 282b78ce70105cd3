#include "targets/cpu/cpu_target.h"

#include "ir/base/text.h"
#include "ir/interp/print_value.h"
#include "targets/cpu/fibers.h"
#include "targets/cpu/jit.h"
#include "targets/cpu/launch_frame.h"
#include "targets/cpu/thread_pool.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
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

// One worker's fibers: their stacks are used again from workgroup to workgroup.
class FiberRun {
public:
  struct Divergence {
    int64_t workgroup;
    FiberGroup::Divergence fibers;
  };
  FiberRun(const Jit::LoadedKernel &kernel, const uint64_t *frame, void *memory)
      : kernel_(kernel), frame_(frame), memory_(static_cast<unsigned char *>(memory)),
        fibers_(static_cast<size_t>(kernel.code.subgroups)) {}

  std::optional<Divergence> workgroup(int64_t id) {
    const KernelCode &code = kernel_.code;
    void *header[] = {memory_ + code.scratchBytes * code.subgroups, &fibers_};
    auto diverged = fibers_.run([&](size_t subgroup) {
      unsigned char *own = memory_ + code.scratchBytes * static_cast<int64_t>(subgroup);
      std::memcpy(own, header, sizeof header);
      kernel_.function(frame_, id, static_cast<int64_t>(subgroup), own);
    });
    if (!diverged) return std::nullopt;
    return Divergence{id, *diverged};
  }

private:
  const Jit::LoadedKernel &kernel_;
  const uint64_t *frame_;
  unsigned char *memory_;
  FiberGroup fibers_;
};

Error divergenceError(const KernelCode &code, const FiberRun::Divergence &found) {
  const FiberGroup::Divergence &d = found.fibers;
  std::string other = d.otherPlace ? str("subgroup ", d.other, " waits at another barrier")
                                   : str("subgroup ", d.other, " has finished");
  return Error::kernel(str("the subgroups of workgroup ", found.workgroup, " never meet: subgroup ", d.waiting,
                           " waits at this barrier, ", other),
                       code.output.barriers[static_cast<size_t>(d.place)]);
}

// Coordinates, outermost dimension first, of a linear id.
std::vector<int64_t> blockIdOf(int64_t workgroup, const std::vector<GridRange> &grid) {
  std::vector<int64_t> id(grid.size());
  for (size_t d = grid.size(); d-- > 0;) {
    id[d] = workgroup % grid[d].count;
    workgroup /= grid[d].count;
  }
  return id;
}

class CpuExecutable final : public Executable {
public:
  CpuExecutable(std::unique_ptr<Jit> jit, int threads, PrintSink print)
      : jit_(std::move(jit)), print_(std::move(print)), pool_(threads), arenas_(static_cast<size_t>(pool_.workers())) {}

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
      if (!arenas_[i].grow(arenaBytes(loaded->code)))
        return Error::environment(str("no memory: @", kernel.name, " needs ", arenaBytes(loaded->code),
                                      " bytes for each of ", arenas_.size(), " threads"),
                                  kernel.nameRange);
    uint64_t failure = kNoFailure;
    LaunchOutput output(loaded->code.output);
    frame->words[frame->failureWord] = reinterpret_cast<uintptr_t>(&failure);
    frame->words[frame->failureWord + 1] = reinterpret_cast<uintptr_t>(&output);
    std::optional<FiberRun::Divergence> divergence;
    if (loaded->code.output.usesFibers) {
      divergence = runFibers(*loaded, *frame);
    } else {
      pool_.run(frame->workgroups, [&](int64_t begin, int64_t end, int worker) {
        loaded->function(frame->words.data(), begin, end, arenas_[static_cast<size_t>(worker)].memory());
      });
    }
    output.flush(print_);
    if (divergence) return divergenceError(loaded->code, *divergence);
    if (failure == kNoFailure) return {};
    const Failure &first = loaded->code.output.failures[failure >> 32];
    auto workgroup = static_cast<int64_t>(failure & 0xFFFFFFFF);
    if (first.condition) {
      int64_t element = output.failedElement(static_cast<int64_t>(failure >> 32), workgroup);
      return Error::kernel(assertionText(first.message, first.condition, element, blockIdOf(workgroup, grid)), first.range);
    }
    return Error::environment(str(first.message, " (workgroup ", failure & 0xFFFFFFFF, " of @", kernel.name, ")"),
                              first.range);
  }

private:
  static int64_t arenaBytes(const KernelCode &code) {
    return code.output.usesFibers ? code.scratchBytes * code.subgroups + code.slmBytes : code.scratchBytes;
  }

  // Workgroup by workgroup; within one, the subgroups take turns between barriers. The divergence of the first workgroup
  // that has one.
  std::optional<FiberRun::Divergence> runFibers(const Jit::LoadedKernel &kernel, const LaunchFrame &frame) {
    std::mutex mutex;
    std::optional<FiberRun::Divergence> first;
    pool_.run(frame.workgroups, [&](int64_t begin, int64_t end, int worker) {
      FiberRun run(kernel, frame.words.data(), arenas_[static_cast<size_t>(worker)].memory());
      for (int64_t id = begin; id < end; ++id) {
        std::optional<FiberRun::Divergence> found = run.workgroup(id);
        if (!found) continue;
        std::lock_guard lock(mutex);
        if (!first || found->workgroup < first->workgroup) first = found;
        return;
      }
    });
    return first;
  }

  std::unique_ptr<Jit> jit_;
  PrintSink print_;
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
  return std::unique_ptr<Executable>(std::make_unique<CpuExecutable>(std::move(*jit), options.threads, options.print));
}

} // namespace xt
