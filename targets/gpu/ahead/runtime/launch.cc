// Launches the kernels of a library that was compiled ahead of time for GPUs, as a process that compiles does: by a
// GpuExecutable. The tables of the library (xtrt.h) stand for the kernels and their code. What of C++'s library and of xt's
// this needs is linked into the run time; see CMakeLists.txt.
#include "ir/base/text.h"
#include "ir/interp/scalar_eval.h"
#include "targets/ahead/runtime/launch_parts.h"
#include "targets/cpu/runtime/launch_abi.h"
#include "targets/cpu/runtime/scratch_memory.h"
#include "targets/gpu/ahead/runtime/open_device.h"
#include "targets/gpu/executable.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace xt {
namespace {

// A library has no sources. The range of an error in a kernel is that of the failure: file kFailures, begin its index in the
// table.
constexpr uint32_t kFailures = 1;

GpuKernel kernelCode(const xtrt_gpu_kernel &facts, const xtrt_kernel &kernel) {
  GpuKernel code;
  code.entry = facts.entry;
  code.subgroups = facts.subgroups, code.subgroupSize = facts.subgroupSize;
  code.slmBytes = facts.slmBytes, code.givenSlmBytes = facts.givenSlmBytes;
  code.largeRegisterFile = facts.largeRegisterFile != 0;
  code.reportsFailures = facts.reportsFailures != 0;
  code.overlapRule = static_cast<OverlapRule>(facts.overlapRule);
  for (uint32_t i = 0; i < facts.failureCount; ++i) {
    const xtrt_failure &of = facts.failures[i];
    code.failures.push_back({of.first,
                             of.text,
                             {kFailures, i, i},
                             of.asserted != 0,
                             of.byWorkgroup != 0,
                             std::vector<int64_t>(of.shape, of.shape + of.rank)});
  }
  for (size_t i = 0; i < facts.alignmentCount; ++i)
    code.alignments.push_back({facts.alignments[i].parameter, facts.alignments[i].bytes});
  for (size_t i = 0; i < facts.blockUseCount; ++i)
    code.blockUses.push_back({facts.blockUses[i].parameter, facts.blockUses[i].turned != 0});
  for (size_t i = 0; i < kernel.parameterCount; ++i) code.writes.push_back(kernel.parameters[i].written != 0);
  return code;
}

// A library that has been opened: its kernels as far as launches need them, without bodies, and the device that runs them.
class OpenLibrary {
public:
  explicit OpenLibrary(const xtrt_gpu_library &library)
      : library_(library), target_(*findTargetInfo(library.target)), module_(context_) {
    for (size_t k = 0; k < library.kernelCount; ++k) module_.kernels.push_back(kernelOf(k));
  }

  const TargetInfo &target() const { return target_; }

  // Lets go of the device; the next launch opens one.
  void release() {
    executable_.reset();
    device_.reset();
  }

  Result<void> use(Result<std::unique_ptr<GpuDevice>> device) {
    if (!device) return device.error();
    release(); // the objects of the one before it may not live longer
    GpuExecutableOptions options;
    options.device = device->get();
    options.target = &target_;
    options.again = [this](GpuAssumptions, const Kernel &) -> Result<GpuCode> { return code(kCareful); };
    Result<size_t> fast = fastCode(**device);
    if (!fast) return fast.error();
    auto executable = makeGpuExecutable(module_, code(*fast), std::move(options));
    if (!executable) return executable.error();
    executable_ = std::move(*executable);
    device_ = std::move(*device);
    return {};
  }

  // `which`: one of the library's kernels.
  Result<void> launch(const xtrt_kernel &which, const std::vector<uint64_t> &frame, const std::vector<GridRange> &grid) {
    if (!executable_)
      if (Result<void> used = use(openDevice(target_)); !used) return used;
    const Kernel &kernel = *module_.kernels[indexOf(which)];
    return executable_->launch(kernel, argumentsOf(kernel, frame), grid);
  }

  // "k.xt:7:3: " for an error of a kernel.
  std::string place(const xtrt_kernel &which, const Error &error) const {
    const xtrt_gpu_kernel &facts = library_.code[kFast].kernels[indexOf(which)];
    if (error.range.file != kFailures || error.range.begin >= facts.failureCount) return "";
    return str(facts.failures[error.range.begin].place, ": ");
  }

private:
  enum Code : size_t { kFast, kCareful, kInlineAssembly }; // the places in xtrt_gpu_library

  // Which code runs where the arguments keep all assumptions.
  Result<size_t> fastCode(GpuDevice &device) const {
    if (!library_.code[kInlineAssembly].begin) return size_t{kFast};
    Result<DriverAnswer> answer = device.inlineAssembly();
    if (!answer) return answer.error();
    return size_t{answer->taken ? kInlineAssembly : kFast};
  }

  size_t indexOf(const xtrt_kernel &kernel) const {
    return static_cast<size_t>(std::find(library_.kernels, library_.kernels + library_.kernelCount, &kernel) -
                               library_.kernels);
  }

  std::unique_ptr<Kernel> kernelOf(size_t k) {
    const xtrt_kernel &from = *library_.kernels[k];
    auto kernel = std::make_unique<Kernel>();
    kernel->name = std::string(from.name + 1) + (isShared(from, k) ? str("$", k) : "");
    for (size_t i = 0; i < from.parameterCount; ++i)
      kernel->body.addParam(typeOf(from.parameters[i]), from.parameters[i].name, {});
    kernel->paramCount = from.parameterCount;
    kernel->grid.resize(static_cast<size_t>(from.gridRank));
    auto rule = static_cast<OverlapRule>(library_.overlapRules[k]);
    if (rule == OverlapRule::Disjoint) kernel->forms.add(Form::Disjoint);
    if (rule == OverlapRule::DisjointOrSame) kernel->forms.add(Form::DisjointOrSame);
    return kernel;
  }

  // Whether a kernel before this one has its name: a launch finds kernels by their names, and variants have that of the kernel
  // that they replace.
  bool isShared(const xtrt_kernel &kernel, size_t k) const {
    for (size_t other = 0; other < k; ++other)
      if (std::string_view(library_.kernels[other]->name) == kernel.name) return true;
    return false;
  }

  Type typeOf(const xtrt_parameter &parameter) {
    const auto elem = static_cast<Elem>(parameter.element);
    if (parameter.rank < 0) return context_.scalar(elem);
    auto numbers = [&](const int64_t *from) {
      std::vector<int64_t> all(from, from + parameter.rank);
      std::replace(all.begin(), all.end(), XTRT_DYNAMIC, kDynamic);
      return all;
    };
    MemoryLayout layout;
    layout.kind = MemoryLayout::Kind::Strided;
    layout.strides = numbers(parameter.strides);
    return context_.memref(numbers(parameter.shape), elem, MemorySpace::Global, std::move(layout));
  }

  GpuCode code(size_t which) const {
    const xtrt_gpu_code &from = library_.code[which];
    GpuCode code;
    code.binary.assign(from.begin, from.end);
    for (size_t k = 0; k < library_.kernelCount; ++k) {
      code.kernels.push_back(kernelCode(from.kernels[k], *library_.kernels[k]));
      code.kernels.back().name = module_.kernels[k]->name;
    }
    return code;
  }

  static std::vector<LaunchArg> argumentsOf(const Kernel &kernel, const std::vector<uint64_t> &frame) {
    std::vector<LaunchArg> arguments(kernel.paramCount);
    const uint64_t *word = frame.data() + kGridWords + kRuntimeWords;
    for (size_t i = 0; i < kernel.paramCount; ++i) {
      const Type type = kernel.param(i)->type();
      LaunchArg &argument = arguments[i];
      if (!type.isMemRef()) {
        const Number number = loadNumber(type.elem(), word);
        argument.kind = isFloat(type.elem()) ? LaunchArg::Kind::Float : LaunchArg::Kind::Int;
        (isFloat(type.elem()) ? void(argument.number = number.f) : void(argument.integer = static_cast<int64_t>(*word)));
        ++word;
        continue;
      }
      const auto rank = static_cast<size_t>(type.rank());
      const auto *numbers = reinterpret_cast<const int64_t *>(word + 1);
      argument.kind = LaunchArg::Kind::Buffer;
      argument.buffer.data = reinterpret_cast<void *>(static_cast<uintptr_t>(*word));
      argument.buffer.elem = type.elem();
      argument.buffer.sizes.assign(numbers, numbers + rank);
      argument.buffer.strides.assign(numbers + rank, numbers + 2 * rank);
      word += 1 + 2 * rank;
    }
    return arguments;
  }

  const xtrt_gpu_library &library_;
  const TargetInfo &target_;
  Context context_;
  Module module_;
  std::unique_ptr<GpuDevice> device_;
  std::unique_ptr<Executable> executable_;
};

std::mutex launching;

// The state of a library, which is never destroyed: the driver may be unloaded before static objects are destroyed.
OpenLibrary &opened(const xtrt_gpu_library &library) {
  static auto *all = new std::map<const xtrt_gpu_library *, std::unique_ptr<OpenLibrary>>;
  std::unique_ptr<OpenLibrary> &of = (*all)[&library];
  if (!of) of = std::make_unique<OpenLibrary>(library);
  return *of;
}

int statusOf(const Result<void> &done, const Message &to, const std::string &place = "") {
  if (done) return kOk;
  const LibraryStatus status = done.error().kind == Error::Kind::Kernel ? kKernelFailed : kEnvironment;
  return to.fail(status, "%s%s", place.c_str(), done.error().message.c_str());
}

int launch(OpenLibrary &library, const xtrt_kernel &kernel, const xtrt_argument *arguments, const Message &to) {
  std::vector<uint64_t> frame(kGridWords + kRuntimeWords);
  if (int status = readArguments(kernel, arguments, to, frame)) return status;
  std::vector<GridRange> grid;
  ScratchMemory scratch = allocateScratch(static_cast<size_t>(kernel.header ? kernel.header->scratchBytes : 0) + 1);
  if (!scratch) return to.fail(kEnvironment, "no memory for a launch of %s", kernel.name);
  if (int status = runHeader(kernel, to, frame, scratch.get(), grid)) return status;
  Result<void> done = library.launch(kernel, frame, grid);
  return statusOf(done, to, done ? "" : library.place(kernel, done.error()));
}

} // namespace
} // namespace xt

using namespace xt;

int xtrt_gpu_launch(const xtrt_gpu_library *library, const xtrt_kernel *kernel, const xtrt_argument *arguments, char *message,
                    size_t messageBytes) {
  std::lock_guard lock(launching);
  const Message to{message, messageBytes};
  to.clear();
  const xtrt_kernel &serves = servingKernel(*kernel, arguments);
  const int status = launch(opened(*library), serves, arguments, to);
  // A variant may require more than the kernel itself. Nothing has run.
  if (status != kInvalidArgument || &serves == kernel) return status;
  to.clear();
  return launch(opened(*library), *kernel, arguments, to);
}

int xtrt_gpu_use_level_zero(const xtrt_gpu_library *library, void *context, void *device, void *list, char *message,
                            size_t messageBytes) {
  std::lock_guard lock(launching);
  const Message to{message, messageBytes};
  to.clear();
  OpenLibrary &of = opened(*library);
  if (!context && !device && !list) return of.release(), kOk;
  if (!context || !device) return to.fail(kInvalidArgument, "the %s is NULL", context ? "device" : "context");
  return statusOf(of.use(adoptLevelZero(of.target(), context, device, list)), to);
}

int xtrt_gpu_use_cuda(const xtrt_gpu_library *library, void *context, int device, void *stream, char *message,
                      size_t messageBytes) {
  std::lock_guard lock(launching);
  const Message to{message, messageBytes};
  to.clear();
  OpenLibrary &of = opened(*library);
  if (!context && !stream) return of.release(), kOk;
  if (!context) return to.fail(kInvalidArgument, "the context is NULL");
  return statusOf(of.use(adoptCuda(of.target(), context, device, stream)), to);
}
