// A target: compiles a module's kernels and runs them on buffers (ir/launch.h: arguments and grids).
#pragma once
#include "ir/base/check.h"
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/checks.h"
#include "ir/gpu/target_info.h"
#include "ir/launch.h"
#include "ir/module.h"
#include "passes/pipelines.h"
#include "targets/output.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace xt {

class Arithmetic;

// The device that a target uses where several are possible. Any: the first available one, a GPU before the software
// device. OpenCl: the first OpenCL device that can run the target's code.
enum class DeviceChoice : uint8_t { Any, Gpu, Soft, OpenCl };
inline constexpr DeviceChoice kDeviceChoices[] = {DeviceChoice::Gpu, DeviceChoice::Soft,
                                                  DeviceChoice::OpenCl}; // the choices that --device takes
std::string_view deviceChoiceName(DeviceChoice choice); // the name that --device takes: "gpu"; "any" for Any
std::optional<DeviceChoice> deviceChoiceNamed(std::string_view name);           // one of kDeviceChoices

// Objects of a driver that belong to the caller, for GPU targets. Level Zero: a ze_context_handle_t, a ze_device_handle_t, and an
// immediate command list or null; CUDA: a CUcontext, the number of its CUdevice, and a CUstream or null. They outlive the executable.
struct NativeObjects {
  void *context = nullptr, *device = nullptr, *queue = nullptr; // no context: the target makes its own objects
  bool operator==(const NativeObjects &) const = default;
};

struct CompileOptions {
  int threads = 0; // number of threads of the device, 0: all
  PrintSink print = {}; // receives the output of kernels' prints; if empty, it is dropped
  Checks checks = {}; // for the interpreter
  Arithmetic *arithmetic = nullptr; // for the interpreter; null: IEEE arithmetic. Outlives the executable
  Diagnostics *found = nullptr; // receives the results of the checks, and remarks on launches; outlives the executable
  DeviceChoice device = DeviceChoice::Any;
  NativeObjects native = {}; // for targets that take them (Target::takesNativeObjects)
  SpirvExtensions extensions = SpirvExtensions::Auto;
  bool optimise = true; // optimise the code; otherwise it compiles faster and runs slower, with the same results
  std::string cacheDirectory = {}; // where compiled code is cached for later processes; "": nowhere
  uint64_t cacheBytes = uint64_t{256} << 20; // size limit of that cache
  std::function<void(const std::string &)> note = {}; // receives messages for users, e.g. which device replaces a GPU
  // Builds the kernel of this name from its source once more, and runs the target's pipeline() for other hardware. The module may
  // have other kernels, too. Outlives the executable; empty: not available.
  std::function<Result<std::unique_ptr<Module>>(const TargetInfo &, std::string_view kernel)> again = {};
  // The module's sources; they outlive the executable. With them, GPU code names its source lines, for profilers and
  // device faults.
  const SourceManager *sources = nullptr;
};

// Measured peak rates of a device: operations on `elem` per second, where a multiply-add counts as two, and bytes
// read and written per second. 0: unknown.
struct MachineRates {
  Elem elem = kF32Elem;
  double operations = 0, bytes = 0;
};

// When a launch is to end before it is done.
struct LaunchStop {
  using Clock = std::chrono::steady_clock;
  const int32_t *flag = nullptr; // another thread makes it not 0
  Clock::time_point end = Clock::time_point::max();

  bool wanted() const { return flag || end != Clock::time_point::max(); }
  bool due() const {
    return (flag && __atomic_load_n(flag, __ATOMIC_RELAXED) != 0) || (end != Clock::time_point::max() && Clock::now() >= end);
  }
};

class Executable {
public:
  virtual ~Executable() = default;
  // Runs every workgroup of one kernel and waits for the end. An Error says what failed, e.g. an assert.
  virtual Result<void> launch(const Kernel &kernel, const std::vector<LaunchArg> &args, const std::vector<GridRange> &grid) = 0;
  // The same, but no workgroup begins once `stop` is due. Returns an Error and sets `stopped` if some have not run. Called only if
  // stopsLaunches().
  virtual Result<void> launchUntil(const Kernel &, const std::vector<LaunchArg> &, const std::vector<GridRange> &,
                                   const LaunchStop & /*stop*/, bool & /*stopped*/) {
    XT_UNREACHABLE("the target cannot stop launches");
  }
  virtual bool stopsLaunches() const { return false; }

  // Memory that launches use without copies, at a multiple of 64 bytes, and copies between it and memory of the host. By default it is
  // memory of the host.
  static constexpr size_t kMemoryAlignment = 64;
  virtual Result<std::byte *> allocate(size_t bytes) {
    size_t rounded = (bytes + kMemoryAlignment - 1) / kMemoryAlignment * kMemoryAlignment;
    void *memory = rounded < bytes ? nullptr : std::aligned_alloc(kMemoryAlignment, std::max(rounded, kMemoryAlignment));
    if (memory) return static_cast<std::byte *>(memory);
    return Error::environment("no memory of " + std::to_string(bytes) + " bytes");
  }
  virtual void release(std::byte *memory) { std::free(memory); }
  // Whether launches use an array at this address in place because it is in memory of their device; false where that is the processor.
  virtual Result<bool> sees(const void *) { return false; }
  virtual Result<void> copy(void *to, const void *from, size_t bytes) {
    std::memcpy(to, from, bytes);
    return {};
  }

  // Run time of the last launch's kernel by the device's own clock, without copies; nullopt: the device has no clock.
  virtual std::optional<double> kernelSeconds() const { return std::nullopt; }
  // Peak rates of the launch device for kernels that multiply `elem`. If it has no instructions for that type, the
  // rates are those of another type.
  virtual std::optional<MachineRates> machineRates(Elem) { return std::nullopt; }
  // Evicts memory from all caches; false: not possible.
  virtual bool evict(const void *, int64_t /*bytes*/) { return false; }
};

// A device that a target can use, for `xtrun --devices`.
struct DeviceText {
  std::string name, driver; // driver: "Level Zero 1.3.24595"; "": no driver
  int64_t memoryBytes = 0; // 0: not known
  std::vector<int64_t> subgroupSizes; // empty: any size
  bool software = false;
  std::string compiledFor; // the hardware that kernels are compiled for; "": the target determines it
  std::string problem; // why the device cannot be used; "": it can be
  DeviceChoice choice = DeviceChoice::Any; // the choice that selects this device
  bool onDemand = false; // used only if the user selects it, so the target works without it
  // What the driver says to inline assembly in SPIR-V (GpuDevice::inlineAssembly), where kernels would have some; "": they have none.
  std::string inlineAssembly = {};
  bool takesInlineAssembly = false;
};

// A part of this machine that a target needs or can use, for `xtrun --doctor`.
struct MachinePart {
  std::string what; // "the Level Zero loader"
  bool found = false;
  bool needed = true; // the target does not run without it; if false, only some features are missing
  std::string text; // what was found, or why nothing was
  std::string remedy; // how to install the part if it was not found
};

class Target {
public:
  virtual ~Target() = default;
  virtual std::string_view name() const = 0; // "cpu"
  virtual std::string_view summary() const = 0; // one line for --help and --devices
  virtual bool wantsSmallSizes(DeviceChoice device) const = 0; // runs the `small` sizes of tests
  // Whether the target takes an option. Each option sets the member with a similar name in CompileOptions or OutputOptions.
  virtual bool takesDeviceChoice() const { return false; }
  virtual bool takesNativeObjects() const { return false; }
  virtual bool takesIntelExtensions() const { return false; }
  virtual bool takesBlockMessages() const { return false; }
  virtual bool takesOverlappingArguments() const { return false; }
  virtual bool hasReport() const { return false; } // whether report() may be called

  // The hardware for which the passes of pipeline() run; null: they depend on none. An Error if the device is not
  // available.
  virtual Result<const TargetInfo *> hardware(DeviceChoice) { return nullptr; }
  // The same for code that runs on objects of the caller, which the options name.
  virtual Result<const TargetInfo *> hardwareOf(const CompileOptions &options) { return hardware(options.device); }
  // The hardware that the target is named after, for which code can be made without the device; nullopt: there is none.
  virtual std::optional<TargetInfo> namedHardware(const OutputOptions &) const { return std::nullopt; }
  // Why the target cannot run a kernel whatever its code is ("it uses f64, which …"), so that tests which launch it
  // are skipped; "": it can run it. `hardware` is the result of hardware().
  virtual std::string whyUnsupported(const Kernel &, const TargetInfo *) const { return ""; }
  // The devices that the target can run on; an Error if they cannot be determined.
  virtual Result<std::vector<DeviceText>> devices() { return std::vector<DeviceText>{}; }
  // The devices on which `xtrun --doctor` runs a kernel. The argument holds the devices of all targets, as listed by devices().
  virtual std::vector<DeviceChoice> checkedDevices(std::span<const DeviceText>) const { return {DeviceChoice::Any}; }
  // The parts of this machine that the target uses. Must not start a driver, which could crash: that happens only in devices().
  virtual std::vector<MachinePart> machineParts() const { return {}; }

  // The passes that lower a module to the form that compile() and emit() take.
  virtual Pipeline pipeline() const = 0;
  // The passes that run before `xtc` prints the IR and before report() counts: those up to the level that people read.
  virtual Pipeline irPipeline() const { return pipeline(); }
  virtual Result<std::unique_ptr<Executable>> compile(const Module &module, const CompileOptions &options,
                                                      Diagnostics &diagnostics) = 0;

  // The kinds of output that emit() takes. To make the first one, all steps of code generation run.
  virtual std::span<const OutputKind> outputs() const { return {}; }
  // All of `options.kinds` must be among outputs(). The output is always the same for the same module and options.
  virtual Result<Output> emit(const Module &, const OutputOptions &, Diagnostics &) {
    XT_UNREACHABLE("the target has no outputs");
  }
  // Reports remarks on code generation, for `xtc --remarks` without --emit. The module has run irPipeline() only, so targets
  // with a longer pipeline() report none.
  virtual Result<void> remarkOnCode(const Module &, const OutputOptions &, Diagnostics &) { return {}; }
  // The hardware operations of a module after irPipeline(), by kernel. Called only if hasReport().
  virtual std::string report(const Module &, const SourceManager &) const { XT_UNREACHABLE("the target has no report"); }
};

// All targets in a fixed order. findTarget() returns null for an unknown name.
std::vector<Target *> allTargets();
Target *findTarget(std::string_view name);

} // namespace xt
