// Tests that integer casts, masks and computations on them compile with Intel's offline compiler, on GPUs with and without
// block messages.
#include "ir/elem_kinds.h"
#include "targets/xe/isa/offline_compiler.h"
#include "tests/effort.h"
#include "tests/targets/integer_kernels.h"
#include "tests/targets/xe/emit/gpu_program.h"

namespace xt::test {
namespace {

// The sizes of rows do not fit any block message, because the offline compiler lacks the functions for block messages.
constexpr const char *kComparedMasks = R"(kernel @k(%A: memref<15x7xf16>, %C: memref<15x7xf16>) {
  %ta = init_tile %A[0, 0] -> tile<15x7xf16>
  %tc = init_tile %C[0, 0] -> tile<15x7xf16>
  %a = load_tile %ta
  %r = fma(%a, %a, %a)
  %m = %a < 3
  %n = %r < %a
  %e = arith.cmpi eq, %m, %n : vector<15x7xi1>
  %s = select(%e, %a, %r)
  store_tile %s, %tc
}
)";

class IntegersOffline : public testing::TestWithParam<std::string_view> {
protected:
  void SetUp() override {
    if (Result<ToolOutput> there = runTool("ocloc", "intel-opencl-icd", {"--version"}); !there)
      GTEST_SKIP() << there.error().message;
  }
  void expectCompiled(const std::string &text) {
    GpuProgram program(text, GetParam());
    ASSERT_TRUE(program);
    Result<std::vector<std::string>> listings = compileOffline(program.spirv(), GetParam());
    EXPECT_TRUE(listings.ok()) << listings.error().message << "\n" << text;
  }
};

TEST_P(IntegersOffline, Masks) {
  for (Extents extents : {Extents{1, 7}, Extents{3, 5}, Extents{13, 7}}) expectCompiled(maskKernel(extents));
  expectCompiled(kComparedMasks);
}

// The compiler takes long for these kernels: outside of tests/run --full, each GPU takes every other one.
TEST_P(IntegersOffline, Casts) {
  size_t own = GetParam() == "xe-dg2", number = 0;
  for (Elem elem : {Elem::I1, Elem::U8, Elem::I64}) {
    for (bool ofLanes : {false, true})
      if (isTurn(number + ofLanes, own, 2)) expectCompiled(CastKernel(elem, ofLanes).text());
    ++number;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, IntegersOffline, testing::Values("xe-pvc", "xe-dg2"), [](const auto &target) {
  std::string name(target.param);
  std::erase(name, '-');
  return name;
});

} // namespace
} // namespace xt::test
