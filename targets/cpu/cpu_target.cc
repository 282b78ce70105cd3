#include "targets/cpu/cpu_target.h"

#include "ir/base/text.h"
#include "ir/interp/print_value.h"
#include "ir/interp/worker.h"
#include "targets/cpu/ahead/library.h"
#include "targets/cpu/emit.h"
#include "targets/cpu/jit/jit.h"
#include "targets/cpu/module/kernel_module.h"
#include "targets/cpu/runtime/fibers.h"
#include "targets/cpu/runtime/launch_abi.h"
#include "targets/cpu/runtime/launch_division.h"
#include "targets/cpu/runtime/launch_frame.h"
#include "targets/cpu/runtime/machine_rates.h"
#include "targets/cpu/runtime/scratch_memory.h"
#include "targets/cpu/threads/thread_pool.h"
#include "targets/faults/fault_guard.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>
#include <unistd.h>

namespace xt {
namespace {

// The scratch memory of one worker, reused from launch to launch.
class Arena {
public:
  bool grow(int64_t bytes) {
    if (bytes <= bytes_) return true;
    memory_.reset();
    memory_ = allocateScratch(static_cast<size_t>(bytes));
    bytes_ = memory_ ? bytes : 0;
    return memory_ != nullptr;
  }
  void *memory() const { return memory_.get(); }

private:
  ScratchMemory memory_;
  int64_t bytes_ = 0;
};

// The coordinates of a workgroup with the given linear id, outermost dimension first.
std::vector<int64_t> blockIdOf(int64_t workgroup, const std::vector<GridRange> &grid) {
  std::vector<int64_t> id(grid.size());
  for (size_t d = grid.size(); d-- > 0;) {
    id[d] = workgroup % grid[d].count;
    workgroup /= grid[d].count;
  }
  return id;
}

std::string hexText(uint64_t value) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%llx", static_cast<unsigned long long>(value));
  return digits;
}

// One launch of one kernel, on all threads.
class Launch {
public:
  Launch(const Jit::LoadedKernel &kernel, LaunchFrame &frame, int64_t parts, int64_t threads, PanelPool &panels,
         const LaunchStop &stop)
      : kernel_(kernel), frame_(frame), output_(code().output, &panels), parts_(parts), stop_(stop) {
    panels.reset(static_cast<int>(threads));
    frame.words[frame.runtime + kFailureWord] = reinterpret_cast<uintptr_t>(&failure_);
    frame.words[frame.runtime + kOutputWord] = reinterpret_cast<uintptr_t>(&output_);
    frame.words[frame.runtime + kPartsWord] = static_cast<uint64_t>(parts);
    frame.words[frame.runtime + kThreadsWord] = static_cast<uint64_t>(threads);
    frame.words[frame.runtime + kNumbersWord] = reinterpret_cast<uintptr_t>(code().output.numbers.data());
  }
  Launch(const Launch &) = delete;
  Launch &operator=(const Launch &) = delete;

  // Size in bytes of the scratch memory that run() needs.
  static int64_t scratchBytes(const KernelCode &code) {
    return code.output.usesFibers ? code.scratchBytes * code.fibers + code.slmBytes : code.scratchBytes;
  }

  // Runs workgroups [begin, end), or parts [begin, end) where workgroups are divided. Called by several threads at once.
  void run(int64_t begin, int64_t end, void *scratch) {
    if (code().output.usesFibers) return runFibers(begin, end, static_cast<unsigned char *>(scratch));
    const int64_t step = stop_.wanted() ? parts_ : end - begin; // workgroups one by one, so that the next one need not run
    for (int64_t from = begin; from < end; from += step) {
      if (stops() || from / parts_ >= failedWorkgroup()) return;
      const int64_t to = std::min(end, from + step);
      call(from, to, from / parts_, (to + parts_ - 1) / parts_, scratch);
    }
  }

  // Whether some work has not run because the launch was stopped; a failure counts first.
  bool stopped() const { return stopped_.load() && failure_ == kNoFailure; }

  // Called after all workgroups have run: passes on the prints, and reports the first failure.
  Result<void> finish(const PrintSink &print, const Kernel &kernel, const std::vector<GridRange> &grid) {
    output_.flush(print, failedWorkgroup(), [&](int64_t workgroup, int64_t subgroup) {
      return printPrefix(kernel, blockIdOf(workgroup, grid), subgroup);
    });
    if (stopped()) return Error::environment(str("the launch of @", code().name, " was stopped"), kernel.nameRange);
    if (failure_ == kNoFailure) return {};
    int64_t workgroup = failedWorkgroup();
    std::string where = workgroupText(kernel, blockIdOf(workgroup, grid));
    if (const FiberGroup::Divergence *d = output_.divergence(workgroup)) {
      const KernelOutput::Barrier &place = code().output.barriers[static_cast<size_t>(d->place)];
      std::string other = str(workerText(kernel, d->other), d->otherPlace ? " waits at another one" : " has finished");
      if (d->other == d->waiting) other = "for others that never arrive";
      return Error::kernel(str(kernel.scope == Scope::Lane ? "the lanes of " : "the subgroups of ", where,
                               " deadlock: ", workerText(kernel, d->waiting), " waits at `", place.op, "`, ", other),
                           place.range);
    }
    if (const LaunchOutput::Fault *fault = output_.fault(workgroup); fault && (failure_ & 0xFFFFFFFF) == kFaulted)
      return faultError(*fault, std::move(where), kernel);
    if ((failure_ & 0xFFFFFFFF) == kNoStacks)
      return Error::environment(str("no memory: @", code().name, " needs ", code().fibers, " stacks for each thread"),
                                kernel.nameRange);
    const Failure &first = code().output.failures[failure_ & 0xFFFFFFFF];
    if (!first.asserted) return Error::kernel(str(first.message, " (", where, " of @", code().name, ")"), first.range);
    LaunchOutput::FailedAssert failed = output_.failedAssert(workgroup);
    where = originText(kernel, blockIdOf(workgroup, grid), failed.subgroup);
    return Error::kernel(assertionText(first.message, first.shape, failed.element, where), first.range);
  }

private:
  static constexpr uint64_t kDiverged = 0xFFFFFFFF, kFaulted = 0xFFFFFFFE,
                            kNoStacks = 0xFFFFFFFD; // in place of the number of a failure

  const KernelCode &code() const { return kernel_.code; }
  // Whether the launch is to end; no workgroup, and no part of one, begins from then on.
  bool stops() {
    if (!stop_.wanted()) return false;
    if (stopped_.load() || !stop_.due()) return stopped_.load();
    stopped_.store(true);
    return true;
  }
  int64_t failedWorkgroup() { return static_cast<int64_t>(std::atomic_ref(failure_).load() >> 32); }

  // Runs workgroup by workgroup. Within one, the subgroups (or lanes) run one after another up to the next barrier.
  void runFibers(int64_t begin, int64_t end, unsigned char *scratch) {
    FiberGroup fibers(static_cast<size_t>(code().fibers), static_cast<size_t>(code().lanes), kernel_.frameBytes());
    if (!fibers.valid()) return noteFailure(begin, kNoStacks);
    void *header[] = {scratch + code().scratchBytes * code().fibers, &fibers};
    for (int64_t id = begin; id < end && !stops() && id < failedWorkgroup(); ++id) {
      auto diverged = fibers.run([&](size_t fiber) {
        unsigned char *own = scratch + code().scratchBytes * static_cast<int64_t>(fiber);
        std::memcpy(own, header, sizeof header);
        call(id, static_cast<int64_t>(fiber), id, id + 1, own);
        return id < failedWorkgroup();
      });
      if (!diverged) continue;
      output_.diverged(id, *diverged);
      noteFailure(id, kDiverged);
    }
  }

  // Calls the kernel's function for workgroups [begin, end). `second` and `third` are its second and third argument, whose
  // meaning depends on whether the kernel uses fibers.
  void call(int64_t second, int64_t third, int64_t begin, int64_t end, void *scratch) {
    struct Arguments {
      Launch &launch;
      int64_t second, third;
      void *scratch;
    } arguments{*this, second, third, scratch};
    auto body = [](void *context) {
      auto &given = *static_cast<Arguments *>(context);
      given.launch.kernel_.function()(given.launch.frame_.words.data(), given.second, given.third, given.scratch);
    };
    std::optional<MemoryFault> fault = guardedCall(body, &arguments);
    if (!fault) return;
    output_.faulted(begin, end, *fault);
    noteFailure(begin, kFaulted);
  }

  // Keeps the failure of the lowest workgroup.
  void noteFailure(int64_t workgroup, uint64_t number) {
    uint64_t word = static_cast<uint64_t>(workgroup) << 32 | number;
    std::atomic_ref failure(failure_);
    for (uint64_t known = failure.load(); word < known && !failure.compare_exchange_weak(known, word);) {}
  }

  Error faultError(const LaunchOutput::Fault &fault, std::string where, const Kernel &kernel) const {
    std::string at = fault.what.address ? str(" (at address 0x", hexText(*fault.what.address), ")") : "";
    if (fault.workgroups > 1) where = str("one of ", fault.workgroups, " workgroups from ", where, " on");
    bool takesAddress = false;
    for (size_t i = 0; i < kernel.paramCount; ++i) takesAddress |= kernel.param(i)->type().isAddress();
    return Error::environment(str("@", code().name, " accessed an invalid address", at, ", in ", where,
                                  takesAddress ? "; an address argument may be wrong" : ""),
                              kernel.nameRange);
  }

  const Jit::LoadedKernel &kernel_;
  LaunchFrame &frame_;
  LaunchOutput output_;
  const int64_t parts_;
  const LaunchStop &stop_;
  std::atomic<bool> stopped_ = false;
  uint64_t failure_ = kNoFailure;
};

class CpuExecutable final : public Executable {
public:
  CpuExecutable(const CpuInfo &cpu, std::unique_ptr<Jit> jit, std::unique_ptr<ThreadPool> pool, PrintSink print)
      : cpu_(cpu), jit_(std::move(jit)), print_(std::move(print)), pool_(std::move(pool)),
        arenas_(static_cast<size_t>(pool_->workers())) {}

  Result<void> launch(const Kernel &kernel, const std::vector<LaunchArg> &args, const std::vector<GridRange> &grid) override {
    bool stopped = false;
    return launchUntil(kernel, args, grid, {}, stopped);
  }

  bool stopsLaunches() const override { return true; }
  Result<void> launchUntil(const Kernel &kernel, const std::vector<LaunchArg> &args, const std::vector<GridRange> &grid,
                           const LaunchStop &stop, bool &stopped) override {
    const Jit::LoadedKernel *loaded = jit_->find(kernel.name);
    if (!loaded) return Error::environment(str("@", kernel.name, " is not among the compiled kernels"), kernel.nameRange);
    std::lock_guard lock(launchMutex_);
    Result<LaunchFrame *> made = lastFrame_.of(loaded, kernel, args, grid);
    if (!made) return made.error();
    LaunchFrame &frame = **made;
    int64_t bytes = Launch::scratchBytes(loaded->code);
    const KernelOutput &output = loaded->code.output;
    int64_t parts = partsOf(frame.work, output.mostParts, pool_->workers(), output.partsAreCheap),
            work = frame.workgroups * parts;
    size_t workers = std::min<size_t>(arenas_.size(), static_cast<size_t>(std::max<int64_t>(1, work)));
    for (size_t i = 0; i < (workers > 1 ? arenas_.size() : 1); ++i)
      if (!arenas_[i].grow(bytes))
        return Error::environment(
            str("no memory: @", kernel.name, " needs ", bytes, " bytes for each of ", arenas_.size(), " threads"),
            kernel.nameRange);
    if (!keepsHandlers_) keepsHandlers_.emplace();
    FaultGuard guard; // installs the handlers again if a fault elsewhere removed them
    Launch launch(*loaded, frame, parts, pool_->workers(), panels_, stop);
    pool_->run(
        work,
        [&](int64_t begin, int64_t end, int worker) { launch.run(begin, end, arenas_[static_cast<size_t>(worker)].memory()); },
        sharingPeriod(grid, output.sharedDims, parts));
    stopped = launch.stopped();
    return launch.finish(print_, kernel, grid);
  }

  std::optional<MachineRates> machineRates(Elem elem) override {
    MachineRates rates = measurePeak(cpu_, elem, pool_->workers());
    rates.bytes = measureBandwidth(pool_->workers());
    return rates;
  }
  bool evict(const void *memory, int64_t bytes) override { return evictFromCaches(memory, bytes); }

private:
  const CpuInfo cpu_;
  std::unique_ptr<Jit> jit_;
  PrintSink print_;
  std::unique_ptr<ThreadPool> pool_;
  std::vector<Arena> arenas_; // one for each worker
  PanelPool panels_;
  LastFrame lastFrame_;
  std::optional<FaultGuard> keepsHandlers_; // held from the first launch on
  std::mutex launchMutex_;
};

class CpuTarget final : public Target {
public:
  std::string_view name() const override { return "cpu"; }
  std::string_view summary() const override { return "this machine's processor, compiled with LLVM, on all threads"; }
  bool wantsSmallSizes(DeviceChoice) const override { return false; }
  Result<std::vector<DeviceText>> devices() override {
    Result<CpuInfo> cpu = cpuInfo("host");
    if (!cpu) return cpu.error();
    DeviceText device;
    device.name = str(cpu->name, ", ", std::thread::hardware_concurrency(), " threads");
    device.memoryBytes = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    return std::vector<DeviceText>{device};
  }
  std::vector<MachinePart> machineParts() const override {
    Result<CpuInfo> cpu = cpuInfo("host");
    if (!cpu) return {{"the processor", false, true, cpu.error().message, ""}};
    std::vector<std::string> features = vectorFeatures();
    return {
        {"the processor", true, true, str(cpu->name, ": ", features.empty() ? "no vector features" : join(features, " ")), ""}};
  }
  Pipeline pipeline() const override { return kProcessorPipeline; }
  Result<std::unique_ptr<Executable>> compile(const Module &module, const CompileOptions &options,
                                              Diagnostics &diagnostics) override {
    Result<CpuInfo> cpu = cpuInfo("host");
    if (!cpu) return cpu.error();
    return compileForCpu(module, *cpu, options, diagnostics);
  }

  std::span<const OutputKind> outputs() const override {
    static constexpr OutputKind kKinds[] = {OutputKind::Object, OutputKind::Llvm, OutputKind::Asm, OutputKind::Library};
    return kKinds;
  }
  Result<Output> emit(const Module &module, const OutputOptions &options, Diagnostics &diagnostics) override {
    if (options.stage) options.stage("code of the CPU");
    Output out;
    for (OutputKind kind : options.kinds) {
      if (kind == OutputKind::Library) {
        Result<std::vector<OutputFile>> files = makeLibrary(module, options, diagnostics);
        if (!files) return files.error();
        out.files = std::move(*files);
        continue;
      }
      EmitKind which = kind == OutputKind::Llvm ? EmitKind::Llvm : kind == OutputKind::Asm ? EmitKind::Asm : EmitKind::Object;
      Result<std::string> made = xt::emit(module, which, {options.processor}, diagnostics);
      if (!made) return made.error();
      out.text += *made;
    }
    return out;
  }
  Result<void> remarkOnCode(const Module &module, const OutputOptions &options, Diagnostics &diagnostics) override {
    Result<std::string> made = xt::emit(module, EmitKind::Llvm, {options.processor}, diagnostics);
    return made ? Result<void>() : Result<void>(made.error());
  }
};

} // namespace

Target &cpuTarget() {
  static CpuTarget target;
  return target;
}

Result<std::unique_ptr<Executable>> compileForCpu(const Module &module, const CpuInfo &cpu, const CompileOptions &options,
                                                  Diagnostics &diagnostics) {
  auto pool = std::make_unique<ThreadPool>(options.threads);
  ObjectCache cache(options.cacheDirectory, options.cacheBytes);
  if (std::string why = cache.refusal(); !why.empty() && options.note)
    options.note(str("warning: compiled code is not cached: ", why));
  llvm::LLVMContext context;
  context.setDiscardValueNames(true);
  Result<EmittedModule> emitted = emitKernels(module, cpu, context, diagnostics);
  if (!emitted) return emitted.error();
  Result<std::unique_ptr<Jit>> jit = Jit::compile(std::move(*emitted), cpu, cache, options.optimise, *pool);
  if (!jit) return jit.error();
  return std::unique_ptr<Executable>(std::make_unique<CpuExecutable>(cpu, std::move(*jit), std::move(pool), options.print));
}

} // namespace xt
