#include "tests/targets/differential/way.h"

#include "ir/base/text.h"
#include "ir/op_kinds.h"
#include "ir/verify/target_limits.h"
#include "passes/pass_manager.h"
#include "passes/passes.h"
#include "passes/pipelines.h"

namespace xt {

constexpr std::string_view kOpenClTarget = "spirv";

std::string Way::text() const {
  return str(target,
             gpu           ? str(lanes ? ", in lanes of " : ", in blocks of ", gpu->name)
             : distributed ? ", distributed to subgroups"
                           : "",
             device == DeviceChoice::Any ? "" : str(" on the device ", deviceChoiceName(device)),
             extensions == SpirvExtensions::None ? "" : str(" with --spirv-extensions=", extensionsName(extensions)),
             optimised ? "" : ", not optimised");
}

bool hasXe() {
  static const bool has = findTarget("xe")->hardware(DeviceChoice::Any).ok();
  return has;
}

bool hasOpenCl() {
  static const bool has = findTarget(kOpenClTarget)->hardware(DeviceChoice::OpenCl).ok();
  return has;
}

namespace {

// Whether the kernels load or store tiles in a branch. These accesses include subgroup barriers, which Intel's runtime for CPUs
// executes incorrectly if not all subgroups of a workgroup reach them (targets/xe/opencl/README.md).
bool branchesAtBarriers(Module &module) {
  bool found = false;
  auto look = [&](const Op &op) {
    OpKind kind = op.kind();
    found |= kind == OpKind::LoadTile || kind == OpKind::StoreTile || kind == OpKind::LoadNd || kind == OpKind::StoreNd ||
             kind == OpKind::SubgroupBarrier;
  };
  for (const auto &kernel : module.kernels)
    walk(kernel->body, [&](Op &op) {
      for (size_t i = 0; op.kind() == OpKind::If && i < op.regionCount(); ++i) walk(*op.region(i), look);
    });
  return found;
}

Way onInterp(const TargetInfo *gpu, bool lanes, bool races) {
  return {.target = "interp", .distributed = true, .gpu = gpu, .lanes = lanes, .races = races};
}
Way onCpu(const TargetInfo *gpu, bool lanes) {
  return {.target = "cpu", .distributed = true, .gpu = gpu, .lanes = lanes, .optimised = gpu == nullptr};
}

// The software NVIDIA device needs no driver, so these ways are always there.
void addNvidia(std::vector<Way> &ways, uint64_t seed, bool races, bool everyGpu) {
  std::span<const TargetInfo> gpus = targetInfos(GpuFamily::Nvidia);
  for (size_t i = 0; i < gpus.size(); ++i) {
    if (!everyGpu && i != seed % gpus.size()) continue;
    if (seed / gpus.size() % 4 == 2) ways.push_back(onInterp(&gpus[i], true, races));
    ways.push_back({.target = gpus[i].name, .optimised = false});
  }
}

} // namespace

std::vector<Way> waysFor(uint64_t seed, bool races, bool everyGpu) {
  std::vector<Way> ways{
      {.target = "interp", .races = races}, {.target = "cpu"}, onInterp(nullptr, false, races), onCpu(nullptr, false)};
  addNvidia(ways, seed, races, everyGpu);
  size_t gpus = targetInfos(GpuFamily::Xe).size(), own = seed % gpus;
  for (size_t i = 0; i < gpus; ++i) {
    if (!everyGpu && i != own) continue;
    const TargetInfo *gpu = &targetInfos(GpuFamily::Xe)[i];
    // Some ways are used for some seeds only, because compiling many small blocks for the CPU is slow, and the interpreter runs
    // each lane separately.
    uint64_t turn = (seed / gpus + (everyGpu ? i : 0)) % 4;
    ways.push_back(onInterp(gpu, false, races));
    if (everyGpu || turn == 0) ways.push_back(onCpu(gpu, false));
    if (turn == 0) ways.push_back(onCpu(gpu, true));
    if (turn == 1) ways.push_back(onInterp(gpu, true, races));
    const bool payloads = gpu->blocks.any() && turn == 3; // of block messages, in registers
    if (hasXe())
      ways.push_back({.target = gpu->name,
                      .optimised = i == own,
                      .extensions = payloads ? SpirvExtensions::InlineAssembly : SpirvExtensions::None});
    else if (everyGpu) // a check on every GPU may not leave out some
      ADD_FAILURE() << "no Xe device for " << gpu->name << ": the software device needs libze1, llvm-spirv-15, and its driver "
                    << "in ../lib of the program's folder";
    if (gpu->name == kOpenClTarget && hasOpenCl())
      ways.push_back({.target = kOpenClTarget, .optimised = i == own, .device = DeviceChoice::OpenCl});
  }
  return ways;
}

std::unique_ptr<Module> CompiledWay::passed(const TargetInfo *hardware) {
  auto lowered = lowerFile(sources_, sources_.add("kernel.xt", text_), context_, {}, diagnostics_);
  if (!lowered) return nullptr;
  std::vector<std::string_view> names = passNames(findTarget(way_.target)->pipeline()), first;
  if (way_.lanes)
    first = passNames(kLanePipeline);
  else if (way_.gpu)
    first = passNames(kBlockPipeline);
  else if (way_.distributed)
    first = {"infer-layouts", "widen-reductions", "distribute-to-subgroups"};
  names.insert(names.begin(), first.begin(), first.end());
  auto passes = passesNamed(names);
  if (!passes) return nullptr;
  PassOptions options;
  options.verifyEach = true;
  options.target = hardware;
  return runPasses(**lowered, *passes, options, diagnostics_) ? std::move(*lowered) : nullptr;
}

CompiledWay::Outcome CompiledWay::make() {
  Target *target = findTarget(way_.target);
  Result<const TargetInfo *> hardware = target->hardware(way_.device);
  if (!hardware) return error_ = hardware.error().message, Outcome::Failed;
  module_ = passed(way_.gpu ? way_.gpu : *hardware);
  if (!module_) return Outcome::Failed;
  if (*hardware) {
    if (!checkTargetLimits(*module_, **hardware, sources_, diagnostics_)) return Outcome::Refused;
    for (const auto &kernel : module_->kernels)
      if (error_ = target->whyUnsupported(*kernel, *hardware); !error_.empty()) return Outcome::Refused;
  }
  if (way_.device == DeviceChoice::OpenCl && branchesAtBarriers(*module_))
    return error_ = "subgroup barriers behind branches", Outcome::Refused;
  CompileOptions options;
  options.threads = way_.target == "cpu" ? 3 : 1; // with more than one thread, the work is divided
  options.optimise = way_.optimised;
  options.device = way_.device;
  options.extensions = way_.extensions;
  options.checks.race = way_.races;
  options.checks.uninit = way_.races && !way_.distributed; // such reads differ between targets
  options.found = &found_;
  options.again = [this](const TargetInfo &other, std::string_view) -> Result<std::unique_ptr<Module>> {
    std::unique_ptr<Module> made = passed(&other);
    if (!made) return Error::diagnosed();
    return made;
  };
  auto executable = target->compile(*module_, options, diagnostics_);
  if (!executable) return error_ = executable.error().message, Outcome::Failed;
  executable_ = std::move(*executable);
  return Outcome::Made;
}

std::string CompiledWay::messages() const { return renderText(diagnostics_, sources_, false) + error_; }

} // namespace xt
