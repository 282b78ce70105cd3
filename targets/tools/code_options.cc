#include "targets/tools/code_options.h"

#include "ir/base/text.h"
#include "lang/lower/disk.h"
#include "targets/compile/version.h"

#include <algorithm>
#include <cctype>
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

// Why the files of a library cannot be written as the options say.
std::optional<std::string> libraryProblem(const XtcOptions &options) {
  if (options.output.empty() || options.output == "-")
    return "--emit=lib writes several files: name the library with -o NAME, such as -o gemm";
  if (options.files.size() > 1) return "--emit=lib takes one file, because the output is one library";
  if (options.emit.size() > 1) return "--emit=lib cannot be combined with other output";
  std::string name = libraryName(options);
  bool good = !name.empty() &&
              std::ranges::all_of(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
  if (!good || std::isdigit(static_cast<unsigned char>(name[0])))
    return str("the name of a library has letters, digits and `_`, and begins with no digit; it is `", name, "`");
  if (name[0] == '_' || name == "xt" || name.starts_with("xt_") || name == "xtrt" || name.starts_with("xtrt_"))
    return str("the functions of a library called ", name, " would begin with ", name,
               "_, as names that C or the run time of xt reserves do");
  return std::nullopt;
}

} // namespace

std::string libraryName(const XtcOptions &options) { return options.output.substr(options.output.rfind('/') + 1); }

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
  if (needsExtensions(options.extensions) && !target.takesIntelExtensions())
    return notAvailableText(str("--spirv-extensions=", extensionsName(options.extensions)), target.name(),
                            std::mem_fn(&Target::takesIntelExtensions));
  if (!options.blockMessages && !target.takesBlockMessages())
    return notAvailableText("--no-block-messages", target.name(), std::mem_fn(&Target::takesBlockMessages));
  if (options.overlappingArguments && !target.takesOverlappingArguments())
    return notAvailableText("--overlapping-arguments", target.name(), std::mem_fn(&Target::takesOverlappingArguments));
  if (options.report && !target.hasReport())
    return notAvailableText("--report", target.name(), std::mem_fn(&Target::hasReport));
  if (!options.isaShim.empty() && !wants(OutputKind::Isa)) return "--isa-shim needs --emit=isa";
  if (std::optional<std::string> problem = wants(OutputKind::Library) ? libraryProblem(options) : std::nullopt) return problem;
  return wants(OutputKind::Spirv) ? spirvProblem(options) : std::nullopt;
}

std::string codeOptionsText(const XtcOptions &options) {
  return str(
      options.blockMessages ? "" : " --no-block-messages", options.overlappingArguments ? " --overlapping-arguments" : "",
      options.extensions == SpirvExtensions::Auto ? "" : str(" --spirv-extensions=", extensionsName(options.extensions)));
}

Result<OutputOptions> outputOptions(const XtcOptions &options) {
  OutputOptions output;
  output.kinds = codeKinds(options);
  output.processor = options.cpu;
  output.blockMessages = options.blockMessages;
  output.overlappingArguments = options.overlappingArguments;
  output.extensions = options.extensions;
  output.report = options.report;
  output.libraryName = libraryName(options);
  output.maker = kVersion;
  if (options.isaShim.empty()) return output;
  Result<std::string> definitions = readFile(options.isaShim);
  if (!definitions) return definitions.error();
  output.definitions = std::move(*definitions);
  return output;
}

} // namespace xt
