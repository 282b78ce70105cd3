#include "targets/tools/gpu_code.h"

#include "targets/tools/session.h"
#include "targets/xe/emit/emit.h"
#include "targets/xe/isa/external_tool.h"
#include "targets/xe/isa/isa_report.h"
#include "targets/xe/isa/offline_compiler.h"

namespace xt {

bool isGpuCode(std::string_view kind) { return kind == "llvm" || kind == "spirv" || kind == "spvasm" || kind == "isa"; }

namespace {

// Listings of Intel's compiler, or what is in them.
Result<std::string> isaText(const XeProgram &program, const TargetInfo &target, bool report) {
  bool large = false;
  for (const XeKernel &kernel : program.kernels) large |= kernel.largeRegisterFile;
  Result<std::vector<std::string>> listings = compileOffline(program.spirv, target.name, large);
  if (!listings) return listings.error();
  std::string out;
  for (const std::string &listing : *listings) out += report ? text(readIsa(listing)) : listing;
  return out;
}

} // namespace

Result<std::string> gpuCode(const XtcOptions &options, const Module &module, const TargetInfo &target,
                            const SourceManager &sources, Diagnostics &diagnostics) {
  XeEmitOptions emitOptions;
  emitOptions.sources = &sources;
  if (!options.isaShim.empty()) {
    Result<std::string> definitions = readFile(options.isaShim);
    if (!definitions) return definitions.error();
    emitOptions.definitions = std::move(*definitions);
  }
  std::string out;
  for (const std::string &kind : options.emit) {
    if (!isGpuCode(kind)) continue;
    if (kind == "llvm") {
      Result<std::string> text = xeLlvmText(module, target, emitOptions, diagnostics);
      if (!text) return text;
      out += *text;
      continue;
    }
    Result<XeProgram> program = compileToSpirv(module, target, emitOptions, diagnostics);
    if (!program) return program.error();
    Result<std::string> text = kind == "isa"      ? isaText(*program, target, options.report)
                               : kind == "spvasm" ? disassembleSpirv(program->spirv)
                                                : Result<std::string>(std::string(program->spirv.begin(), program->spirv.end()));
    if (!text) return text;
    out += *text;
  }
  return out;
}

} // namespace xt
