// A target: compiles a module's kernels and runs them on buffers (ir/launch.h: arguments and grids).
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/checks.h"
#include "ir/launch.h"
#include "ir/module.h"
#include "ir/target_info.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace xt {

class Arithmetic;

// Which device a target takes where it has the choice: of Any the first that is there, a GPU or else the software device.
// OpenCl: the first device of OpenCL that can run it.
enum class DeviceChoice : uint8_t { Any, Gpu, Soft, OpenCl };
inline constexpr DeviceChoice kDeviceChoices[] = {DeviceChoice::Gpu, DeviceChoice::Soft, DeviceChoice::OpenCl}; // what users can ask for
std::string_view deviceChoiceName(DeviceChoice choice);                         // "gpu", as --device takes it; "any"
std::optional<DeviceChoice> deviceChoiceNamed(std::string_view name);           // one of kDeviceChoices

struct CompileOptions {
  int threads = 0;              // of the device, 0: all
  PrintSink print = {};         // of what kernels print; none: it is dropped
  Checks checks = {};           // of the interpreter
  Arithmetic *arithmetic = nullptr; // of the interpreter; none: IEEE's. Outlives the executable
  Diagnostics *found = nullptr; // takes what the checks find, and remarks on launches; outlives the executable
  DeviceChoice device = DeviceChoice::Any;
  bool optimise = true;         // the code; without, it is made sooner and runs slower, with the same results
  std::string cacheDirectory = {}; // where compiled code is kept for later processes; "": nowhere
  uint64_t cacheBytes = uint64_t{256} << 20; // how much of it at most
  std::function<void(const std::string &)> note = {}; // takes what users are told: which device stands in for a GPU
  // The module once more from its source, taken through the target's pipeline() for other hardware. Outlives the
  // executable; none: it cannot be had.
  std::function<Result<std::unique_ptr<Module>>(const TargetInfo &)> again = {};
  // Of the module; outlives the executable. GPU code then names its lines, for profilers and for the device's faults.
  const SourceManager *sources = nullptr;
};

// What a device can do at most, measured: products and sums of `elem` a second, two for each multiplication that is
// added; bytes read and written a second. 0: not known.
struct MachineRates {
  Elem elem = Elem::F32;
  double operations = 0, bytes = 0;
};

class Executable {
public:
  virtual ~Executable() = default;
  // Runs every workgroup of one kernel and waits. An Error carries what failed, e.g. an assert.
  virtual Result<void> launch(const Kernel &kernel, const std::vector<LaunchArg> &args,
                              const std::vector<GridRange> &grid) = 0;
  // How long the kernel of the last launch ran by the device's own clock, copies aside; nullopt: it has none.
  virtual std::optional<double> kernelSeconds() const { return std::nullopt; }
  // Of what launches run on, for kernels that multiply `elem`; another type stands in for one that has no instructions.
  virtual std::optional<MachineRates> machineRates(Elem) { return std::nullopt; }
  // Takes memory out of all caches; false: cannot.
  virtual bool evict(const void *, int64_t /*bytes*/) { return false; }
};

// A device that a target can use, for `xtrun --devices`.
struct DeviceText {
  std::string name, driver; // driver: "Level Zero 1.3.24595"; "" for none
  int64_t memoryBytes = 0;  // 0: not known
  std::vector<int64_t> subgroupSizes; // none: any
  bool software = false;
  std::string compiledFor; // the hardware that kernels are compiled for; "" where the target says it
  std::string problem;     // why it cannot be used
};

// Something of this machine that a target uses, for `xtrun --doctor`.
struct Requirement {
  std::string what; // "the Level Zero loader"
  bool found = false;
  bool needed = true; // without it the target does not run; else only less is possible
  std::string text;   // what was found, or why nothing was
  std::string remedy; // what to do where it was not found
};

class Target {
public:
  virtual ~Target() = default;
  virtual std::string_view name() const = 0;    // "cpu"
  virtual std::string_view summary() const = 0; // one line for --help and --devices
  virtual bool wantsSmallSizes(DeviceChoice device) const = 0; // runs the `small` sizes of tests
  virtual bool takesDeviceChoice() const { return false; }
  // The hardware that the passes of pipeline() are told; null: they need none. An Error where the device is not there.
  virtual Result<const TargetInfo *> hardware(DeviceChoice) { return nullptr; }
  // Why a kernel cannot run there whatever its code is ("it uses f64, which …"), so that tests which launch it are
  // skipped; "": it can. `hardware` is hardware()'s.
  virtual std::string whyUnsupported(const Kernel &, const TargetInfo *) const { return ""; }
  // What it can run on; an Error where that cannot be found out.
  virtual Result<std::vector<DeviceText>> devices() { return std::vector<DeviceText>{}; }
  // What it uses of this machine. Nothing of it is started: a driver that crashes does so in devices().
  virtual std::vector<Requirement> requirements() const { return {}; }
  // The names of the passes (passes/passes.def) that bring a module to what compile() takes.
  virtual std::vector<std::string_view> pipeline() const = 0;
  virtual Result<std::unique_ptr<Executable>> compile(const Module &module, const CompileOptions &options,
                                                      Diagnostics &diagnostics) = 0;
};

// All targets in a fixed order; null for an unknown name.
std::vector<Target *> allTargets();
Target *findTarget(std::string_view name);

} // namespace xt
