// xtc: checks .xt files and prints the code that they compile to.
#include "ir/base/text.h"
#include "ir/gpu/block_counts.h"
#include "ir/print.h"
#include "ir/verify/target_limits.h"
#include "lang/parse/parse.h"
#include "passes/pipelines.h"
#include "targets/cpu/emit.h"
#include "targets/target.h"
#include "targets/tools/format_files.h"
#include "targets/tools/gpu_code.h"
#include "targets/tools/progress.h"
#include "targets/tools/prove_files.h"
#include "targets/tools/query.h"
#include "targets/tools/reduce_file.h"
#include "targets/tools/reference.h"
#include "targets/tools/session.h"
#include "targets/tools/show_layout.h"
#include "targets/tools/tool_process.h"
#include "targets/tools/watch.h"
#include "targets/xe/xe_target.h"

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
    std::fprintf(stderr, "xtc: no diagnostic has the code `%s`; see xtc --list-codes\n", options.explain.c_str());
    return kExitUsage;
  }
  std::fputs(page->c_str(), stdout);
  return 0;
}

bool wants(const XtcOptions &options, std::string_view kind) {
  return std::find(options.emit.begin(), options.emit.end(), kind) != options.emit.end();
}

bool wantsCode(const XtcOptions &options) {
  return std::any_of(options.emit.begin(), options.emit.end(),
                     [](std::string_view kind) { return kind != "ast" && kind != "ir"; });
}

Result<std::string> emitCode(const XtcOptions &options, const Module &module, Diagnostics &diagnostics) {
  std::string out;
  for (const std::string &kind : options.emit) {
    if (kind == "ast" || kind == "ir") continue;
    EmitKind which = kind == "llvm" ? EmitKind::Llvm : kind == "asm" ? EmitKind::Asm : EmitKind::Object;
    Result<std::string> text = emit(module, which, {options.cpu}, diagnostics);
    if (!text) return text;
    out += *text;
  }
  return out;
}

// The hardware resources that each kernel, and each of its innermost loops, needs.
std::string report(const Module &module, const SourceManager &sources) {
  std::string out;
  for (const auto &kernel : module.kernels) {
    KernelCounts counts = countKernel(*kernel);
    out += str(symbolText(kernel->name), ": ", text(counts.all),
               counts.slmBytes ? str(", ", counts.slmBytes, " bytes of SLM") : "", "\n");
    for (const LoopCounts &loop : counts.innermost)
      out += str("  loop at line ", sources.file(loop.loop->range().file).lineColumn(loop.loop->range().begin).line, ": ",
                 text(loop.counts), "\n");
  }
  return out;
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
  Result<std::unique_ptr<Module>> module = session.load(path);
  if (!module) return module.error();
  if (options.checkOnly) return {};
  std::vector<std::string_view> passes(options.run.begin(), options.run.end());
  const TargetInfo *gpu = findTargetInfo(options.target);
  TargetInfo plain;
  if (gpu && !options.blockMessages) plain = withoutBlockMessages(*gpu), gpu = &plain;
  if (!options.runGiven)
    passes = !gpu                 ? findTarget(options.target)->pipeline()
             : wantsCode(options) ? passNames(kLanePipeline)
                                  : passNames(kBlockPipeline);
  if (Result<void> ran = session.runPasses(**module, passes, options.roundTrip, gpu); !ran) return ran;
  std::string counts = options.report && !wants(options, "isa") ? report(**module, session.sources()) : "";
  Result<void> fits = gpu ? checkTargetLimits(**module, *gpu, session.sources(), session.diagnostics()) : Result<void>();
  if (!fits) {
    out += counts; // shows which limit is exceeded
    return fits;
  }
  if (wants(options, "ir")) out += print(**module);
  out += counts;
  // Remarks about code are reported during code generation.
  if (wantsCode(options)) session.beforeCode(**module, options.target, gpuOptionsText(options));
  bool unseen = options.remarks && options.target == "cpu" && options.emit.empty();
  if (unseen)
    if (auto made = emit(**module, EmitKind::Llvm, {options.cpu}, session.diagnostics()); !made) return made.error();
  std::optional<Result<GpuCode>> code;
  double ms = timed([&] {
    if (gpu) {
      code = gpuCode(options, **module, *gpu, session.sources(), session.diagnostics(),
                     [&](std::string stage) { session.stage(std::move(stage)); });
      return;
    }
    session.stage("code of the CPU");
    Result<std::string> text = emitCode(options, **module, session.diagnostics());
    code = text ? Result<GpuCode>(GpuCode{std::move(*text), ""}) : Result<GpuCode>(text.error());
  });
  if (!*code) return code->error();
  if (wantsCode(options)) session.addTiming("emit code", ms);
  out += (*code)->text;
  spirv = std::move((*code)->spirv);
  return {};
}

// Processes each file separately, then prints the messages of all. `looked` receives the files that were read or
// looked for.
int processFiles(const XtcOptions &options, std::string &out, std::string &spirv, std::vector<WatchedFile> *looked = nullptr) {
  int status = 0;
  bool together = options.json || options.sarif; // one document
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
  if (!findTarget(options.target) && !findTargetInfo(options.target)) {
    std::vector<std::string_view> names;
    for (const Target *target : allTargets()) names.push_back(target->name());
    std::fprintf(stderr, "xtc: no target is called `%s`; there are %s\n", options.target.c_str(), join(names, ", ").c_str());
    return kExitUsage;
  }
  bool gpu = findTargetInfo(options.target);
  if (gpu && (wants(options, "asm") || wants(options, "obj"))) {
    std::fprintf(stderr, "xtc: --emit=asm and obj are of the target cpu; for %s there are llvm, spirv, spvasm, meta and isa\n",
                 options.target.c_str());
    return kExitUsage;
  }
  if (std::optional<std::string> problem = gpuCodeProblem(options, gpu)) {
    std::fprintf(stderr, "xtc: %s\n", problem->c_str());
    return kExitUsage;
  }
  if (options.watch) return watch(options);
  std::string out, spirv;
  int status = processFiles(options, out, spirv);
  if (status != 0 && out.empty()) return status;
  bool binary = wants(options, "spirv"); // the only content of its file
  bool toStandard = options.output.empty() || options.output == "-";
  if (toStandard || binary) std::fwrite(out.data(), 1, out.size(), stdout);
  if (toStandard) {
    std::fwrite(spirv.data(), 1, spirv.size(), stdout);
    return status;
  }
  // A partial result must not overwrite a file.
  if (status != 0) return status;
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
