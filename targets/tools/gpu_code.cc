#include "targets/tools/gpu_code.h"

#include "targets/xe/emit/emit.h"
#include "targets/xe/isa/external_tool.h"

namespace xt {

bool isGpuCode(std::string_view kind) { return kind == "llvm" || kind == "spirv" || kind == "spvasm"; }

Result<std::string> gpuCode(const XtcOptions &options, const Module &module, const TargetInfo &target,
                            const SourceManager &sources, Diagnostics &diagnostics) {
  XeEmitOptions emitOptions;
  emitOptions.sources = &sources;
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
    Result<std::string> text = kind == "spvasm" ? disassembleSpirv(program->spirv)
                                                : Result<std::string>(std::string(program->spirv.begin(), program->spirv.end()));
    if (!text) return text;
    out += *text;
  }
  return out;
}

} // namespace xt
