#include "targets/tools/code_options.h"

#include "ir/base/text.h"
#include "lang/lower/disk.h"

#include <algorithm>
#include <functional>
#include <unistd.h>

namespace xt {
namespace {

bool emits(const Target &target, OutputKind kind) {
  return std::ranges::find(target.outputs(), kind) != target.outputs().end();
}

std::string noOutputText(OutputKind kind, const Target &target) {
  std::string text = notAvailableText(str("--emit=", outputName(kind)), target.name(),
                                      [&](const Target &other) { return emits(other, kind); });
  std::vector<std::string_view> names;
  for (OutputKind other : target.outputs()) names.push_back(outputName(other));
  return names.empty() ? text : str(text, "; ", target.name(), " has ", join(names, ", "));
}

std::optional<std::string> spirvProblem(const XtcOptions &options) {
  if (options.output.empty() && isatty(STDOUT_FILENO))
    return "SPIR-V is binary: write it to a file with -o FILE, or print it as text with --emit=spvasm";
  if (options.files.size() > 1) return "--emit=spirv takes one file, because the output is one module";
  bool more = options.report || options.emit.size() > 1;
  if (more && options.output.empty())
    return "SPIR-V is binary: to combine it with other output, write it to a file with -o FILE";
  return std::nullopt;
}

} // namespace

std::vector<OutputKind> codeKinds(const XtcOptions &options) {
  std::vector<OutputKind> kinds;
  for (const std::string &name : options.emit)
    if (std::optional<OutputKind> kind = outputNamed(name)) kinds.push_back(*kind);
  return kinds;
}

std::optional<std::string> codeProblem(const XtcOptions &options, const Target &target) {
  std::vector<OutputKind> kinds = codeKinds(options);
  auto wants = [&](OutputKind kind) { return std::ranges::find(kinds, kind) != kinds.end(); };
  for (OutputKind kind : kinds)
    if (!emits(target, kind)) return noOutputText(kind, target);
  if (options.intelExtensions && !target.takesIntelExtensions())
    return notAvailableText("--spirv-extensions=intel", target.name(), std::mem_fn(&Target::takesIntelExtensions));
  if (!options.blockMessages && !target.takesBlockMessages())
    return notAvailableText("--no-block-messages", target.name(), std::mem_fn(&Target::takesBlockMessages));
  if (options.overlappingArguments && !target.takesOverlappingArguments())
    return notAvailableText("--overlapping-arguments", target.name(), std::mem_fn(&Target::takesOverlappingArguments));
  if (options.report && !target.hasReport())
    return notAvailableText("--report", target.name(), std::mem_fn(&Target::hasReport));
  if (!options.isaShim.empty() && !wants(OutputKind::Isa)) return "--isa-shim needs --emit=isa";
  return wants(OutputKind::Spirv) ? spirvProblem(options) : std::nullopt;
}

std::string codeOptionsText(const XtcOptions &options) {
  return str(options.blockMessages ? "" : " --no-block-messages",
             options.overlappingArguments ? " --overlapping-arguments" : "",
             options.intelExtensions ? " --spirv-extensions=intel" : "");
}

Result<OutputOptions> outputOptions(const XtcOptions &options) {
  OutputOptions output;
  output.kinds = codeKinds(options);
  output.processor = options.cpu;
  output.blockMessages = options.blockMessages;
  output.overlappingArguments = options.overlappingArguments;
  output.intelExtensions = options.intelExtensions;
  output.report = options.report;
  if (options.isaShim.empty()) return output;
  Result<std::string> definitions = readFile(options.isaShim);
  if (!definitions) return definitions.error();
  output.definitions = std::move(*definitions);
  return output;
}

} // namespace xt
