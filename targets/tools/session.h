// What xtc and xtrun share: reading files, the front end, passes with their dumps and timings, and printing messages.
#pragma once
#include "ir/base/crash.h"
#include "ir/base/output_file.h"
#include "lang/lower/disk.h"
#include "lang/lower/lower.h"
#include "passes/pass_manager.h"
#include "targets/tools/options.h"
#include "targets/tools/watch.h"

#include <chrono>
#include <deque>
#include <memory>
#include <functional>
#include <optional>
#include <span>

namespace xt {

class Session;
// The same for several sessions: one document for all of them.
void printDiagnostics(const CommonOptions &options, std::span<const std::unique_ptr<Session>> sessions);

// What is wrong with the pass names of a command line, for a usage error.
std::optional<std::string> unknownPass(const CommonOptions &options, std::span<const std::string> run);

class Session {
public:
  explicit Session(const CommonOptions &options);

  // Parses, checks, lowers and verifies one file. Errors are in diagnostics(); environment errors are returned. What has
  // been loaded before (for another target) gives its warnings and remarks once.
  Result<std::unique_ptr<Module>> load(const std::string &path);
  // The same for a text that is in no file.
  Result<std::unique_ptr<Module>> loadText(std::string name, std::string text);
  // Runs passes by name with the dumps, timings and checks that the options ask for.
  Result<void> runPasses(Module &module, std::span<const std::string_view> passes, bool roundTrip, const TargetInfo *target = nullptr);

  // The same passes for other hardware, without dumps, timings and messages.
  Result<void> runPassesQuietly(Module &module, std::span<const std::string_view> passes, const TargetInfo &target);

  // Code is made of the module next: until other passes run, a crash bundle holds it as before.xt.
  void beforeCode(const Module &module, std::string_view target);
  // Takes what is done next, where it may take long: "pass cse".
  void onStage(std::function<void(std::string)> stage) { stage_ = std::move(stage); }
  void stage(std::string text) const {
    if (stage_) stage_(std::move(text));
  }

  SourceManager &sources() { return sources_; }
  Diagnostics &diagnostics() { return diagnostics_; }
  Context &context() { return context_; }

  // Prints the collected diagnostics to standard error (text) or standard output (JSON, SARIF) and forgets them.
  void printDiagnostics();
  // Every file that was read or looked for, in order, as it was just before.
  const std::vector<WatchedFile> &lookedAt() const { return lookedAt_; }
  bool useColor() const { return color_; }

  // One row of --time-passes; kept in order.
  void addTiming(std::string name, double milliseconds) { timings_.push_back({std::move(name), milliseconds}); }
  void printTimings() const;
  // Milliseconds since the process began, its loading included.
  static double sinceStart();

private:
  Result<std::unique_ptr<Module>> loadSource(std::string name, std::string text, SourceOrigin origin);
  Result<std::unique_ptr<Module>> lower(uint32_t file, Diagnostics &diagnostics);
  void dump(std::string_view pass, const std::string &text);
  // What was read is in a crash bundle, once.
  void keepForCrash(const std::string &name, const std::string &text);
  Result<void> dumpError_;
  const CommonOptions &options_;
  SourceManager sources_;
  Diagnostics diagnostics_;
  Context context_;
  std::vector<std::string> loaded_; // names of files
  std::vector<WatchedFile> lookedAt_;
  struct KeptText {
    KeptText(std::string path, const std::string &fileName, std::string content) : name(std::move(path)), text(std::move(content)), note(fileName, text) {}
    std::string name, text;
    CrashNote note;
  };
  std::deque<KeptText> kept_; // stays where it is
  std::unique_ptr<KeptText> beforeCode_;
  std::function<void(std::string)> stage_;
  bool color_ = false;
  struct Timing {
    std::string name;
    double milliseconds;
  };
  std::vector<Timing> timings_;
  int dumps_ = 0;
};

// Milliseconds that `f` takes.
template <class F> double timed(F &&f) {
  auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

} // namespace xt
