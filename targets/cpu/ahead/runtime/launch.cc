// Launches the kernels of a library that is compiled ahead of time, on the same threads and with the same shared panels as the
// launches of a process that compiles. What of C++'s library this needs is linked into the run time; see CMakeLists.txt.
#include "ir/base/extents.h"
#include "ir/grid_range.h"
#include "targets/cpu/ahead/runtime/levels.h"
#include "targets/cpu/runtime/fibers.h"
#include "targets/cpu/runtime/host_runtime.h"
#include "targets/cpu/runtime/launch_abi.h"
#include "targets/cpu/runtime/launch_division.h"
#include "targets/cpu/runtime/scratch_memory.h"
#include "targets/cpu/threads/thread_pool.h"

#include <atomic>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace xt {
namespace {

enum Status { kOk = 0, kInvalidArgument = 1, kKernelFailed = 5, kEnvironment = 6 }; // numbers of xt_status in xt.h

// Where the message of a failure goes.
struct Message {
  char *text;
  size_t bytes;

  __attribute__((format(printf, 3, 4))) int fail(Status status, const char *format, ...) const {
    va_list values;
    va_start(values, format);
    if (text && bytes > 0) std::vsnprintf(text, bytes, format, values);
    va_end(values);
    return status;
  }
};

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

const char *whyUnfit(const xtrt_parameter &parameter, const int64_t *sizes, const int64_t *strides, const void *data) {
  const auto rank = static_cast<size_t>(parameter.rank);
  bool empty = false;
  __int128 reach = 1;
  for (size_t d = 0; d < rank; ++d) {
    if (sizes[d] < 0) return "an extent is negative";
    if (parameter.shape[d] != XTRT_DYNAMIC && sizes[d] != parameter.shape[d])
      return "an extent is not that of the parameter's type";
    empty |= sizes[d] == 0;
    reach += static_cast<__int128>(std::max<int64_t>(sizes[d], 1) - 1) *
             (strides[d] < 0 ? -static_cast<__int128>(strides[d]) : strides[d]);
    if (reach >> 59) return "64-bit addresses cannot reach its elements";
  }
  for (size_t d = 0; d < rank && !empty; ++d) {
    if (sizes[d] <= 1) continue;
    if (parameter.strides[d] != XTRT_DYNAMIC && strides[d] != parameter.strides[d])
      return "a stride is not that of the parameter's type";
    if (strides[d] < 0) return "a stride is negative";
  }
  if (!empty && !data) return "its address is NULL";
  if (reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(parameter.elementBytes) != 0)
    return "its address is not a multiple of an element's bytes";
  if (parameter.written && !empty && !haveDistinctPlaces({sizes, rank}, {strides, rank}))
    return "several of its indices have the same element, but the kernel writes it";
  return nullptr;
}

// A launch: the words that the kernel reads, and how its work is divided.
class Launch {
public:
  Launch(const xtrt_kernel &kernel, const xtrt_code &code, const Message &message)
      : kernel_(kernel), code_(code), message_(message), output_(none_, &threads->panels) {}

  int run(const xtrt_argument *arguments) {
    words_.assign(kGridWords + kRuntimeWords, 0);
    for (size_t d = 0; d < kGridDims; ++d) words_[3 * d + 1] = words_[3 * d + 2] = 1;
    if (int status = readArguments(arguments)) return status;
    setRuntimeWords(code_.numbers);
    if (int status = kernel_.gridRank > 0 ? readGrid() : kOk) return status;
    return runWorkgroups();
  }

private:
  static constexpr uint64_t kDiverged = 0xFFFFFFFF, kNoStacks = 0xFFFFFFFD; // in place of the number of a failure

  uint64_t &runtime(RuntimeWord word) { return words_[kGridWords + word]; }

  int readArguments(const xtrt_argument *arguments) {
    std::vector<StridedArray> arrays;
    for (size_t i = 0; i < kernel_.parameterCount; ++i) {
      const xtrt_parameter &parameter = kernel_.parameters[i];
      if (!arguments[i])
        return message_.fail(kInvalidArgument, "argument `%s` of %s: it is NULL", parameter.name, kernel_.name);
      const auto *words = static_cast<const uint64_t *>(arguments[i]);
      if (parameter.rank < 0) {
        words_.push_back(*words);
        continue;
      }
      const auto rank = static_cast<size_t>(parameter.rank);
      const auto *sizes = static_cast<const int64_t *>(arguments[i]) + 1;
      const void *data = reinterpret_cast<const void *>(static_cast<uintptr_t>(*words));
      if (const char *why = whyUnfit(parameter, sizes, sizes + rank, data))
        return message_.fail(kInvalidArgument, "argument `%s` of %s: %s", parameter.name, kernel_.name, why);
      words_.insert(words_.end(), words, words + 1 + 2 * rank);
      arrays.push_back({data, {sizes, rank}, {sizes + rank, rank}, parameter.elementBytes});
    }
    runtime(kApartWord) = apartBits(arrays);
    return kOk;
  }

  void setRuntimeWords(const int64_t *numbers) {
    runtime(kFailureWord) = reinterpret_cast<uintptr_t>(&failure_);
    runtime(kOutputWord) = reinterpret_cast<uintptr_t>(&output_);
    runtime(kPartsWord) = runtime(kThreadsWord) = 1;
    runtime(kNumbersWord) = reinterpret_cast<uintptr_t>(numbers);
  }

  // Runs the kernel that computes the bounds of the grid. Its parameters are those of this one, and an array for the bounds.
  int readGrid() {
    int64_t bounds[3 * kGridDims] = {};
    const size_t own = words_.size();
    for (uint64_t word : {static_cast<uint64_t>(reinterpret_cast<uintptr_t>(bounds)), uint64_t{3 * kGridDims}, uint64_t{1}})
      words_.push_back(word);
    runtime(kNumbersWord) = reinterpret_cast<uintptr_t>(kernel_.grid->numbers);
    Threads::Scratch &scratch = threads->scratch[0];
    if (!scratch.grow(kernel_.grid->scratchBytes)) return noMemory(kernel_.grid->scratchBytes);
    kernel_.grid->run(words_.data(), 0, 1, scratch.memory.get());
    words_.resize(own);
    runtime(kNumbersWord) = reinterpret_cast<uintptr_t>(code_.numbers);
    for (int32_t d = 0; d < kernel_.gridRank; ++d) {
      const int64_t *of = bounds + 3 * d;
      if (of[2] <= 0) return message_.fail(kInvalidArgument, "a step of the grid of %s is not positive", kernel_.name);
      grid_.push_back(gridRange(of[0], of[1], of[2]));
      uint64_t *range = words_.data() + 3 * (kGridDims - static_cast<size_t>(kernel_.gridRank) + static_cast<size_t>(d));
      range[0] = static_cast<uint64_t>(of[0]), range[1] = static_cast<uint64_t>(of[2]);
      range[2] = static_cast<uint64_t>(grid_.back().count);
    }
    return kOk;
  }

  int runWorkgroups() {
    std::optional<uint64_t> workgroups = workgroupCount(grid_);
    if (!workgroups) return message_.fail(kInvalidArgument, "the grid of %s has more than 2^31 workgroups", kernel_.name);
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

// How far the extents of a launch are from those of a variant: the sum of |log2| of their ratios, as in targets/tune.
double distanceOf(const xtrt_kernel &kernel, const xtrt_argument *arguments, const xtrt_variant &variant) {
  double sum = 0;
  size_t at = 0;
  for (size_t i = 0; i < kernel.parameterCount; ++i) {
    const auto rank = static_cast<size_t>(std::max(kernel.parameters[i].rank, 0));
    for (size_t d = 0; d < rank && at < variant.extentCount; ++d, ++at) {
      const int64_t extent = static_cast<const int64_t *>(arguments[i])[1 + d];
      sum += std::fabs(std::log2(static_cast<double>(std::max<int64_t>(extent, 1))) -
                       std::log2(static_cast<double>(std::max<int64_t>(variant.extents[at], 1))));
    }
  }
  return sum;
}

// The kernel that serves a launch. Arguments that are NULL are found by the launch.
const xtrt_kernel &chosen(const xtrt_kernel &kernel, const xtrt_argument *arguments) {
  const xtrt_kernel *nearest = &kernel;
  for (size_t i = 0; i < kernel.parameterCount; ++i)
    if (!arguments[i]) return kernel;
  double least = HUGE_VAL;
  for (size_t i = 0; i < kernel.variantCount; ++i) {
    double distance = distanceOf(kernel, arguments, kernel.variants[i]);
    if (distance < least) least = distance, nearest = kernel.variants[i].kernel;
  }
  return *nearest;
}

} // namespace
} // namespace xt

int xtrt_launch(const xtrt_kernel *kernel, const xtrt_argument *arguments, char *message, size_t messageBytes) {
  static const int level = xt::codeLevel();
  std::lock_guard lock(xt::launching);
  if (!xt::threads) xt::threads = std::make_unique<xt::Threads>(xt::wantedThreads);
  if (message && messageBytes > 0) *message = 0;
  const xtrt_kernel &serves = xt::chosen(*kernel, arguments);
  return xt::Launch(serves, serves.levels[level], {message, messageBytes}).run(arguments);
}

void xtrt_set_threads(int count) {
  std::lock_guard lock(xt::launching);
  xt::wantedThreads = count > 0 ? count : 0;
  xt::threads.reset();
}

// Called by kernels. Prints are left out; a failed assert is told by its number alone, which is in the frame's word.
void xt_print(void *, int64_t, int64_t, int64_t, const void *) {}
void xt_assert_failed(void *, int64_t, int64_t, int64_t) {}
