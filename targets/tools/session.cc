#include "targets/tools/session.h"

#include "ir/base/reports.h"
#include "ir/base/text.h"
#include "ir/equal.h"
#include "passes/passes.h"
#include "targets/compile/compile_for.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace xt {
namespace {

const std::chrono::steady_clock::time_point kMainStart = std::chrono::steady_clock::now();

// The name of an input file in the crash bundle: files/ and its absolute path, so that relative imports work there too.
std::string bundleName(const std::string &path) {
  std::error_code failed;
  std::string whole = std::filesystem::absolute(path, failed).lexically_normal().string();
  return str("files/", failed ? path : whole.substr(whole.find_first_not_of('/')));
}

} // namespace

std::optional<std::string> unknownPass(const CommonOptions &options, std::span<const std::string> run) {
  for (const std::string &name : options.dumpAfter)
    if (name != "all" && !findPass(name)) return str("--dump-after: unknown pass `", name, "`; see xtc --list-passes");
  for (const std::string &name : run)
    if (!findPass(name)) return str("--run: unknown pass `", name, "`; see xtc --list-passes");
  return std::nullopt;
}

Session::Session(const CommonOptions &options) : options_(options) {
  color_ = options.color == ColorMode::Always ||
           (options.color == ColorMode::Auto && isatty(STDERR_FILENO) && !std::getenv("NO_COLOR"));
  diagnostics_.wantRemarks(options.remarks);
}

double Session::sinceStart() {
  // The processor time before main covers loading libraries; the wall time before main is unknown.
  static const double beforeMain = [] {
    timespec cpu{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    double total = static_cast<double>(cpu.tv_sec) * 1e3 + static_cast<double>(cpu.tv_nsec) / 1e6;
    double sinceMain = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - kMainStart).count();
    return total > sinceMain ? total - sinceMain : 0.0;
  }();
  return beforeMain + std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - kMainStart).count();
}

void Session::setTarget(const Target &target) { target_ = namedHardwareName(target); }

Result<std::unique_ptr<Module>> Session::load(const std::string &path) {
  lookedAt_.push_back(watchedFile(path));
  Result<std::string> text = readFile(path);
  if (!text) return text.error();
  keepForCrash(path, *text);
  return loadSource(path, std::move(*text), SourceOrigin::File);
}

Result<std::unique_ptr<Module>> Session::loadText(std::string name, std::string text) {
  keepForCrash(name, text);
  return loadSource(std::move(name), std::move(text), SourceOrigin::Generated);
}

Result<std::unique_ptr<Module>> Session::loadSource(std::string name, std::string text, SourceOrigin origin) {
  bool again = std::find(loaded_.begin(), loaded_.end(), name) != loaded_.end();
  if (!again) loaded_.push_back(name);
  uint32_t index = sources_.add(std::move(name), std::move(text), origin);
  if (!again) return lower(index, diagnostics_);
  Diagnostics repeated;
  repeated.wantRemarks(false);
  Result<std::unique_ptr<Module>> module = lower(index, repeated);
  if (!module) // for the values of parameters on another target
    for (const Diagnostic &d : repeated.all())
      if (d.severity == Severity::Error) diagnostics_.report(d.code, d.range, d.message) = d;
  return module;
}

Result<std::unique_ptr<Module>> Session::loadWith(const std::string &path, const Defines &values) {
  Result<std::string> text = readFile(path);
  if (!text) return text.error();
  Diagnostics repeated;
  repeated.wantRemarks(false);
  return lower(sources_.add(path, std::move(*text)), repeated, values);
}

Result<std::unique_ptr<Module>> Session::lower(uint32_t file, Diagnostics &diagnostics, const Defines &values) {
  LowerOptions options;
  options.defines = options_.defines;
  options.defines.insert(options.defines.end(), values.begin(), values.end());
  options.sizes = options_.sizes;
  options.target = target_;
  options.imports = importsFromDisk();
  options.imports.read = [this, read = options.imports.read](const std::string &path) {
    lookedAt_.push_back(watchedFile(path));
    Result<std::string> text = read(path);
    if (text) keepForCrash(path, *text);
    return text;
  };
  stage("reading and checking");
  return loadModule(sources_, file, context_, options, diagnostics,
                    [this](std::string step, double milliseconds) { addTiming(std::move(step), milliseconds); });
}

void Session::keepForCrash(const std::string &name, const std::string &text) {
  constexpr size_t kMostFiles = kMostCrashNotes - 64; // leaves room for notes other than sources
  if (kept_.size() >= kMostFiles || std::ranges::any_of(kept_, [&](const KeptText &kept) { return kept.name == name; })) return;
  kept_.emplace_back(name, bundleName(name), text);
}

void Session::forgetForCrash() {
  kept_.clear();
  beforeCode_.reset();
}

void Session::beforeCode(const Module &module, std::string_view target, std::string_view options) {
  const Target *made = findTarget(target);
  std::string emit = made && !made->outputs().empty() ? str(" --emit=", outputName(made->outputs()[0])) : "";
  beforeCode_ = std::make_unique<KeptText>(
      "", "before.xt", str("// xt-reproducer: xtc --run= --target=", target, emit, options, " before.xt\n", print(module)));
}

void Session::dump(std::string_view pass, const std::string &text) {
  ++dumps_;
  if (options_.dumpDir.empty()) {
    stage("");
    std::printf("// after %.*s\n%s", static_cast<int>(pass.size()), pass.data(), text.c_str());
    return;
  }
  ::mkdir(options_.dumpDir.c_str(), 0777);
  char number[16];
  std::snprintf(number, sizeof number, "%02d-", dumps_);
  Result<void> written = writeOutputFile(str(options_.dumpDir, "/", number, pass, ".xt"), {text});
  if (!written && dumpError_.ok()) dumpError_ = written;
}

Result<void> Session::runPasses(Module &module, std::span<const std::string_view> names, bool roundTrip,
                                const TargetInfo *target) {
  Result<std::vector<const PassInfo *>> passes = passesNamed(names);
  if (!passes) return passes.error();
  PassOptions options;
  options.target = target;
  options.verifyEach = options_.verifyEach || roundTrip;
  for (const std::string &name : options_.dumpAfter) {
    if (name == "all")
      options.dumpAll = true;
    else
      options.dumpAfter.push_back(name);
  }
  options.dump = [this](std::string_view pass, const std::string &text) { dump(pass, text); };
  options.timing = [this](const PassTiming &timing) {
    addTiming(str("pass ", timing.pass, " (", timing.opsBefore, " -> ", timing.opsAfter, " ops)"), timing.milliseconds);
  };
  options.keepBefore = true;
  beforeCode_.reset();
  options.begins = [this](std::string_view pass) { stage(str("pass ", pass)); };
  if (roundTrip)
    options.roundTrip = [](const Module &m) -> std::optional<std::string> {
      SourceManager sources;
      uint32_t index = sources.add("<dump>", print(m));
      Diagnostics diagnostics;
      Context context;
      Result<std::unique_ptr<Module>> again = lowerFile(sources, index, context, {}, diagnostics);
      if (!again) return "the printed module does not compile:\n" + renderText(diagnostics, sources, false);
      return firstDifference(m, **again);
    };
  Result<void> ran = xt::runPasses(module, *passes, options, diagnostics_);
  if (!ran) return ran;
  return dumpError_;
}

Result<void> Session::runPassesQuietly(Module &module, std::span<const std::string_view> names, const TargetInfo &target) {
  Result<std::vector<const PassInfo *>> passes = passesNamed(names);
  if (!passes) return passes.error();
  PassOptions options;
  options.target = &target;
  options.verifyEach = options_.verifyEach;
  options.begins = [this](std::string_view pass) { stage(str("pass ", pass, " again, for the buffers of a launch")); };
  Diagnostics repeated;
  repeated.wantRemarks(false);
  return xt::runPasses(module, *passes, options, repeated);
}

void Session::printDiagnostics() {
  const DiagnosedSources all[] = {{&diagnostics_, &sources_}};
  if (options_.json)
    std::printf("%s\n", renderJson(all).c_str());
  else if (options_.sarif)
    std::fputs(renderSarif(all).c_str(), stdout);
  else
    std::fputs(renderText(diagnostics_, sources_, color_).c_str(), stderr);
  diagnostics_.clear();
}

void printDiagnostics(const CommonOptions &options, std::span<const std::unique_ptr<Session>> sessions) {
  std::vector<DiagnosedSources> all;
  for (const auto &session : sessions) all.push_back({&session->diagnostics(), &session->sources()});
  if (options.json)
    std::printf("%s\n", renderJson(all).c_str());
  else if (options.sarif)
    std::fputs(renderSarif(all).c_str(), stdout);
  else
    for (const auto &session : sessions) session->printDiagnostics();
}

void Session::printTimings() const {
  double total = 0;
  std::fprintf(stderr, "%10s  step\n", "ms");
  for (const Timing &t : timings_) {
    if (t.whole) continue;
    std::fprintf(stderr, "%10.2f  %s\n", t.milliseconds, t.name.c_str());
    total += t.milliseconds;
  }
  std::fprintf(stderr, "%10.2f  sum of the steps\n", total);
  for (const Timing &t : timings_)
    if (t.whole) std::fprintf(stderr, "%10.2f  %s, which contains some of the steps\n", t.milliseconds, t.name.c_str());
}

} // namespace xt
