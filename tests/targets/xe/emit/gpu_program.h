// A file of kernels, lowered to lane scope for a GPU and translated to LLVM IR or SPIR-V.
#pragma once
#include "ir/verify/target_limits.h"
#include "lang/lower/lower.h"
#include "passes/pass_manager.h"
#include "passes/pipelines.h"
#include "targets/process/external_tool.h"
#include "targets/xe/emit/emit.h"

#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <sstream>

namespace xt::test {

inline std::string contentsOf(const std::string &path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

class GpuProgram {
public:
  explicit GpuProgram(const std::string &text, std::string_view target = "xe-pvc", XeEmitOptions options = {})
      : target_(*findTargetInfo(target)), options_(options) {
    options_.sources = &sources_;
    LowerOptions lowerOptions;
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
    Result<void> ran = runPasses(*module_, passesOf(kLanePipeline), passOptions, diagnostics_);
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
  std::string llvm() {
    Result<std::string> text = xeLlvmText(*module_, target_, options_, diagnostics_);
    EXPECT_TRUE(text.ok()) << (text.ok() ? "" : text.error().message);
    return text.ok() ? *text : "";
  }
  XeProgram spirv() {
    Result<XeProgram> program = compileToSpirv(*module_, target_, options_, diagnostics_);
    EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().message);
    return program.ok() ? std::move(*program) : XeProgram();
  }

private:
  const TargetInfo &target_;
  XeEmitOptions options_;
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
