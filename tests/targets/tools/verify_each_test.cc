// The verifier accepts what each pass makes of every kernel in the tree, on every GPU.
#include "tests/targets/tools/run_tool.h"

#include <gtest/gtest.h>

namespace xt::test {
namespace {

class VerifyEach : public testing::TestWithParam<const char *> {};

TEST_P(VerifyEach, OfEveryKernel) {
  int count = 0;
  for (const char *folder : {"stdlib", "examples", "tests/peers", "tests/targets/xe/run", "tests/targets/tools/blocks"}) {
    // Files that a target refuses have status 2; a pass that makes invalid IR ends with 70.
    ToolRun run = runTool(std::string("cd %src/") + folder + " && XT_CRASH_DIR= %bin/xtc --target=" + GetParam() +
                          " --emit=llvm --verify-each $(ls *.xt | grep -v fail_) | grep -c '^define'");
    EXPECT_EQ(run.output.find("compiler bug"), std::string::npos) << folder << "\n" << run.output.substr(0, 4000);
    count += std::atoi(run.output.substr(run.output.rfind('\n', run.output.size() - 2) + 1).c_str());
  }
  EXPECT_GT(count, 100) << "almost nothing was compiled";
}

INSTANTIATE_TEST_SUITE_P(Gpus, VerifyEach, testing::Values("xe-pvc", "xe-dg2", "xe-bmg", "spirv"), [](const auto &instance) {
  std::string name = instance.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

} // namespace
} // namespace xt::test
