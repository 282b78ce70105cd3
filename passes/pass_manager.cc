#include "passes/pass_manager.h"

#include "ir/base/check.h"
#include "ir/base/crash.h"
#include "ir/base/text.h"
#include "ir/print.h"
#include "ir/verify/verify.h"
#include "passes/facts.h"
#include "passes/passes.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>

namespace xt {
namespace {

// Returns the names of the passes that give a form, for a message: "`infer-layouts`", or several joined by "or".
std::string passesThatGive(Form form) {
  std::vector<std::string> names;
  for (const PassInfo &pass : kPasses)
    if (std::ranges::count(pass.gives, form) > 0) names.push_back(str("`", pass.name, "`"));
  return join(names, " or ");
}

class Run {
public:
  Run(Module &module, const PassOptions &options, Diagnostics &diagnostics)
      : module_(module), options_(options), diagnostics_(diagnostics) {
    setCheckHook([](void *run) { static_cast<Run *>(run)->checkFailed(); }, this);
  }
  ~Run() { setCheckHook(nullptr, nullptr); }
  Run(const Run &) = delete;
  Run &operator=(const Run &) = delete;

  Result<void> pass(const PassInfo &pass);

private:
  bool needsAreMet(const PassInfo &pass);
  Result<void> timed(const PassInfo &pass);
  void updateForms(const PassInfo &pass);
  void check(const PassInfo &pass);
  void dump(const PassInfo &pass);
  // Prints the name of the pass after the message of a failed XT_CHECK.
  void checkFailed();

  Module &module_;
  const PassOptions &options_;
  Diagnostics &diagnostics_;
  const PassInfo *current_ = nullptr;
  std::string before_; // text of the module before the current pass, after a line with the command that runs the pass
};

void Run::checkFailed() {
  if (!current_) return;
  std::fprintf(stderr, "  in the pass `%.*s`\n", static_cast<int>(current_->name.size()), current_->name.data());
}

bool Run::needsAreMet(const PassInfo &pass) {
  for (const auto &kernel : module_.kernels)
    for (Form form : pass.needs) {
      if (kernel->forms.has(form)) continue;
      // A kernel that satisfies a form without stating it is accepted: source text at subgroup scope, for example, has subgroup
      // tiles.
      Diagnostics found;
      if (verifyForm(form, *kernel, module_.context(), found)) {
        kernel->forms.add(form);
        continue;
      }
      diagnostics_
          .report(DiagCode::InvalidIr, kernel->nameRange,
                  str("the pass `", pass.name, "` needs the form `", formText(form), "`, which ", symbolText(kernel->name),
                      " does not have"))
          .note(found.all()[0].message)
          .note(str("run ", passesThatGive(form), " first"));
      return false;
    }
  return true;
}

Result<void> Run::timed(const PassInfo &pass) {
  if (!options_.timing) return runPass(pass, module_, options_.target, diagnostics_);
  PassTiming timing{pass.name, 0, countOps(module_), 0};
  auto start = std::chrono::steady_clock::now();
  Result<void> result = runPass(pass, module_, options_.target, diagnostics_);
  timing.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  timing.opsAfter = countOps(module_);
  options_.timing(timing);
  return result;
}

void Run::updateForms(const PassInfo &pass) {
  for (const auto &kernel : module_.kernels) {
    for (Form form : pass.drops) kernel->forms.drop(form);
    for (Form form : pass.gives) kernel->forms.add(form);
  }
}

void Run::check(const PassInfo &pass) {
  Diagnostics found;
  if (options_.verifyEach && !verify(module_, found)) {
    std::string text = str("the pass `", pass.name, "` produced invalid IR");
    for (const Diagnostic &diagnostic : found.all()) {
      text += "\n  " + diagnostic.message;
      for (const std::string &note : diagnostic.notes) text += "\n    " + note;
    }
    XT_CHECK(false, text);
  }
  if (!options_.roundTrip) return;
  if (std::optional<std::string> difference = options_.roundTrip(module_))
    XT_CHECK(false, str("after the pass `", pass.name, "` the IR changes when it is printed and parsed again: ", *difference));
}

void Run::dump(const PassInfo &pass) {
  const auto &names = options_.dumpAfter;
  bool wanted = options_.dumpAll || std::find(names.begin(), names.end(), pass.name) != names.end();
  if (wanted && options_.dump) options_.dump(pass.name, print(module_));
}

Result<void> Run::pass(const PassInfo &pass) {
  if (!needsAreMet(pass)) return Error::diagnosed();
  // If a check fails inside the pass, the module may be inconsistent by then, so its text is taken before the pass.
  std::optional<CrashNote> note;
  if (options_.keepBefore) {
    before_ = str("// xt-reproducer: xtc --run=", pass.name, options_.target ? str(" --target=", options_.target->name) : "",
                  " before.xt\n", print(module_));
    note.emplace("before.xt", before_);
  }
  current_ = &pass;
  if (options_.begins) options_.begins(pass.name);
  Result<void> result = timed(pass);
  if (result) {
    updateForms(pass);
    check(pass);
    dump(pass);
  }
  current_ = nullptr;
  return result;
}

} // namespace

Result<void> runPass(const PassInfo &pass, Module &module, const TargetInfo *target, Diagnostics &diagnostics) {
  if (target && pass.targetFunction) return pass.targetFunction(module, *target, diagnostics);
  if (pass.function) return pass.function(module, diagnostics);
  return Error::environment(
      str("the pass `", pass.name, "` needs a hardware target, such as --target=", targetInfos()[0].name));
}

Result<void> runPasses(Module &module, std::span<const PassInfo *const> passes, const PassOptions &options,
                       Diagnostics &diagnostics) {
  // A module from a file edited by hand may violate the forms that it declares: that is a user error.
  if (options.verifyEach)
    if (Result<void> sound = verify(module, diagnostics); !sound) return sound;
  Run run(module, options, diagnostics);
  for (const PassInfo *pass : passes) {
    if (options.stop && options.stop()) return Error::environment("compilation was stopped");
    if (Result<void> done = run.pass(*pass); !done) return done;
  }
  return {};
}

} // namespace xt
