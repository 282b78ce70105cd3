// Functions that xtc and xtrun share: reading files, the front end, passes with their dumps and timings, and printing
// messages.
#pragma once
#include "ir/base/crash.h"
#include "ir/base/output_file.h"
#include "lang/lower/disk.h"
#include "lang/lower/lower.h"
#include "passes/pass_manager.h"
#include "targets/compile/front_end.h"
#include "targets/tools/options.h"
#include "targets/tools/watch.h"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace xt {

class Session;
// Prints the messages of several sessions as one document.
void printDiagnostics(const CommonOptions &options, std::span<const std::unique_ptr<Session>> sessions);

// The unknown pass in a command line, as the text of a usage error; nullopt if all are known.
std::optional<std::string> unknownPass(const CommonOptions &options, std::span<const std::string> run);

class Session {
public:
  explicit Session(const CommonOptions &options);

  // Sets the target whose values parameters have in modules that are loaded from now on (LowerOptions::target).
  void setTarget(std::string target) { target_ = std::move(target); }
  void setTarget(const Target &target); // or the hardware that it is named after

  // Parses, checks, lowers and verifies one file. Errors are in diagnostics(); environment errors are returned.
  // Warnings and remarks of a file that was loaded before (for another target) are not repeated.
  Result<std::unique_ptr<Module>> load(const std::string &path);
  // Like load(), for a text that is not in a file.
  Result<std::unique_ptr<Module>> loadText(std::string name, std::string text);
  // Like load() for a file that was loaded before, with other values of its parameters.
  Result<std::unique_ptr<Module>> loadWith(const std::string &path, const Defines &values);
  // Runs passes by name with the dumps, timings and checks that the options request.
  Result<void> runPasses(Module &module, std::span<const std::string_view> passes, bool roundTrip,
                         const TargetInfo *target = nullptr);

  // Runs the passes for other hardware, without dumps, timings and messages.
  Result<void> runPassesQuietly(Module &module, std::span<const std::string_view> passes, const TargetInfo &target);

  // Call before generating code for the module: until other passes run, a crash bundle contains it as before.xt.
  // `options`: those of the command line that change the code.
  void beforeCode(const Module &module, std::string_view target, std::string_view options = "");
  // Sets a function that is called with the name of each step that may take long: "pass cse".
  void onStage(std::function<void(std::string)> stage) { stage_ = std::move(stage); }
  void stage(std::string text) const {
    if (stage_) stage_(std::move(text));
  }

  SourceManager &sources() { return sources_; }
  Diagnostics &diagnostics() { return diagnostics_; }
  Context &context() { return context_; }

  // Prints the collected diagnostics to standard error (text) or standard output (JSON, SARIF) and discards them.
  void printDiagnostics();
  // Call when the file is done, if the session lives on: its texts are no longer added to crash bundles, whose room is limited.
  void forgetForCrash();
  // Every file that was read or looked for, in order, with its state just before that.
  const std::vector<WatchedFile> &lookedAt() const { return lookedAt_; }
  bool useColor() const { return color_; }

  // One row of --time-passes; rows keep their order.
  // `whole`: the time contains that of other steps, so that it is not a part of the sum.
  void addTiming(std::string name, double milliseconds, bool whole = false) {
    timings_.push_back({std::move(name), milliseconds, whole});
  }
  void printTimings() const;
  // Milliseconds since the start of the process, including its loading.
  static double sinceStart();

private:
  Result<std::unique_ptr<Module>> loadSource(std::string name, std::string text, SourceOrigin origin);
  Result<std::unique_ptr<Module>> lower(uint32_t file, Diagnostics &diagnostics, const Defines &values = {});
  void dump(std::string_view pass, const std::string &text);
  // Adds a text that was read to a crash bundle, once per name.
  void keepForCrash(const std::string &name, const std::string &text);
  Result<void> dumpError_;
  const CommonOptions &options_;
  std::string target_;
  SourceManager sources_;
  Diagnostics diagnostics_;
  Context context_;
  std::vector<std::string> loaded_; // names of loaded files
  std::vector<WatchedFile> lookedAt_;
  struct KeptText {
    KeptText(std::string path, const std::string &fileName, std::string content)
        : name(std::move(path)), text(std::move(content)), note(fileName, text) {}
    std::string name, text;
    CrashNote note;
  };
  std::deque<KeptText> kept_; // elements never move
  std::unique_ptr<KeptText> beforeCode_;
  std::function<void(std::string)> stage_;
  bool color_ = false;
  struct Timing {
    std::string name;
    double milliseconds;
    bool whole;
  };
  std::vector<Timing> timings_;
  int dumps_ = 0;
};

} // namespace xt
