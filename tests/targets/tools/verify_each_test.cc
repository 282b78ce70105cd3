// Tests that the verifier accepts the IR that each pass makes of every kernel in the tree, on every GPU.
#include "tests/targets/tools/run_tool.h"

#include <gtest/gtest.h>

namespace xt::test {
namespace {

class VerifyEach : public testing::TestWithParam<const char *> {};

TEST_P(VerifyEach, OfEveryKernel) {
  int count = 0;
  for (const char *folder : {"stdlib", "examples", "tests/peers", "tests/targets/xe/run", "tests/targets/tools/blocks"}) {
    // The status is 2 if the target rejects some of the files, and 70 if a pass makes invalid IR.
    ToolRun run = runTool(std::string("cd %src/") + folder + " && XT_CRASH_DIR= %bin/xtc --target=" + GetParam() +
                          " --emit=llvm --verify-each $(ls *.xt | grep -v fail_)");
    EXPECT_TRUE(run.status == 0 || run.status == 2) << folder << ": status " << run.status << "\n"
                                                    << run.output.substr(0, 4000);
    for (size_t at = 0; (at = run.output.find("\ndefine ", at)) != std::string::npos; ++at) ++count;
  }
  EXPECT_GT(count, 100) << "almost nothing was compiled";
}

INSTANTIATE_TEST_SUITE_P(Gpus, VerifyEach, testing::Values("xe-pvc", "xe-dg2", "xe-bmg", "spirv", "spirv-coop"),
                         [](const auto &instance) {
                           std::string name = instance.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

} // namespace
} // namespace xt::test
