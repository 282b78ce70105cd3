// Launches the kernels of a library that is compiled ahead of time, on the same threads and with the same shared panels as the
// launches of a process that compiles. What of C++'s library this needs is linked into the run time; see CMakeLists.txt.
#include "targets/ahead/runtime/launch_parts.h"
#include "targets/cpu/ahead/runtime/levels.h"
#include "targets/cpu/runtime/fibers.h"
#include "targets/cpu/runtime/host_runtime.h"
#include "targets/cpu/runtime/launch_abi.h"
#include "targets/cpu/runtime/launch_division.h"
#include "targets/cpu/runtime/scratch_memory.h"
#include "targets/cpu/threads/thread_pool.h"

#include <atomic>
#include <cstring>

namespace xt {
namespace {

// What launches of this library share. One at a time uses it.
struct Threads {
  explicit Threads(int count) : pool(count), scratch(static_cast<size_t>(pool.workers())) {}

  struct Scratch {
    ScratchMemory memory;
    int64_t bytes = 0;

    bool grow(int64_t wanted) {
      if (wanted <= bytes) return true;
      memory.reset();
      memory = allocateScratch(static_cast<size_t>(wanted));
      bytes = memory ? wanted : 0;
      return memory != nullptr;
    }
  };
  ThreadPool pool;
  PanelPool panels;
  std::vector<Scratch> scratch; // one for each worker
};

std::mutex launching;
int wantedThreads = 0;
std::unique_ptr<Threads> threads; // made by the first launch; its threads end when the library is unloaded

// A launch: the words that the kernel reads, and how its work is divided.
class Launch {
public:
  Launch(const xtrt_kernel &kernel, const xtrt_code &code, const Message &message)
      : kernel_(kernel), code_(code), message_(message), output_(none_, &threads->panels) {}

  int run(const xtrt_argument *arguments) {
    words_.assign(kGridWords + kRuntimeWords, 0);
    for (size_t d = 0; d < kGridDims; ++d) words_[3 * d + 1] = words_[3 * d + 2] = 1;
    if (int status = readArguments(kernel_, arguments, message_, words_)) return status;
    runtime(kApartWord) = apartBits(arraysOf(arguments));
    setRuntimeWords(code_.numbers);
    if (int status = computeGrid()) return status;
    return runWorkgroups();
  }

private:
  static constexpr uint64_t kDiverged = 0xFFFFFFFF, kNoStacks = 0xFFFFFFFD; // in place of the number of a failure

  uint64_t &runtime(RuntimeWord word) { return words_[kGridWords + word]; }

  // The arrays among the arguments, which have been checked.
  std::vector<StridedArray> arraysOf(const xtrt_argument *arguments) const {
    std::vector<StridedArray> arrays;
    for (size_t i = 0; i < kernel_.parameterCount; ++i) {
      const xtrt_parameter &parameter = kernel_.parameters[i];
      if (parameter.rank < 0) continue;
      const auto rank = static_cast<size_t>(parameter.rank);
      const auto *words = static_cast<const uint64_t *>(arguments[i]);
      const auto *sizes = static_cast<const int64_t *>(arguments[i]) + 1;
      arrays.push_back({reinterpret_cast<const void *>(static_cast<uintptr_t>(*words)),
                        {sizes, rank},
                        {sizes + rank, rank},
                        parameter.elementBytes});
    }
    return arrays;
  }

  void setRuntimeWords(const int64_t *numbers) {
    runtime(kFailureWord) = reinterpret_cast<uintptr_t>(&failure_);
    runtime(kOutputWord) = reinterpret_cast<uintptr_t>(&output_);
    runtime(kPartsWord) = runtime(kThreadsWord) = 1;
    runtime(kNumbersWord) = reinterpret_cast<uintptr_t>(numbers);
  }

  int computeGrid() {
    if (!kernel_.header) return kOk;
    Threads::Scratch &scratch = threads->scratch[0];
    if (!scratch.grow(kernel_.header->scratchBytes)) return noMemory(kernel_.header->scratchBytes);
    if (int status = runHeader(kernel_, message_, words_, scratch.memory.get(), grid_)) return status;
    for (size_t d = 0; d < grid_.size(); ++d) {
      uint64_t *range = words_.data() + 3 * (kGridDims - grid_.size() + d);
      range[0] = static_cast<uint64_t>(grid_[d].lower), range[1] = static_cast<uint64_t>(grid_[d].step);
      range[2] = static_cast<uint64_t>(grid_[d].count);
    }
    return kOk;
  }

  int runWorkgroups() {
    const std::optional<uint64_t> workgroups = workgroupCount(grid_); // runHeader() has checked it
    const int64_t workers = threads->pool.workers();
    const int64_t parts = partsOf(workOf(grid_), code_.mostParts, workers, code_.partsAreCheap != 0);
    const int64_t work = static_cast<int64_t>(*workgroups) * parts;
    for (size_t i = 0; i < (work > 1 ? threads->scratch.size() : 1); ++i)
      if (!threads->scratch[i].grow(scratchBytes())) return noMemory(scratchBytes());
    runtime(kPartsWord) = static_cast<uint64_t>(parts);
    runtime(kThreadsWord) = static_cast<uint64_t>(workers);
    threads->panels.reset(static_cast<int>(workers));
    std::vector<bool> shared;
    for (int32_t d = 0; code_.shares && d < kernel_.gridRank; ++d) shared.push_back(((code_.sharedDims >> d) & 1) != 0);
    threads->pool.run(
        work,
        [&](int64_t begin, int64_t end, int worker) {
          void *scratch = threads->scratch[static_cast<size_t>(worker)].memory.get();
          if (code_.fibers > 0)
            runFibers(begin, end, static_cast<unsigned char *>(scratch));
          else if (begin / parts < failedWorkgroup())
            code_.run(words_.data(), begin, end, scratch);
        },
        sharingPeriod(grid_, shared, parts));
    return outcome();
  }

  int64_t failedWorkgroup() { return static_cast<int64_t>(std::atomic_ref(failure_).load() >> 32); }

  int64_t scratchBytes() const {
    return code_.fibers > 0 ? code_.scratchBytes * code_.fibers + code_.sharedBytes : code_.scratchBytes;
  }

  // Runs workgroup by workgroup. Within one, the subgroups (or lanes) run one after another up to the next barrier.
  void runFibers(int64_t begin, int64_t end, unsigned char *scratch) {
    FiberGroup fibers(static_cast<size_t>(code_.fibers), static_cast<size_t>(code_.lanes),
                      static_cast<size_t>(code_.frameBytes));
    if (!fibers.valid()) return noteFailure(begin, kNoStacks);
    void *header[] = {scratch + code_.scratchBytes * code_.fibers, &fibers};
    for (int64_t id = begin; id < end && id < failedWorkgroup(); ++id) {
      auto diverged = fibers.run([&](size_t fiber) {
        unsigned char *own = scratch + code_.scratchBytes * static_cast<int64_t>(fiber);
        std::memcpy(own, header, sizeof header);
        code_.run(words_.data(), id, static_cast<int64_t>(fiber), own);
        return id < failedWorkgroup();
      });
      if (diverged) noteFailure(id, kDiverged);
    }
  }

  // Keeps the failure of the lowest workgroup.
  void noteFailure(int64_t workgroup, uint64_t number) {
    uint64_t word = static_cast<uint64_t>(workgroup) << 32 | number;
    std::atomic_ref failure(failure_);
    for (uint64_t known = failure.load(); word < known && !failure.compare_exchange_weak(known, word);) {}
  }

  int outcome() const {
    if (failure_ == kNoFailure) return kOk;
    const size_t number = failure_ & 0xFFFFFFFF;
    if (number == kNoStacks)
      return message_.fail(kEnvironment, "no memory: %s needs %lld stacks for each thread", kernel_.name,
                           static_cast<long long>(code_.fibers));
    if (number == kDiverged)
      return message_.fail(kKernelFailed, "the %s of workgroup %llu of %s wait for each other forever",
                           code_.lanes > 0 ? "lanes" : "subgroups", static_cast<unsigned long long>(failure_ >> 32),
                           kernel_.name);
    const char *what = number < code_.failureCount ? code_.failures[number] : "a check failed";
    return message_.fail(kKernelFailed, "%s (workgroup %llu of %s)", what, static_cast<unsigned long long>(failure_ >> 32),
                         kernel_.name);
  }

  int noMemory(int64_t bytes) const {
    return message_.fail(kEnvironment, "no memory: %s needs %lld bytes for each thread", kernel_.name,
                         static_cast<long long>(bytes));
  }

  const xtrt_kernel &kernel_;
  const xtrt_code &code_;
  const Message message_;
  const KernelOutput none_{}; // only kernels that print or wait read it
  LaunchOutput output_;
  std::vector<uint64_t> words_;
  std::vector<GridRange> grid_;
  uint64_t failure_ = kNoFailure;
};

} // namespace
} // namespace xt

int xtrt_launch(const xtrt_kernel *kernel, const xtrt_argument *arguments, char *message, size_t messageBytes) {
  static const int level = xt::codeLevel();
  std::lock_guard lock(xt::launching);
  if (!xt::threads) xt::threads = std::make_unique<xt::Threads>(xt::wantedThreads);
  const xt::Message to{message, messageBytes};
  to.clear();
  const xtrt_kernel &serves = xt::servingKernel(*kernel, arguments);
  const int status = xt::Launch(serves, serves.levels[level], to).run(arguments);
  // A variant may require more than the kernel itself. Nothing has run.
  if (status != xt::kInvalidArgument || &serves == kernel) return status;
  to.clear();
  return xt::Launch(*kernel, kernel->levels[level], to).run(arguments);
}

void xtrt_set_threads(int count) {
  std::lock_guard lock(xt::launching);
  xt::wantedThreads = count > 0 ? count : 0;
  xt::threads.reset();
}

// Called by kernels. Prints are left out; a failed assert is told by its number alone, which is in the frame's word.
void xt_print(void *, int64_t, int64_t, int64_t, const void *) {}
void xt_assert_failed(void *, int64_t, int64_t, int64_t) {}
