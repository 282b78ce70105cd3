#include "targets/tools/gpu_code.h"

#include "ir/base/text.h"
#include "targets/tools/isa_text.h"
#include "targets/tools/launch_json.h"
#include "targets/tools/session.h"
#include "targets/xe/emit/emit.h"
#include "targets/xe/isa/disassembler.h"
#include "targets/xe/isa/offline_compiler.h"

#include <algorithm>
#include <unistd.h>

namespace xt {

bool isGpuCode(std::string_view kind) {
  return kind == "llvm" || kind == "spirv" || kind == "spvasm" || kind == "meta" || kind == "isa";
}

std::optional<std::string> gpuCodeProblem(const XtcOptions &options, bool gpu) {
  auto wants = [&](std::string_view kind) {
    return std::find(options.emit.begin(), options.emit.end(), kind) != options.emit.end();
  };
  for (std::string_view kind : {"spirv", "spvasm", "meta", "isa"})
    if (!gpu && wants(kind)) return str("--emit=", kind, " is of GPUs: --target=xe-pvc");
  const Target *target = findTarget(options.target);
  if (options.intelExtensions && !(target && target->takesIntelExtensions()))
    return needsIntelGpuText("--spirv-extensions=intel", options.target);
  if (!gpu && !options.blockMessages) return "--no-block-messages is of GPUs: --target=xe-pvc";
  if (wants("isa") && offlineDevice(options.target).empty()) return needsIntelGpuText("--emit=isa", options.target);
  if (!options.isaShim.empty() && !wants("isa")) return "--isa-shim belongs to --emit=isa";
  if (!wants("spirv")) return std::nullopt;
  if (options.output.empty() && isatty(STDOUT_FILENO))
    return "SPIR-V is binary: -o FILE says where it goes, and --emit=spvasm prints it as text";
  if (options.files.size() > 1) return "--emit=spirv takes one file: its SPIR-V is one module";
  bool more = options.report || options.emit.size() > 1;
  if (more && options.output.empty()) return "SPIR-V is binary: beside other output it needs -o FILE, which it alone goes to";
  return std::nullopt;
}

std::string gpuOptionsText(const XtcOptions &options) {
  return str(options.blockMessages ? "" : " --no-block-messages", options.intelExtensions ? " --spirv-extensions=intel" : "");
}

namespace {

// The listings of Intel's compiler, or a report on them.
Result<std::string> isaOf(const Module &module, const XeProgram &program, const TargetInfo &target, const XtcOptions &options,
                          const SourceManager &sources, Diagnostics &diagnostics) {
  Result<std::vector<std::string>> listings = compileOffline(program, target.name);
  if (!listings) {
    Error error = listings.error();
    if (options.isaShim.empty() && error.message.find("lacks functions") != std::string::npos)
      error.message +=
          "; --isa-shim=FILE.ll gives it definitions, to look at the code only (xt_bench_xe --shim writes such a file)";
    return error;
  }
  if (!options.report) return join(*listings, "");
  std::vector<IsaReport> reports;
  for (const std::string &listing : *listings) reports.push_back(readIsa(listing));
  return isaText(module, program, reports, target, sources, diagnostics);
}

// Adds the output of one kind to `out`.
Result<void> add(GpuCode &out, const std::string &kind, const XtcOptions &options, const Module &module,
                 const XeProgram &program, const TargetInfo &target, const SourceManager &sources, Diagnostics &diagnostics,
                 const std::function<void(std::string)> &stage) {
  if (kind == "spirv") {
    out.spirv.assign(program.spirv.begin(), program.spirv.end());
    return {};
  }
  if (kind == "meta") {
    out.text += launchJson(module, program, target, sources);
    return {};
  }
  if (stage) stage(kind == "isa" ? "Intel's offline compiler (ocloc)" : "the disassembler (spirv-dis)");
  Result<std::string> text =
      kind == "isa" ? isaOf(module, program, target, options, sources, diagnostics) : disassembleSpirv(program.spirv);
  if (!text) return text.error();
  out.text += *text;
  return {};
}

} // namespace

Result<GpuCode> gpuCode(const XtcOptions &options, const Module &module, const TargetInfo &target, const SourceManager &sources,
                        Diagnostics &diagnostics, const std::function<void(std::string)> &stage) {
  XeEmitOptions emitOptions;
  emitOptions.blockMessages = options.blockMessages;
  emitOptions.intelExtensions = options.intelExtensions;
  emitOptions.sources = &sources;
  emitOptions.stage = stage;
  GpuCode out;
  std::optional<XeProgram> whole; // compiled once for all kinds
  for (const std::string &kind : options.emit) {
    if (!isGpuCode(kind)) continue;
    if (kind == "llvm") {
      Result<std::string> text = xeLlvmText(module, target, emitOptions, diagnostics);
      if (!text) return text.error();
      out.text += *text;
      continue;
    }
    bool shim = kind == "isa" && !options.isaShim.empty();
    std::optional<XeProgram> withShim; // never part of code that runs
    std::optional<XeProgram> &program = shim ? withShim : whole;
    if (!program) {
      XeEmitOptions own = emitOptions;
      if (shim) {
        Result<std::string> definitions = readFile(options.isaShim);
        if (!definitions) return definitions.error();
        own.definitions = std::move(*definitions);
      }
      Result<XeProgram> made = compileToSpirv(module, target, own, diagnostics);
      if (!made) return made.error();
      program = std::move(*made);
    }
    Result<void> added = add(out, kind, options, module, *program, target, sources, diagnostics, stage);
    if (!added) return added.error();
  }
  return out;
}

} // namespace xt
