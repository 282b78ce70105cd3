#include "targets/xe/xe_target.h"

#include "ir/base/text.h"
#include "ir/gpu/block_counts.h"
#include "targets/gpu/executable.h"
#include "targets/xe/code_output.h"
#include "targets/xe/device/device_choice.h"
#include "targets/xe/device_code.h"
#include "targets/xe/device_limits.h"
#include "targets/xe/emit/emit.h"
#include "targets/xe/isa/offline_compiler.h"
#include "targets/xe/runtime.h"
#include "targets/xe/unsupported.h"

#include <algorithm>
#include <map>

namespace xt {
namespace {

constexpr std::string_view kAnyXe = "xe"; // compiles for the device that is present
constexpr std::string_view kOpenCl = "OpenCL"; // an interface's name (GpuDeviceInfo::api)
constexpr std::string_view kGeneric = "spirv";

// Whether a target compiles for any device, within its limits.
bool isForAnyDevice(std::string_view target) {
  const TargetInfo *info = findTargetInfo(target);
  return info && info->anyDevice;
}

DeviceText deviceText(const GpuDeviceInfo &device) {
  DeviceText text{device.name,        str(device.api, device.driverVersion.empty() ? "" : " ", device.driverVersion),
                  device.memoryBytes, device.subgroupSizes,
                  device.software,    {},
                  device.problem};
  if (device.target) text.compiledFor = device.target->name;
  text.onDemand = device.api == kOpenCl;
  text.choice = text.onDemand ? DeviceChoice::OpenCl : device.software ? DeviceChoice::Soft : DeviceChoice::Gpu;
  return text;
}

// Adds what the driver says to inline assembly, if `code`, the hardware that kernels are compiled for, has messages for it.
void addInlineAssembly(const GpuDeviceInfo &device, const TargetInfo *code, DeviceText &text) {
  if (!device.problem.empty() || !code || !code->blocks.any()) return;
  Result<GpuDevice *> open = XeRuntime::ofProcess().open(device);
  Result<DriverAnswer> answer = open ? inlineAssemblyOf(**open) : Result<DriverAnswer>(open.error());
  text.takesInlineAssembly = answer && answer->taken;
  text.inlineAssembly = answer ? answer->why : answer.error().message;
}

// The entry that is listed in place of an interface's devices if these cannot be listed.
DeviceText whyNone(std::string_view interface, const Error &error) {
  DeviceText text;
  text.name = interface;
  text.onDemand = interface == kOpenCl;
  text.problem = error.message;
  return text;
}

class XeTarget final : public Target {
public:
  XeTarget(std::string_view name, std::string_view summary) : name_(name), summary_(summary) {}

  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return summary_; }
  bool takesDeviceChoice() const override { return true; }
  bool takesNativeObjects() const override { return true; }
  bool takesIntelExtensions() const override { return !isForAnyDevice(name_); }
  bool takesBlockMessages() const override { return name_ != kAnyXe; }
  bool takesOverlappingArguments() const override { return name_ != kAnyXe; }
  bool hasReport() const override { return name_ != kAnyXe; }

  bool wantsSmallSizes(DeviceChoice choice) const override {
    Result<const GpuDeviceInfo *> device = XeRuntime::ofProcess().choose(name_, choice);
    return !device || !(*device)->hardware;
  }

  Result<const TargetInfo *> hardware(DeviceChoice choice) override {
    Result<const GpuDeviceInfo *> device = XeRuntime::ofProcess().choose(name_, choice);
    if (!device) return device.error();
    return targetOn(**device);
  }
  Result<const TargetInfo *> hardwareOf(const CompileOptions &options) override {
    if (!options.native.context) return hardware(options.device);
    Result<const GpuDeviceInfo *> device = XeRuntime::ofProcess().described(name_, options.native);
    if (!device) return device.error();
    return targetOn(**device);
  }

  std::optional<TargetInfo> namedHardware(const OutputOptions &options) const override {
    const TargetInfo *named = findTargetInfo(name_);
    if (!named) return std::nullopt;
    return assuming(*named, {options.blockMessages, !options.overlappingArguments});
  }

  std::string whyUnsupported(const Kernel &kernel, const TargetInfo *hardware) const override {
    return hardware ? xt::whyUnsupported(kernel, *hardware) : "";
  }

  // `xe` is also checked on the software device if there is a GPU, and the generic target on an OpenCL device if there is one.
  std::vector<DeviceChoice> checkedDevices(std::span<const DeviceText> devices) const override {
    auto has = [&](DeviceChoice choice) {
      return std::ranges::any_of(devices, [&](const DeviceText &device) {
        return device.choice == choice && device.problem.empty() && !device.software;
      });
    };
    if (name_ == kAnyXe && has(DeviceChoice::Gpu)) return {DeviceChoice::Gpu, DeviceChoice::Soft};
    if (name_ == kGeneric && has(DeviceChoice::OpenCl)) return {DeviceChoice::OpenCl, DeviceChoice::Any};
    return {DeviceChoice::Any};
  }

  std::vector<MachinePart> machineParts() const override {
    return name_ == kAnyXe ? xeMachineParts() : std::vector<MachinePart>{};
  }

  Pipeline pipeline() const override { return kLanePipeline; }
  Pipeline irPipeline() const override { return kBlockPipeline; }

  Result<std::vector<DeviceText>> devices() override {
    XeRuntime &runtime = XeRuntime::ofProcess();
    auto levelZero = runtime.devices(DeviceChoice::Any), openCl = runtime.devices(DeviceChoice::OpenCl);
    if (!levelZero && !openCl) return levelZero.error();
    std::vector<DeviceText> texts;
    for (const auto *devices : {&levelZero, &openCl}) {
      if (!*devices) continue;
      for (const GpuDeviceInfo *device : **devices)
        if (name_ == kAnyXe || (device->problem.empty() && runsOn(*device, name_))) {
          texts.push_back(deviceText(*device));
          addInlineAssembly(*device, name_ == kAnyXe ? device->target : findTargetInfo(name_), texts.back());
        }
    }
    if (name_ != kAnyXe) return texts;
    if (!levelZero) texts.push_back(whyNone("Level Zero", levelZero.error()));
    if (!openCl) texts.push_back(whyNone(kOpenCl, openCl.error()));
    return texts;
  }

  Result<std::unique_ptr<Executable>> compile(const Module &module, const CompileOptions &options,
                                              Diagnostics &diagnostics) override {
    Result<const TargetInfo *> target = hardwareOf(options);
    if (!target) return target.error();
    GpuExecutableOptions executable;
    if (options.native.context) {
      Result<std::shared_ptr<GpuDevice>> adopted = XeRuntime::ofProcess().adopt(name_, options.native);
      if (!adopted) return adopted.error();
      executable.owned = std::move(*adopted);
    }
    Result<GpuDevice *> device = executable.owned ? executable.owned.get() : XeRuntime::ofProcess().open(name_, options.device);
    if (!device) return device.error();
    if (!executable.owned && (*device)->info().software && options.device == DeviceChoice::Any && options.note)
      options.note("no Intel GPU: running on the software device");
    XeEmitOptions emit;
    emit.sources = options.sources;
    emit.extensions = options.extensions;
    if (needsExtensions(emit.extensions) && (*target)->anyDevice)
      return Error::environment(str((*device)->info().name, " is not an Intel GPU, but Intel's SPIR-V extensions need one"));
    Result<GpuCode> program = compileForDevice(module, **target, emit, **device, diagnostics, options.found);
    if (!program) return program.error();
    executable.device = *device;
    executable.target = *target;
    executable.optimise = options.optimise;
    executable.sources = options.sources;
    executable.remarks = options.found;
    if (options.again)
      executable.again = [again = options.again, info = *target, emit,
                          on = *device](GpuAssumptions assumptions, const Kernel &kernel) mutable -> Result<GpuCode> {
        TargetInfo careful = assuming(*info, assumptions);
        Result<std::unique_ptr<Module>> kernels = again(careful, kernel.name);
        if (!kernels) return kernels.error();
        Diagnostics repeated; // the first compilation has already reported these
        repeated.wantRemarks(false);
        emit.blockMessages = assumptions.blockRules;
        return compileForDevice(**kernels, careful, emit, *on, repeated, nullptr); // the first remark is enough
      };
    return makeGpuExecutable(module, std::move(*program), std::move(executable));
  }

  std::span<const OutputKind> outputs() const override {
    static constexpr OutputKind kKinds[] = {OutputKind::Spirv,  OutputKind::Llvm,    OutputKind::SpirvText,
                                            OutputKind::Launch, OutputKind::Library, OutputKind::Isa};
    std::span<const OutputKind> kinds = kKinds;
    if (name_ == kAnyXe) return {}; // the device is not known before a launch
    return offlineDevice(name_).empty() ? kinds.first(kinds.size() - 1) : kinds;
  }
  Result<Output> emit(const Module &module, const OutputOptions &options, Diagnostics &diagnostics) override {
    return xeOutput(module, *namedHardware(options), options, diagnostics);
  }
  std::string report(const Module &module, const SourceManager &sources) const override {
    return countsText(module, sources, findTargetInfo(name_));
  }

private:
  // The hardware that code for a device is compiled for.
  const TargetInfo *targetOn(const GpuDeviceInfo &device) {
    const TargetInfo *target = name_ == kAnyXe ? device.target : findTargetInfo(name_);
    return target->anyDevice ? limitedBy(device, *target) : target;
  }
  const TargetInfo *limitedBy(const GpuDeviceInfo &device, const TargetInfo &generic) {
    std::lock_guard lock(*mutex_);
    std::unique_ptr<DeviceLimits> &limits = limits_[&device];
    if (!limits) limits = std::make_unique<DeviceLimits>(generic, device);
    return &limits->info();
  }

  std::string_view name_, summary_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>(); // of limits_; apart, as targets are moved
  std::map<const GpuDeviceInfo *, std::unique_ptr<DeviceLimits>> limits_;
};

} // namespace

std::vector<Target *> xeTargets() {
  static XeTarget any(kAnyXe, "an Intel GPU through Level Zero; where there is none, the software device");
  static std::vector<XeTarget> named = [] {
    std::vector<XeTarget> all;
    for (const TargetInfo &info : targetInfos(GpuFamily::Xe)) all.emplace_back(info.name, info.summary);
    return all;
  }();
  std::vector<Target *> targets{&any};
  for (XeTarget &target : named) targets.push_back(&target);
  return targets;
}

TargetInfo assuming(const TargetInfo &target, GpuAssumptions assumptions) {
  TargetInfo careful = target;
  careful.checksOverlaps &= assumptions.disjoint;
  if (assumptions.blockRules) return careful;
  careful.blocks = {};
  careful.blockShapes = {};
  careful.lineWords = {};
  careful.lineBytes = 0;
  return careful;
}

} // namespace xt
