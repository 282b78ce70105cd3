// Tests that chains of integer casts and logic on masks become valid SPIR-V on every GPU, for all vector lengths that lanes may
// have.
#include "ir/base/output_file.h"
#include "tests/targets/integer_kernels.h"
#include "tests/targets/xe/emit/gpu_program.h"

namespace xt::test {
namespace {

class IntegerWidths : public testing::TestWithParam<std::string_view> {
protected:
  void SetUp() override {
    if (Result<ToolOutput> there = runTool("spirv-val", "spirv-tools", {"--version"}); !there)
      GTEST_SKIP() << there.error().message;
    Result<ScratchDirectory> made = ScratchDirectory::make();
    ASSERT_TRUE(made.ok());
    scratch = std::make_unique<ScratchDirectory>(std::move(*made));
  }

  void expectValid(const std::string &text) {
    GpuProgram program(text, GetParam());
    ASSERT_TRUE(program);
    GpuCode made = program.spirv();
    ASSERT_FALSE(made.binary.empty());
    ASSERT_TRUE(writeOutputFile(scratch->file("k.spv"),
                                {std::string_view(reinterpret_cast<const char *>(made.binary.data()), made.binary.size())})
                    .ok());
    Result<ToolOutput> checked = runTool("spirv-val", "spirv-tools", {"k.spv"}, {.directory = scratch->path()});
    ASSERT_TRUE(checked.ok());
    EXPECT_EQ(checked->status, 0) << checked->output;
  }

  std::unique_ptr<ScratchDirectory> scratch;
};

TEST_P(IntegerWidths, ChainsOfCasts) {
  for (Elem elem : kIntegerElems)
    for (bool ofLanes : {false, true}) {
      SCOPED_TRACE(str(elemName(elem), ofLanes ? ", of lanes" : ""));
      CastKernel kernel(elem, ofLanes);
      EXPECT_GT(kernel.casts(), 50);
      expectValid(kernel.text());
      if (HasFailure()) return;
    }
}

TEST_P(IntegerWidths, TheLogicOfMasks) {
  for (Extents extents : kMaskShapes) {
    SCOPED_TRACE(str(extents.rows, "x", extents.columns));
    expectValid(maskKernel(extents));
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, IntegerWidths, testing::Values("xe-pvc", "xe-bmg", "xe-dg2", "spirv"),
                         [](const auto &target) {
                           std::string name(target.param);
                           std::erase(name, '-');
                           return name;
                         });

} // namespace
} // namespace xt::test
