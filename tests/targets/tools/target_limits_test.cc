// What kernels ask of a GPU that it has not. limits/fail_CODE_NAME.TARGET.xt is refused for TARGET with what is in the .txt
// beside it, the first message with that code; any other limits/NAME.TARGET.xt goes through without one.
#include "ir/base/text.h"
#include "tests/targets/tools/gpu_kernels.h"
#include "tests/targets/tools/run_tool.h"

namespace xt {
namespace {

namespace fs = std::filesystem;

std::string targetOf(const fs::path &path) { return path.stem().extension().string().substr(1); }
bool mustFail(const fs::path &path) { return path.filename().string().starts_with("fail_"); }

test::ToolRun compile(const fs::path &path, const std::string &options = "") {
  return test::runTool("cd " + path.parent_path().string() + " && %bin/xtc --target=" + targetOf(path) + " " + options + " " + path.filename().string());
}

TEST(TargetLimits, EachIsReported) {
  size_t seen = 0;
  for (const auto &path : test::filesIn("targets/tools/limits", ".xt")) {
    if (!mustFail(path)) continue;
    SCOPED_TRACE(path.filename());
    test::ToolRun run = compile(path);
    EXPECT_EQ(run.status, 2);
    EXPECT_EQ(run.output.rfind("error[XT" + path.filename().string().substr(5, 4) + "]", 0), 0u) << run.output;
    fs::path golden = path;
    test::expectGolden(golden.replace_extension(".txt"), run.output);
    ++seen;
  }
  EXPECT_GE(seen, 30u);
}

TEST(TargetLimits, WhatJustFitsCompiles) {
  for (const auto &path : test::filesIn("targets/tools/limits", ".xt")) {
    if (mustFail(path)) continue;
    test::ToolRun run = compile(path);
    EXPECT_EQ(run.status, 0) << path;
    EXPECT_EQ(run.output, "") << path;
  }
}

// With passes of the user's choice as with all of them; and nothing is written of what is refused.
TEST(TargetLimits, AreCheckedAfterAnyPasses) {
  fs::path path = fs::path(XT_SOURCE_DIR) / "tests/targets/tools/limits/fail_0603_store_rows.xe-pvc.xt";
  test::ToolRun all = compile(path), some = compile(path, "--run=cse --emit=ir"), none = test::runTool("%bin/xtc --run=cse " + path.string());
  EXPECT_EQ(some.status, 2);
  EXPECT_EQ(some.output, all.output);
  EXPECT_EQ(none.status, 0) << none.output;
}

std::set<std::string> codesIn(const std::string &text) {
  std::set<std::string> codes;
  for (size_t at = text.find("[XT"); at != std::string::npos; at = text.find("[XT", at + 1)) codes.insert(text.substr(at + 3, 4));
  return codes;
}

TEST(TargetLimits, KernelsThatAreThereAreWithinThem) {
  size_t refused = 0;
  for (std::string_view gpu : test::kGpus) {
    std::string files;
    for (const fs::path &path : test::gpuKernels()) {
      std::set<std::string> broken = test::limitsBroken(path, gpu);
      if (broken.empty()) {
        files += " " + path.string();
        continue;
      }
      test::ToolRun run = test::runTool(str("%bin/xtc --target=", gpu, " ", path.string()));
      EXPECT_EQ(codesIn(run.output), broken) << gpu << ": " << path.filename() << '\n' << run.output;
      ++refused;
    }
    test::ToolRun run = test::runTool(str("%bin/xtc --target=", gpu, files));
    EXPECT_EQ(run.status, 0) << gpu;
    EXPECT_EQ(run.output, "") << gpu;
  }
  EXPECT_GE(refused, 1u);
}

} // namespace
} // namespace xt
