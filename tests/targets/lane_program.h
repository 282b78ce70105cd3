// A file of kernels, lowered to lane scope for a GPU.
#pragma once
#include "ir/verify/target_limits.h"
#include "lang/lower/lower.h"
#include "passes/pass_manager.h"
#include "passes/pipelines.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace xt::test {

inline std::string contentsOf(const std::string &path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

class LaneProgram {
public:
  LaneProgram(const std::string &text, std::string_view target) : target_(*findTargetInfo(target)) {
    LowerOptions lowerOptions;
    lowerOptions.target = target;
    lowerOptions.imports = {[](const std::string &path) -> Result<std::string> {
                              std::ifstream in(path);
                              return in ? Result<std::string>(contentsOf(path)) : noSuchFile();
                            },
                            XT_SOURCE_DIR "/stdlib"};
    auto lowered = lowerFile(sources_, sources_.add("test.xt", text), context_, lowerOptions, diagnostics_);
    EXPECT_TRUE(lowered.ok()) << messages();
    // Before the passes, only XeGPU ops that users have written can exceed the limits.
    if (!lowered.ok() || !checkTargetLimits(**lowered, target_, sources_, diagnostics_)) return;
    module_ = std::move(*lowered);
    PassOptions passOptions;
    passOptions.target = &target_;
    bool copies = !target_.asyncCopyBytes.empty();
    Result<void> ran =
        runPasses(*module_, copies ? passesOf(kAsyncLanePipeline) : passesOf(kLanePipeline), passOptions, diagnostics_);
    if (ran.ok()) return;
    // The passes refuse only the products of joint matrices that the target lacks.
    bool lacksProduct = !diagnostics_.all().empty() && diagnostics_.all().back().code == DiagCode::MatrixCombination;
    EXPECT_TRUE(lacksProduct) << messages();
    module_ = nullptr;
  }
  explicit operator bool() const { return module_ != nullptr; }
  std::string messages() const { return renderText(diagnostics_, sources_, false); }
  // Whether the lowered module is within the limits of the target.
  bool fits() { return module_ && checkTargetLimits(*module_, target_, sources_, diagnostics_).ok(); }
  const Diagnostics &diagnostics() const { return diagnostics_; }
  const SourceManager &sources() const { return sources_; }
  Module &module() { return *module_; }

protected:
  const TargetInfo &target_;
  SourceManager sources_;
  Diagnostics diagnostics_;
  Context context_;
  std::unique_ptr<Module> module_;
};

inline size_t countOf(std::string_view what, std::string_view in) {
  size_t count = 0;
  for (size_t at = 0; (at = in.find(what, at)) != std::string_view::npos; at += what.size()) ++count;
  return count;
}

} // namespace xt::test
