// xtc: checks .xt files and prints the code that they compile to.
#include "ir/base/text.h"
#include "ir/gpu/register_estimate.h"
#include "ir/print.h"
#include "ir/verify/target_limits.h"
#include "lang/parse/parse.h"
#include "targets/compile/compile_for.h"
#include "targets/target.h"
#include "targets/tools/code_options.h"
#include "targets/tools/format_files.h"
#include "targets/tools/progress.h"
#include "targets/tools/prove_files.h"
#include "targets/tools/query.h"
#include "targets/tools/reduce_file.h"
#include "targets/tools/reference.h"
#include "targets/tools/session.h"
#include "targets/tools/show_layout.h"
#include "targets/tools/tool_process.h"
#include "targets/tools/tuned.h"
#include "targets/tools/watch.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace xt {
namespace {

int fail(const Error &error) {
  if (error.kind == Error::Kind::Diagnosed) return kExitCompile;
  std::fprintf(stderr, "xtc: %s\n", error.message.c_str());
  return internalErrorSeen() ? kExitCompilerBug : kExitEnvironment;
}

int printReference(const XtcOptions &options) {
  if (options.listOps) std::fputs(listOps().c_str(), stdout);
  if (options.listPasses) std::fputs(listPasses().c_str(), stdout);
  if (options.listCodes) std::fputs(listCodes().c_str(), stdout);
  if (!options.reference.empty()) std::fputs((options.reference == "ops" ? opReference() : codeReference()).c_str(), stdout);
  if (options.explain.empty()) return 0;
  std::optional<std::string> page = explain(options.explain);
  if (!page) {
    std::fprintf(stderr, "xtc: unknown diagnostic code `%s`; see xtc --list-codes\n", options.explain.c_str());
    return kExitUsage;
  }
  std::fputs(page->c_str(), stdout);
  return 0;
}

bool wants(const XtcOptions &options, std::string_view kind) {
  return std::find(options.emit.begin(), options.emit.end(), kind) != options.emit.end();
}

// The module of a file once more, for other hardware; its diagnostics have been reported.
Result<std::unique_ptr<Module>> compileAgain(const XtcOptions &options, Session &session, const std::string &path,
                                             Target &target, const TargetInfo &hardware) {
  session.setTarget(std::string(hardware.name));
  Result<std::unique_ptr<Module>> module = session.loadWith(path, {});
  if (!module) return module.error();
  dropTests(**module);
  Result<std::vector<LibraryVariant>> variants = addVariants(options, session, **module, target);
  if (!variants) return variants.error();
  std::vector<std::string_view> passes = passNames(target.pipeline());
  if (Result<void> ran = session.runPassesQuietly(**module, passes, hardware); !ran) return ran.error();
  return std::move(*module);
}

// What registerEstimate() says of a module after irPipeline(), or after pipeline() if it is `lowered`. "": the remaining passes
// fail, which code generation will tell.
std::string registersText(Session &session, Module &module, const Target &target, const TargetInfo &hardware, bool lowered) {
  std::vector<std::string_view> passes = passNames(target.pipeline());
  passes.erase(passes.begin(), passes.begin() + static_cast<ptrdiff_t>(passNames(target.irPipeline()).size()));
  if (!lowered && !session.runPassesQuietly(module, passes, hardware)) return "";
  return registerEstimate(module, hardware, session.diagnostics());
}

Result<void> processFile(const XtcOptions &options, Session &session, const std::string &path, std::string &out,
                         std::string &spirv) {
  if (wants(options, "ast")) {
    Result<std::string> text = readFile(path);
    if (!text) return text.error();
    Diagnostics scratch; // load() below reports the errors
    uint32_t index = session.sources().add(path, *text);
    out += ast::dump(parse(session.sources(), index, scratch), session.sources().file(index));
    if (options.emit.size() == 1) {
      for (const Diagnostic &d : scratch.all()) session.diagnostics().report(d.code, d.range, d.message) = d;
      return scratch.hasErrors() ? Result<void>(Error::diagnosed()) : Result<void>();
    }
  }
  Target &target = *findTarget(options.target);
  session.setTarget(target);
  Result<std::unique_ptr<Module>> module = session.load(path);
  if (!module) return module.error();
  if (options.checkOnly) return {};
  Result<OutputOptions> output = outputOptions(options);
  if (!output) return output.error();
  output->sources = &session.sources();
  output->stage = [&](std::string stage) { session.stage(std::move(stage)); };
  bool code = !output->kinds.empty();
  if (wants(options, "lib")) {
    dropTests(**module);
    Result<std::vector<LibraryVariant>> variants = addVariants(options, session, **module, target);
    if (!variants) return variants.error();
    output->variants = std::move(*variants);
    output->again = [&](const TargetInfo &other) { return compileAgain(options, session, path, target, other); };
  }
  std::optional<TargetInfo> named = target.namedHardware(*output);
  const TargetInfo *hardware = named ? &*named : nullptr;
  std::vector<std::string_view> passes(options.run.begin(), options.run.end());
  if (!options.runGiven) passes = passNames(code ? target.pipeline() : target.irPipeline());
  if (Result<void> ran = session.runPasses(**module, passes, options.roundTrip, hardware); !ran) return ran;
  std::string counts = options.report && !wants(options, "isa") ? target.report(**module, session.sources()) : "";
  Result<void> fits =
      hardware ? checkTargetLimits(**module, *hardware, session.sources(), session.diagnostics()) : Result<void>();
  if (!fits) {
    out += counts; // shows which limit is exceeded
    return fits;
  }
  if (wants(options, "ir")) out += print(**module);
  out += counts;
  if (options.report && hardware && !wants(options, "isa") && !options.runGiven)
    out += registersText(session, **module, target, *hardware, code);
  // With --emit, code generation reports the remarks on code.
  if (options.remarks && options.emit.empty())
    if (Result<void> done = target.remarkOnCode(**module, *output, session.diagnostics()); !done) return done;
  if (!code) return {};
  session.beforeCode(**module, options.target, codeOptionsText(options));
  Result<Output> made = Output();
  double ms = timed([&] { made = target.emit(**module, *output, session.diagnostics()); });
  if (!made) return made.error();
  session.addTiming("emit code", ms);
  out += made->text;
  spirv = std::move(made->spirv);
  const std::string folder = options.output.substr(0, options.output.rfind('/') + 1);
  for (const OutputFile &file : made->files)
    if (Result<void> written = writeOutputFile(folder + file.name, {file.content}); !written) return written;
  return {};
}

// Processes each file separately and prints its messages after it; JSON and SARIF, which form one document, are printed after
// the last file. `looked` receives the files that were read or looked for.
int processFiles(const XtcOptions &options, std::string &out, std::string &spirv, std::vector<WatchedFile> *looked = nullptr) {
  int status = 0;
  bool together = options.json || options.sarif; // all messages form one document
  std::vector<std::unique_ptr<Session>> sessions;
  StageLine progress("xtc", together || options.watch);
  for (const std::string &path : options.files) {
    auto session = std::make_unique<Session>(options);
    session->onStage([&](std::string stage) { progress.at(str(path, ": ", stage)); });
    Result<void> result = processFile(options, *session, path, out, spirv);
    progress.at("");
    if (!together) session->printDiagnostics();
    if (!result) status = std::max(status, fail(result.error()));
    if (options.timePasses) session->printTimings();
    if (looked) looked->insert(looked->end(), session->lookedAt().begin(), session->lookedAt().end());
    session->forgetForCrash();
    if (together) sessions.push_back(std::move(session));
  }
  if (together) printDiagnostics(options, sessions);
  return status;
}

int watch(const XtcOptions &options) {
  int status = 0;
  watchFiles([&] {
    std::vector<WatchedFile> looked;
    std::string out, spirv; // only checks are watched, so both stay empty
    status = processFiles(options, out, spirv, &looked);
    if (standardOutputLost()) std::exit(endProcess(status));
    std::fprintf(stderr, "xtc: %s; waiting for changes, Ctrl-C ends\n",
                 status == 0              ? "no errors"
                 : status == kExitCompile ? "there are errors"
                                          : "a file is missing");
    return looked;
  });
  return status;
}

int run(const XtcOptions &options) {
  if (!options.showLayout.empty()) return showLayout(options);
  if (!options.reduce.empty()) return reduceFile(options);
  if (options.formatFiles) return formatFiles(options);
  if (options.prove) return proveFiles(options);
  if (!options.query.empty()) return query(options);
  if (int status = printReference(options); status != 0 || options.files.empty()) return status;
  if (std::optional<std::string> problem = unknownPass(options, options.run)) {
    std::fprintf(stderr, "xtc: %s\n", problem->c_str());
    return kExitUsage;
  }
  const Target *target = findTarget(options.target);
  if (!target) {
    std::vector<std::string_view> names;
    for (const Target *known : allTargets()) names.push_back(known->name());
    std::fprintf(stderr, "xtc: unknown target `%s`; known are %s\n", options.target.c_str(), join(names, ", ").c_str());
    return kExitUsage;
  }
  if (std::optional<std::string> problem = codeProblem(options, *target)) {
    std::fprintf(stderr, "xtc: %s\n", problem->c_str());
    return kExitUsage;
  }
  if (options.watch) return watch(options);
  std::string out, spirv;
  int status = processFiles(options, out, spirv);
  if (status != 0 && out.empty()) return status;
  bool binary = wants(options, "spirv"); // the SPIR-V is the only content of the output file
  bool toStandard = options.output.empty() || options.output == "-";
  if (toStandard || binary) std::fwrite(out.data(), 1, out.size(), stdout);
  if (toStandard) {
    std::fwrite(spirv.data(), 1, spirv.size(), stdout);
    return status;
  }
  // A partial result must not overwrite a file. The files of a library are written already.
  if (status != 0 || wants(options, "lib")) return status;
  Result<void> written = writeOutputFile(options.output, {binary ? spirv : out});
  return written ? 0 : fail(written.error());
}

} // namespace
} // namespace xt

int main(int argc, char **argv) {
  xt::startTool("xtc", argc, argv);
  auto parsed = xt::parseXtcCommand(argc, argv);
  if (!parsed.options) std::fputs(parsed.text.c_str(), parsed.status == 0 ? stdout : stderr);
  return xt::endProcess(parsed.options ? xt::run(*parsed.options) : parsed.status);
}
