#include "targets/nv/nv_target.h"

#include "ir/base/text.h"
#include "ir/gpu/block_counts.h"
#include "targets/gpu/ahead/gpu_library.h"
#include "targets/gpu/executable.h"
#include "targets/nv/emit/emit.h"
#include "targets/nv/runtime.h"
#include "targets/nv/sass/sass_text.h"
#include "targets/nv/software/soft_device.h"

namespace xt {
namespace {

constexpr std::string_view kAnyNvidia = "nv"; // the target of any GPU

// The target for code that makes only these assumptions about its arguments.
TargetInfo assuming(const TargetInfo &target, GpuAssumptions assumptions) {
  TargetInfo careful = target;
  careful.checksOverlaps &= assumptions.disjoint;
  if (!assumptions.aligned) careful.asyncCopyBytes = {};
  return careful;
}

class NvTarget final : public Target {
public:
  explicit NvTarget(const TargetInfo &info) : info_(info) {}

  std::string_view name() const override { return info_.name; }
  std::string_view summary() const override { return info_.summary; }
  bool wantsSmallSizes(DeviceChoice choice) const override {
    return choice == DeviceChoice::Soft || !NvRuntime::ofProcess().choose(info_);
  }
  bool takesDeviceChoice() const override { return true; }
  bool takesNativeObjects() const override { return true; }
  bool takesBlockMessages() const override { return true; } // asynchronous copies have rules for buffers too
  bool takesOverlappingArguments() const override { return true; }
  bool hasReport() const override { return true; }

  Result<const TargetInfo *> hardware(DeviceChoice choice) override {
    if (choice == DeviceChoice::OpenCl)
      return Error::environment(str("--device=opencl: ", info_.name, " runs on NVIDIA's driver or on the software device"));
    if (choice == DeviceChoice::Gpu)
      if (Result<const CuDeviceInfo *> device = NvRuntime::ofProcess().choose(info_); !device) return device.error();
    return &info_;
  }
  std::optional<TargetInfo> namedHardware(const OutputOptions &options) const override {
    return assuming(info_, {.disjoint = !options.overlappingArguments, .aligned = options.blockMessages});
  }
  std::vector<MachinePart> machineParts() const override {
    return info_.name == kAnyNvidia ? nvMachineParts() : std::vector<MachinePart>{};
  }

  Pipeline pipeline() const override { return kAsyncLanePipeline; }
  Pipeline irPipeline() const override { return kAsyncBlockPipeline; }

  // Devices that cannot be used, and a driver that does not start, are listed once: for the target of any GPU.
  Result<std::vector<DeviceText>> devices() override {
    std::vector<DeviceText> texts;
    auto gpus = NvRuntime::ofProcess().devices();
    if (gpus)
      for (const CuDeviceInfo &gpu : *gpus)
        if (runsOn(gpu, info_) || (info_.name == kAnyNvidia && !gpu.problem.empty())) texts.push_back(deviceText(gpu));
    if (!gpus && NvRuntime::ofProcess().hasDriver() && info_.name == kAnyNvidia) {
      DeviceText none;
      none.name = "NVIDIA's driver";
      none.problem = gpus.error().message;
      texts.push_back(std::move(none));
    }
    texts.push_back(deviceText(softNvInfo(info_)));
    return texts;
  }

  Result<std::unique_ptr<Executable>> compile(const Module &module, const CompileOptions &options,
                                              Diagnostics &diagnostics) override {
    GpuExecutableOptions executable;
    if (options.native.context) {
      Result<std::shared_ptr<GpuDevice>> adopted = NvRuntime::ofProcess().adopt(info_, options.native);
      if (!adopted) return adopted.error();
      executable.owned = std::move(*adopted);
    }
    Result<GpuDevice *> device = executable.owned ? executable.owned.get() : deviceFor(options.device, options.note);
    if (!device) return device.error();
    // The software device runs the module that a GPU's PTX is made from.
    auto compileCode = (*device)->info().software ? compileToNvvm : compileToPtx;
    NvEmitOptions emit;
    emit.sources = options.sources;
    Result<GpuCode> code = compileCode(module, info_, emit, diagnostics);
    if (!code) return code.error();
    executable.device = *device;
    executable.target = &info_;
    executable.optimise = options.optimise;
    executable.sources = options.sources;
    executable.remarks = options.found;
    if (options.again)
      executable.again = [again = options.again, info = info_, emit, compileCode](GpuAssumptions assumptions,
                                                                                  const Kernel &kernel) -> Result<GpuCode> {
        TargetInfo careful = assuming(info, assumptions);
        Result<std::unique_ptr<Module>> kernels = again(careful, kernel.name);
        if (!kernels) return kernels.error();
        Diagnostics repeated; // the first compilation has already reported these
        repeated.wantRemarks(false);
        return compileCode(**kernels, careful, emit, repeated);
      };
    return makeGpuExecutable(module, std::move(*code), std::move(executable));
  }

  std::span<const OutputKind> outputs() const override {
    static constexpr OutputKind kKinds[] = {OutputKind::Ptx, OutputKind::Llvm, OutputKind::SassStats, OutputKind::Library};
    return kKinds;
  }
  Result<Output> emit(const Module &module, const OutputOptions &options, Diagnostics &diagnostics) override {
    TargetInfo hardware = *namedHardware(options);
    Output output;
    for (OutputKind kind : options.kinds) {
      if (kind == OutputKind::Library) {
        Result<std::vector<OutputFile>> files = library(module, hardware, options, diagnostics);
        if (!files) return files.error();
        output.files = std::move(*files);
        continue;
      }
      Result<std::string> text = codeText(kind, module, hardware, options, diagnostics);
      if (!text) return text.error();
      output.text += *text;
    }
    return output;
  }
  std::string report(const Module &module, const SourceManager &sources) const override {
    return countsText(module, sources, &info_);
  }

private:
  Result<std::string> codeText(OutputKind kind, const Module &module, const TargetInfo &hardware, const OutputOptions &options,
                               Diagnostics &diagnostics) const {
    NvEmitOptions emit;
    emit.sources = options.sources;
    emit.stage = options.stage;
    if (kind == OutputKind::Llvm) return nvLlvmText(module, hardware, emit, diagnostics);
    Result<GpuCode> code = compileToPtx(module, hardware, emit, diagnostics);
    if (!code) return code.error();
    if (kind == OutputKind::Ptx) return ptxText(*code);
    if (options.stage) options.stage("NVIDIA's assembler (ptxas)");
    return sassText(module, *code, hardware, *options.sources, diagnostics);
  }

  // A library has the code twice: as the options say, and without assumptions about the arguments of a launch.
  static Result<std::vector<OutputFile>> library(const Module &module, const TargetInfo &hardware, const OutputOptions &options,
                                                 Diagnostics &diagnostics) {
    NvEmitOptions emit;
    emit.sources = options.sources;
    emit.stage = options.stage;
    Result<GpuCode> fast = compileToPtx(module, hardware, emit, diagnostics);
    if (!fast) return fast.error();
    TargetInfo careful = assuming(hardware, {.blockRules = false, .disjoint = false, .aligned = false});
    Result<std::unique_ptr<Module>> again = options.again(careful);
    if (!again) return again.error();
    Diagnostics repeated; // the first compilation has reported these
    repeated.wantRemarks(false);
    Result<GpuCode> other = compileToPtx(**again, careful, emit, repeated);
    if (!other) return other.error();
    return makeGpuLibrary(module, {std::move(*fast), std::move(*other)}, hardware, options, diagnostics);
  }

  DeviceText deviceText(const GpuDeviceInfo &device) const {
    DeviceText text;
    text.name = device.name;
    text.driver = str(device.api, device.driverVersion.empty() ? "" : " ", device.driverVersion);
    text.memoryBytes = device.memoryBytes;
    text.subgroupSizes = device.subgroupSizes;
    text.software = device.software;
    text.compiledFor = info_.name;
    text.problem = device.problem;
    text.choice = device.software ? DeviceChoice::Soft : DeviceChoice::Gpu;
    return text;
  }

  Result<GpuDevice *> deviceFor(DeviceChoice choice, const std::function<void(const std::string &)> &note) {
    if (Result<const TargetInfo *> there = hardware(choice); !there) return there.error();
    NvRuntime &runtime = NvRuntime::ofProcess();
    if (choice != DeviceChoice::Soft) {
      Result<const CuDeviceInfo *> gpu = runtime.choose(info_);
      if (gpu) return runtime.open(info_);
      std::string why = runtime.hasDriver() ? gpu.error().message : "no NVIDIA GPU";
      if (note) note(str(why, ": running on the software NVIDIA device"));
    }
    std::lock_guard lock(*mutex_);
    if (!soft_) soft_ = makeSoftNvDevice(info_);
    return soft_.get();
  }

  const TargetInfo &info_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>(); // of soft_; apart, as targets are moved
  std::unique_ptr<GpuDevice> soft_; // null: not used yet
};

} // namespace

std::vector<Target *> nvTargets() {
  static std::vector<NvTarget> named = [] {
    std::vector<NvTarget> all;
    for (const TargetInfo &info : targetInfos(GpuFamily::Nvidia)) all.emplace_back(info);
    return all;
  }();
  std::vector<Target *> targets;
  for (NvTarget &target : named) targets.push_back(&target);
  return targets;
}

} // namespace xt
