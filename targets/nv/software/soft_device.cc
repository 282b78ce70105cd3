#include "targets/nv/software/soft_device.h"

#include "ir/base/text.h"
#include "targets/gpu/kept_builds.h"
#include "targets/nv/software/mutations.h"
#include "targets/soft/bank_conflicts.h"
#include "targets/soft/launch.h"
#include "targets/soft/memory.h"

#include <chrono>
#include <limits>

namespace xt {
namespace {

class SoftKernel final : public GpuDeviceKernel {
public:
  SoftKernel(std::shared_ptr<soft::Program> program, const soft::LoweredKernel &kernel, uint32_t items)
      : program_(std::move(program)) {
    request_.kernel = &kernel;
    request_.arguments.resize(kernel.arguments.size());
    request_.localBytes.resize(kernel.arguments.size());
    request_.groupSize = {items, 1, 1};
  }

  Result<void> setArgument(uint32_t index, const GpuArgument &argument) override {
    if (index >= request_.arguments.size() || argument.bytes != request_.kernel->arguments[index].bytes)
      return Error::environment(
          str("argument ", index, " of ", request_.kernel->name, " does not have ", argument.bytes, " bytes"));
    const auto *bytes = reinterpret_cast<const std::byte *>(&argument.bits);
    request_.arguments[index].assign(bytes, bytes + argument.bytes);
    return {};
  }
  int64_t spillBytes() const override { return 0; }

  // `mutations`: null, or what tries the launch without one of its barriers first.
  std::optional<std::string> run(const std::array<uint32_t, 3> &workgroups, const soft::DeviceSettings &settings,
                                 Mutations *mutations) {
    request_.groupCount = workgroups;
    if (std::string mistake = soft::launchMistake(request_, settings); !mistake.empty()) return mistake;
    if (mutations) mutations->tryAll(program_, request_, settings);
    std::atomic<bool> stop = false;
    bankConflicts_.clear();
    request_.bankConflicts = &bankConflicts_;
    return soft::runLaunch(*program_, request_, settings, stop);
  }
  std::string bankText() const { return bankConflicts_.text(program_->lowered().sites); }

private:
  std::shared_ptr<soft::Program> program_;
  soft::LaunchRequest request_;
  soft::BankConflicts bankConflicts_;
};

// Runs each call at once, in the thread of the caller and those of the launch.
class SoftNvDevice final : public GpuDevice {
public:
  explicit SoftNvDevice(const TargetInfo &target) : info_(softNvInfo(target)), settings_(soft::nvidiaSettings(target)) {
    if (!settings_.mutations.empty()) mutations_ = std::make_unique<Mutations>(settings_.mutations);
  }

  const GpuDeviceInfo &info() const override { return info_; }

  Result<std::byte *> allocate(Where where, size_t bytes, size_t alignment) override {
    auto kind = where == Where::Device ? soft::MemoryKind::Device : soft::MemoryKind::Host;
    void *memory = soft::DeviceMemory::instance().allocate(bytes, alignment, kind);
    if (!memory) return Error::environment(str("the software device has no memory for ", bytes, " bytes"));
    return static_cast<std::byte *>(memory);
  }
  void release(std::byte *memory) override { soft::DeviceMemory::instance().free(memory); }
  void tellBuffer(void *allocation, size_t first, size_t bytes, const std::string &name) override {
    soft::DeviceMemory::instance().setBuffer(allocation, first, bytes, name);
  }

  Result<std::unique_ptr<GpuDeviceKernel>> load(std::span<const uint8_t> binary, const GpuKernel &code,
                                                bool optimise) override {
    auto program = programs_.get(binary, optimise ? "" : "not optimised", [&]() -> Result<std::shared_ptr<soft::Program>> {
      Result<std::unique_ptr<soft::Program>> built = soft::Program::buildNvvm(binary, settings_, optimise);
      if (!built) return built.error();
      return std::shared_ptr<soft::Program>(std::move(*built));
    });
    if (!program) return program.error();
    const soft::LoweredKernel *kernel = (*program)->find(code.entry);
    if (!kernel) return Error::environment(str("the module has no kernel ", code.entry));
    auto items = static_cast<uint32_t>(code.subgroups * code.subgroupSize);
    return std::unique_ptr<GpuDeviceKernel>(std::make_unique<SoftKernel>(*program, *kernel, items));
  }

  Result<void> copy(void *to, const void *from, size_t bytes) override {
    if (bytes) std::memcpy(to, from, bytes);
    return {};
  }
  Result<void> launch(GpuDeviceKernel &kernel, const std::array<uint32_t, 3> &workgroups) override {
    auto begin = std::chrono::steady_clock::now();
    std::optional<std::string> report = static_cast<SoftKernel &>(kernel).run(workgroups, settings_, mutations_.get());
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (report) return Error::kernel(*report);
    note_ = static_cast<SoftKernel &>(kernel).bankText();
    return {};
  }
  std::string launchNote() override { return note_; }
  Result<void> finish() override { return {}; }
  Result<double> kernelSeconds() override { return seconds_; }

private:
  GpuDeviceInfo info_;
  soft::DeviceSettings settings_;
  std::unique_ptr<Mutations> mutations_; // null: launches are run only as they are
  KeptBuilds<soft::Program> programs_;
  double seconds_ = 0;
  std::string note_;
};

} // namespace

GpuDeviceInfo softNvInfo(const TargetInfo &target) {
  GpuDeviceInfo info;
  info.api = "in this process";
  info.name = soft::nvidiaSettings(target).name;
  info.software = true;
  info.target = &target;
  info.subgroupSizes.assign(target.subgroupSizes.begin(), target.subgroupSizes.end());
  info.slmBytes = target.slmBytes;
  info.lanesPerWorkgroup = target.lanesPerWorkgroup;
  // The largest grid of CUDA (CUDA C++ Programming Guide, "Technical specifications per compute capability").
  constexpr uint64_t kMostInX = std::numeric_limits<int32_t>::max(), kMostInOthers = std::numeric_limits<uint16_t>::max();
  info.mostWorkgroups = {kMostInX, kMostInOthers, kMostInOthers};
  info.f64 = target.f64;
  return info;
}

std::unique_ptr<GpuDevice> makeSoftNvDevice(const TargetInfo &target) { return std::make_unique<SoftNvDevice>(target); }

} // namespace xt
