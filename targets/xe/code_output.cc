#include "targets/xe/code_output.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "targets/gpu/ahead/gpu_library.h"
#include "targets/xe/emit/emit.h"
#include "targets/xe/isa/disassembler.h"
#include "targets/xe/isa/isa_text.h"
#include "targets/xe/isa/offline_compiler.h"
#include "targets/xe/launch_json.h"
#include "targets/xe/xe_target.h"

#include <optional>

namespace xt {
namespace {

class OutputWriter {
public:
  OutputWriter(const Module &module, const TargetInfo &target, const OutputOptions &options, Diagnostics &diagnostics)
      : module_(module), target_(target), options_(options), diagnostics_(diagnostics) {}

  Result<Output> write() {
    for (OutputKind kind : options_.kinds)
      if (Result<void> added = add(kind); !added) return added.error();
    return std::move(out_);
  }

private:
  Result<void> add(OutputKind kind) {
    switch (kind) {
    case OutputKind::Llvm: return addText(xeLlvmText(module_, target_, emitOptions(), diagnostics_));
    case OutputKind::Spirv: {
      Result<const GpuCode *> made = program();
      if (!made) return made.error();
      out_.spirv.assign((*made)->binary.begin(), (*made)->binary.end());
      return {};
    }
    case OutputKind::SpirvText: {
      Result<const GpuCode *> made = program();
      if (!made) return made.error();
      stage("the disassembler (spirv-dis)");
      return addText(disassembleSpirv((*made)->binary));
    }
    case OutputKind::Launch: {
      Result<const GpuCode *> made = program();
      if (!made) return made.error();
      out_.text += launchJson(module_, **made, target_, *options_.sources);
      return {};
    }
    case OutputKind::Isa: return addText(isa());
    case OutputKind::Library: return addLibrary();
    case OutputKind::Asm:
    case OutputKind::Object:
    case OutputKind::Ptx:
    case OutputKind::SassStats: break;
    }
    XT_UNREACHABLE("an output of the target");
  }

  Result<void> addText(Result<std::string> text) {
    if (!text) return text.error();
    out_.text += *text;
    return {};
  }

  void stage(std::string name) const {
    if (options_.stage) options_.stage(std::move(name));
  }

  XeEmitOptions emitOptions() const {
    XeEmitOptions emit;
    emit.blockMessages = options_.blockMessages;
    emit.extensions = options_.extensions; // Auto: a host may load the code with any driver, so none
    emit.sources = options_.sources;
    emit.stage = options_.stage;
    return emit;
  }

  Result<const GpuCode *> program() {
    if (!program_) {
      Result<GpuCode> made = compileToSpirv(module_, target_, emitOptions(), diagnostics_);
      if (!made) return made.error();
      program_ = std::move(*made);
    }
    return &*program_;
  }

  // A program with definitions of functions that the offline compiler lacks is compiled separately, because it must never be
  // part of code that runs.
  Result<const GpuCode *> programForListings() {
    if (options_.definitions.empty()) return program();
    XeEmitOptions emit = emitOptions();
    emit.definitions = options_.definitions;
    Result<GpuCode> made = compileToSpirv(module_, target_, emit, diagnostics_);
    if (!made) return made.error();
    forListings_ = std::move(*made);
    return &*forListings_;
  }

  // The same kernels with inline assembly; nothing if they have none then, or if the options decide it.
  Result<GpuCode> withInlineAssembly() {
    if (options_.extensions != SpirvExtensions::Auto || !target_.blocks.any() || !options_.blockMessages) return GpuCode{};
    XeEmitOptions emit = emitOptions();
    emit.extensions = SpirvExtensions::InlineAssembly;
    Diagnostics repeated; // the first compilation has reported these
    repeated.wantRemarks(false);
    Result<GpuCode> code = compileToSpirv(module_, target_, emit, repeated);
    return !code || code->inlineAssembly ? code : GpuCode{};
  }

  // A library has the code as the options say, without assumptions about the arguments of a launch, and for drivers that take inline
  // assembly.
  Result<void> addLibrary() {
    Result<const GpuCode *> fast = program();
    if (!fast) return fast.error();
    TargetInfo careful = assuming(target_, {.blockRules = false, .disjoint = false, .aligned = false});
    Result<std::unique_ptr<Module>> again = options_.again(careful);
    if (!again) return again.error();
    XeEmitOptions emit = emitOptions();
    emit.blockMessages = false;
    Diagnostics repeated; // the first compilation has reported these
    repeated.wantRemarks(false);
    Result<GpuCode> other = compileToSpirv(**again, careful, emit, repeated);
    if (!other) return other.error();
    Result<GpuCode> assembly = withInlineAssembly();
    if (!assembly) return assembly.error();
    Result<std::vector<OutputFile>> files =
        makeGpuLibrary(module_, {**fast, std::move(*other), std::move(*assembly)}, target_, options_, diagnostics_);
    if (!files) return files.error();
    out_.files = std::move(*files);
    return {};
  }

  // The listings of Intel's compiler, or a report on them.
  Result<std::string> isa() {
    Result<const GpuCode *> made = programForListings();
    if (!made) return made.error();
    stage("Intel's offline compiler (ocloc)");
    Result<std::vector<std::string>> listings = compileOffline(**made, target_.name);
    if (!listings) return listings.error();
    if (!options_.report) return join(*listings, "");
    std::vector<IsaReport> reports;
    for (const std::string &listing : *listings) reports.push_back(readIsa(listing));
    return isaText(module_, **made, reports, target_, *options_.sources, diagnostics_);
  }

  const Module &module_;
  const TargetInfo &target_;
  const OutputOptions &options_;
  Diagnostics &diagnostics_;
  Output out_;
  std::optional<GpuCode> program_, forListings_;
};

} // namespace

Result<Output> xeOutput(const Module &module, const TargetInfo &target, const OutputOptions &options,
                        Diagnostics &diagnostics) {
  return OutputWriter(module, target, options, diagnostics).write();
}

} // namespace xt
