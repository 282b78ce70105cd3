#include "targets/nv/nv_target.h"

#include "ir/base/text.h"
#include "ir/gpu/block_counts.h"
#include "targets/gpu/executable.h"
#include "targets/nv/emit/emit.h"
#include "targets/nv/emit/functions.h"
#include "targets/nv/sass/assembler.h"
#include "targets/nv/sass/sass_text.h"
#include "targets/nv/software/soft_device.h"

namespace xt {
namespace {

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
  bool wantsSmallSizes(DeviceChoice) const override { return true; }
  bool takesDeviceChoice() const override { return true; }
  bool takesBlockMessages() const override { return true; } // asynchronous copies have rules for buffers too
  bool takesOverlappingArguments() const override { return true; }
  bool hasReport() const override { return true; }

  Result<const TargetInfo *> hardware(DeviceChoice choice) override {
    if (Result<void> there = checkChoice(choice); !there) return there.error();
    return &info_;
  }
  std::optional<TargetInfo> namedHardware(const OutputOptions &options) const override {
    return assuming(info_, {.disjoint = !options.overlappingArguments, .aligned = options.blockMessages});
  }
  std::string whyUnsupported(const Kernel &kernel, const TargetInfo *) const override {
    const Op *op = firstWithoutFunction(kernel);
    return op ? str("it uses a function: ", whyNoFunction(*op)) : "";
  }

  std::vector<Requirement> requirements() const override {
    if (info_.name != "nv") return {};
    std::string ptxas = ptxasPath();
    return {{"the program ptxas (for xtc --emit=sass-stats)", !ptxas.empty(), false,
             ptxas.empty() ? "not in PATH or in a virtual environment" : ptxas, std::string(kPtxasRemedy)}};
  }

  Pipeline pipeline() const override { return kAsyncLanePipeline; }
  Pipeline irPipeline() const override { return kAsyncBlockPipeline; }

  Result<std::vector<DeviceText>> devices() override {
    GpuDeviceInfo device = softNvInfo(info_);
    DeviceText text;
    text.name = device.name;
    text.driver = device.api;
    text.subgroupSizes = device.subgroupSizes;
    text.software = true;
    text.compiledFor = info_.name;
    text.choice = DeviceChoice::Soft;
    return std::vector<DeviceText>{std::move(text)};
  }

  Result<std::unique_ptr<Executable>> compile(const Module &module, const CompileOptions &options,
                                              Diagnostics &diagnostics) override {
    if (Result<void> there = checkChoice(options.device); !there) return there.error();
    if (options.device == DeviceChoice::Any && options.note) options.note("running on the software NVIDIA device");
    NvEmitOptions emit;
    emit.sources = options.sources;
    Result<GpuCode> code = compileToNvvm(module, info_, emit, diagnostics);
    if (!code) return code.error();
    if (!device_) device_ = makeSoftNvDevice(info_);
    GpuExecutableOptions executable;
    executable.device = device_.get();
    executable.target = &info_;
    executable.optimise = options.optimise;
    executable.sources = options.sources;
    executable.remarks = options.found;
    if (options.again)
      executable.again = [again = options.again, info = info_, emit](GpuAssumptions assumptions) -> Result<GpuCode> {
        TargetInfo careful = assuming(info, assumptions);
        Result<std::unique_ptr<Module>> kernels = again(careful);
        if (!kernels) return kernels.error();
        Diagnostics repeated; // the first compilation has already reported these
        repeated.wantRemarks(false);
        return compileToNvvm(**kernels, careful, emit, repeated);
      };
    return makeGpuExecutable(module, std::move(*code), std::move(executable));
  }

  std::span<const OutputKind> outputs() const override {
    static constexpr OutputKind kKinds[] = {OutputKind::Ptx, OutputKind::Llvm, OutputKind::SassStats};
    return kKinds;
  }
  Result<Output> emit(const Module &module, const OutputOptions &options, Diagnostics &diagnostics) override {
    TargetInfo hardware = *namedHardware(options);
    Output output;
    for (OutputKind kind : options.kinds) {
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

  Result<void> checkChoice(DeviceChoice choice) const {
    if (choice == DeviceChoice::Any || choice == DeviceChoice::Soft) return {};
    return Error::environment(str("--device=", deviceChoiceName(choice), ": ", info_.name,
                                  " runs only on the software device; `xtc --emit=ptx` gives the code for a GPU"));
  }

  const TargetInfo &info_;
  std::unique_ptr<GpuDevice> device_;
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
