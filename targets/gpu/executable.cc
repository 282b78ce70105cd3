#include "targets/gpu/executable.h"

#include "ir/base/text.h"
#include "ir/interp/disjoint_arguments.h"
#include "targets/gpu/arguments.h"
#include "targets/gpu/failure.h"
#include "targets/gpu/memory.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <list>

namespace xt {
namespace {

// A program, and the kernels of it that have been loaded on the device.
class LoadedProgram {
public:
  LoadedProgram(GpuDevice &device, GpuCode program, bool optimise)
      : device_(device), program_(std::move(program)), optimise_(optimise) {}

  // The kernel with this index in the program, loaded on first use.
  Result<GpuDeviceKernel *> kernel(size_t index) {
    if (kernels_.size() < program_.kernels.size()) kernels_.resize(program_.kernels.size());
    std::unique_ptr<GpuDeviceKernel> &made = kernels_[index];
    if (made) return made.get();
    Result<std::unique_ptr<GpuDeviceKernel>> kernel = device_.load(program_.binary, program_.kernels[index], optimise_);
    if (!kernel) return kernel.error();
    made = std::move(*kernel);
    return made.get();
  }
  const GpuKernel &code(size_t index) const { return program_.kernels[index]; }
  size_t count() const { return program_.kernels.size(); }
  std::optional<size_t> indexOf(const std::string &name) const {
    auto found = std::ranges::find(program_.kernels, name, &GpuKernel::name);
    if (found == program_.kernels.end()) return std::nullopt;
    return static_cast<size_t>(found - program_.kernels.begin());
  }
  void unload() { kernels_.clear(); }

private:
  GpuDevice &device_;
  GpuCode program_;
  bool optimise_;
  std::vector<std::unique_ptr<GpuDeviceKernel>> kernels_;
};

// The number of workgroups in x, y and z: x counts the last grid variable, y the one before it, and z all others together.
std::array<uint64_t, 3> workgroupsOf(const std::vector<GridRange> &grid) {
  std::array<uint64_t, 3> counts{1, 1, 1};
  for (size_t k = 0; k < grid.size(); ++k)
    counts[std::min<size_t>(k, 2)] *= static_cast<uint64_t>(grid[grid.size() - 1 - k].count);
  return counts;
}

// The device memory of one launch.
class LaunchMemory {
public:
  explicit LaunchMemory(GpuDevice &device) : device_(device) {}
  LaunchMemory(const LaunchMemory &) = delete;
  LaunchMemory &operator=(const LaunchMemory &) = delete;
  ~LaunchMemory() {
    if (busy_) (void)device_.finish().ok(); // queued work uses the memory
  }

  Result<void> make(const Kernel &kernel, const std::vector<LaunchArg> &args) {
    for (HostRange &host : hostRanges(args)) {
      Result<bool> seen = device_.ownsOrSees(host.begin);
      if (!seen) return Error::environment(str(nameOf(kernel, host), " of @", kernel.name, ": ", seen.error().message));
      if (*seen) {
        inPlace_.push_back(std::move(host));
        continue;
      }
      std::string name = nameOf(kernel, host);
      Result<GuardedRange> range = GuardedRange::make(device_, std::move(host), name);
      if (!range) return range.error();
      ranges_.push_back(std::move(*range));
    }
    HostRange host{reinterpret_cast<std::byte *>(&outcome_), reinterpret_cast<std::byte *>(&outcome_ + 1), {}};
    Result<GuardedRange> range = GuardedRange::make(device_, std::move(host), nameOf(kernel, {}));
    if (!range) return range.error();
    ranges_.push_back(std::move(*range));
    return {};
  }

  Result<void> send() {
    busy_ = true;
    for (GuardedRange &range : ranges_)
      if (Result<void> sent = range.send(device_); !sent) return sent;
    return {};
  }

  // Copies back to the host everything that the kernel has written.
  Result<void> fetch() {
    for (GuardedRange &range : ranges_)
      if (Result<void> fetched = range.fetch(device_); !fetched) return fetched;
    busy_ = false;
    if (Result<void> done = device_.finish(); !done) return done;
    for (const GuardedRange &range : ranges_) range.give();
    return {};
  }

  std::optional<uint64_t> address(const void *host) const {
    // The end of one range may be the beginning of another one, so an end is looked for last.
    for (bool atEnd : {false, true}) {
      for (const GuardedRange &range : ranges_)
        if (!range.host().params.empty() && range.host().holds(host, atEnd)) return range.deviceAddress(host);
      for (const HostRange &range : inPlace_)
        if (range.holds(host, atEnd)) return std::bit_cast<uintptr_t>(host);
    }
    return std::nullopt;
  }
  uint64_t outcomeAddress() const { return ranges_.back().deviceAddress(&outcome_); }
  uint64_t outcome() const { return outcome_; }

  // Returns an Error that names the buffer whose guard bytes a kernel has overwritten.
  Result<void> checkGuards(const Kernel &kernel) const {
    for (const GuardedRange &range : ranges_) {
      std::string damage = range.damage();
      if (damage.empty()) continue;
      return Error::kernel(str("@", kernel.name, " wrote out of bounds of ", nameOf(kernel, range.host()), ": ", damage),
                           kernel.nameRange);
    }
    return {};
  }

private:
  static std::string nameOf(const Kernel &kernel, const HostRange &range) {
    std::vector<std::string> names;
    for (size_t param : range.params) names.push_back(str("`%", kernel.param(param)->name(), "`"));
    return names.empty() ? "the failure report" : join(names, ", ");
  }

  GpuDevice &device_;
  std::vector<HostRange> inPlace_; // in memory that the device sees: neither copied nor guarded
  std::vector<GuardedRange> ranges_; // the last one holds the outcome
  uint64_t outcome_ = kNoOutcome;
  bool busy_ = false; // work is queued
};

class GpuExecutable final : public Executable {
public:
  GpuExecutable(GpuCode program, GpuExecutableOptions options)
      : options_(std::move(options)), blocks_(device(), std::move(program), options_.optimise) {}

  // Other programs may use the device meanwhile.
  ~GpuExecutable() override {
    std::lock_guard lock(device().busy);
    blocks_.unload();
    others_.clear();
  }

  // Builds every kernel, so that an error of the driver is reported before anything runs.
  Result<void> build(const Module &module) {
    std::lock_guard lock(device().busy);
    XT_CHECK(blocks_.count() == module.kernels.size(), "a program has other kernels than its module");
    for (size_t i = 0; i < blocks_.count(); ++i) {
      const GpuKernel &code = blocks_.code(i);
      XT_CHECK(code.writes.size() == module.kernels[i]->paramCount, "a kernel's code says which parameters it writes");
      Result<GpuDeviceKernel *> kernel = blocks_.kernel(i);
      if (!kernel) return kernel.error();
      remarkRegisters(*module.kernels[i], code, **kernel);
    }
    return {};
  }

  Result<void> launch(const Kernel &kernel, const std::vector<LaunchArg> &args, const std::vector<GridRange> &grid) override {
    std::lock_guard lock(device().busy);
    std::optional<size_t> index = blocks_.indexOf(kernel.name);
    if (!index) return Error::environment(str("@", kernel.name, " is not among the compiled kernels"), kernel.nameRange);
    seconds_ = 0;
    Result<std::vector<RuntimeValue>> values = bindArguments(kernel, args);
    if (!values) return values.error();
    if (Result<void> fits = checkGrid(kernel, grid); !fits) return fits;
    if (workgroupCount(grid) == uint64_t{0}) return {};
    LaunchMemory memory(device());
    if (Result<void> made = memory.make(kernel, args); !made) return made;
    Result<CompiledKernel> compiled = compiledFor(*index, kernel, args, *values, memory);
    if (!compiled) return compiled.error();
    return run(*compiled, kernel, *values, grid, memory);
  }

  std::optional<double> kernelSeconds() const override { return seconds_; }

  Result<std::byte *> allocate(size_t bytes) override {
    std::lock_guard lock(device().busy);
    Result<std::byte *> memory = device().allocate(GpuDevice::Where::Device, std::max<size_t>(bytes, 1), kMemoryAlignment);
    if (!memory) return memory;
    device().tellBuffer(*memory, 0, bytes, "a buffer");
    device().buffers[*memory] = bytes;
    return memory;
  }
  void release(std::byte *memory) override {
    std::lock_guard lock(device().busy);
    device().buffers.erase(memory);
    device().release(memory);
  }
  Result<bool> sees(const void *address) override {
    std::lock_guard lock(device().busy);
    return device().ownsOrSees(address);
  }
  Result<void> copy(void *to, const void *from, size_t bytes) override {
    std::lock_guard lock(device().busy);
    if (Result<void> queued = device().copy(to, from, bytes); !queued) return queued;
    return device().finish();
  }

private:
  GpuDevice &device() { return *options_.device; }

  Result<void> checkGrid(const Kernel &kernel, const std::vector<GridRange> &grid) {
    if (!kernel.grid.empty() && kernel.grid.size() != grid.size())
      return Error::environment(
          str("@", kernel.name, " has a grid of ", kernel.grid.size(), " dimensions, but this launch gives ", grid.size()),
          kernel.nameRange);
    if (!workgroupCount(grid))
      return Error::environment(str("the grid of @", kernel.name, " has more than ", kMaxWorkgroups, " workgroups"),
                                kernel.nameRange);
    std::array<uint64_t, 3> counts = workgroupsOf(grid);
    for (size_t d = 0; d < 3; ++d)
      if (uint64_t most = device().info().mostWorkgroups[d]; counts[d] > most)
        return Error::environment(str("@", kernel.name, " has ", counts[d], " workgroups in ", "xyz"[d], "; ",
                                      device().info().name, " takes at most ", most),
                                  kernel.nameRange);
    return {};
  }

  // A kernel of a program, and its index there.
  struct CompiledKernel {
    LoadedProgram *program;
    size_t index;
  };

  // A program that was compiled with fewer assumptions.
  struct CarefulProgram {
    GpuAssumptions assumptions;
    LoadedProgram program;
  };

  // The code whose assumptions hold for these buffers; compiled on first use if it is not the default one. `index` is that of the
  // kernel in the default program.
  Result<CompiledKernel> compiledFor(size_t index, const Kernel &kernel, const std::vector<LaunchArg> &args,
                                     const std::vector<RuntimeValue> &values, const LaunchMemory &memory) {
    auto address = [&](const void *host) { return memory.address(host); };
    std::string rule = whyNoBlocks(blocks_.code(index), kernel, values, *options_.target, address),
                overlap = whyNotDisjoint(overlapRuleOf(kernel), kernel, blocks_.code(index).writes, args),
                crooked = whyNotAligned(blocks_.code(index), kernel, values, address);
    if (rule.empty() && overlap.empty() && crooked.empty()) return CompiledKernel{&blocks_, index};
    if (!options_.again)
      return Error::environment(
          !crooked.empty() ? str("@", kernel.name, " was compiled for aligned arguments, but ", crooked)
          : rule.empty()   ? str("@", kernel.name, " was compiled for arguments that do not overlap, but ", overlap)
                           : str("@", kernel.name, " was compiled with block messages, but its buffers break a rule: ", rule),
          kernel.nameRange);
    Result<CompiledKernel> other = withFewerAssumptions({rule.empty(), overlap.empty(), crooked.empty()}, kernel);
    if (!other) return other.error();
    const GpuKernel &code = other->program->code(other->index); // has the forms of the kernel's text alone
    if (std::string why = overlap.empty() ? "" : whyNotDisjoint(code.overlapRule, kernel, code.writes, args); !why.empty())
      return Error::environment(str("the text of @", kernel.name, " excludes such arguments by its form: ", why),
                                kernel.nameRange);
    if (!rule.empty()) remark(kernel, str("@", kernel.name, " runs without block messages: ", rule));
    if (!crooked.empty()) remark(kernel, str("@", kernel.name, " copies nothing asynchronously: ", crooked));
    if (!overlap.empty())
      remark(kernel, str("@", kernel.name, " loads whole tiles before it stores, and exchanges them: ", overlap));
    return *other;
  }

  // A file may have many kernels, of which few are launched with such buffers, so only this one is compiled.
  Result<CompiledKernel> withFewerAssumptions(GpuAssumptions assumptions, const Kernel &kernel) {
    for (CarefulProgram &made : others_)
      if (std::optional<size_t> at = made.program.indexOf(kernel.name); at && made.assumptions == assumptions)
        return CompiledKernel{&made.program, *at};
    Result<GpuCode> code = options_.again(assumptions, kernel);
    if (!code) return code.error();
    LoadedProgram program(device(), std::move(*code), options_.optimise);
    std::optional<size_t> at = program.indexOf(kernel.name);
    XT_CHECK(at.has_value(), "code that was compiled again lacks its kernel");
    others_.push_back({assumptions, std::move(program)});
    return CompiledKernel{&others_.back().program, *at};
  }

  Result<void> run(const CompiledKernel &compiled, const Kernel &kernel, const std::vector<RuntimeValue> &values,
                   const std::vector<GridRange> &grid, LaunchMemory &memory) {
    Result<GpuDeviceKernel *> loaded = compiled.program->kernel(compiled.index);
    if (!loaded) return loaded.error();
    const GpuKernel &code = compiled.program->code(compiled.index);
    auto address = [&](const void *host) { return memory.address(host); };
    auto outcome = code.reportsFailures ? std::optional(memory.outcomeAddress()) : std::nullopt;
    std::vector<GpuArgument> arguments =
        gpuArguments(kernel, withPitches(code, values, options_.target->blocks), grid, address, outcome);
    for (size_t i = 0; i < arguments.size(); ++i)
      if (Result<void> set = (*loaded)->setArgument(static_cast<uint32_t>(i), arguments[i]); !set) return set;
    std::array<uint64_t, 3> counts = workgroupsOf(grid);
    auto narrow = [](uint64_t count) { return static_cast<uint32_t>(count); };
    if (Result<void> sent = memory.send(); !sent) return sent;
    if (Result<void> queued = device().launch(**loaded, {narrow(counts[0]), narrow(counts[1]), narrow(counts[2])}); !queued)
      return placed(code, options_.sources, queued.error());
    if (Result<void> fetched = memory.fetch(); !fetched) return placed(code, options_.sources, fetched.error());
    Result<double> seconds = device().kernelSeconds();
    if (!seconds) return seconds.error();
    seconds_ = *seconds;
    if (std::string note = device().launchNote(); !note.empty()) remark(kernel, str("@", kernel.name, ": ", note));
    if (Result<void> good = outcomeOf(code, kernel, grid, memory.outcome()); !good) return good;
    return memory.checkGuards(kernel);
  }

  void remarkRegisters(const Kernel &kernel, const GpuKernel &code, const GpuDeviceKernel &loaded) {
    if (code.largeRegisterFile)
      remark(kernel, str("@", kernel.name, " uses 256 registers per thread: half as many threads run at one time"));
    if (loaded.spillBytes() > 0)
      remark(kernel,
             str("@", kernel.name, " spills ", loaded.spillBytes(), " bytes per lane: its values do not fit the registers"));
  }

  // Each remark is reported once, because a test runs its launches twice.
  void remark(const Kernel &kernel, const std::string &text) {
    if (!options_.remarks || !options_.remarks->wantsRemarks() || std::ranges::find(remarked_, text) != remarked_.end()) return;
    remarked_.push_back(text);
    options_.remarks->report(DiagCode::DeviceRemark, kernel.nameRange, text);
  }

  GpuExecutableOptions options_;
  LoadedProgram blocks_;
  std::list<CarefulProgram> others_;
  std::vector<std::string> remarked_;
  double seconds_ = 0;
};

} // namespace

Result<std::unique_ptr<Executable>> makeGpuExecutable(const Module &module, GpuCode program, GpuExecutableOptions options) {
  auto made = std::make_unique<GpuExecutable>(std::move(program), std::move(options));
  if (Result<void> built = made->build(module); !built) return built.error();
  return std::unique_ptr<Executable>(std::move(made));
}

} // namespace xt
