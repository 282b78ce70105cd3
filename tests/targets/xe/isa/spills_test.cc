// Compiles kernels with Intel's offline compiler. There must be no unknown functions, on PVC no spills, and on DG2, whose
// registers are half as large, none in examples and in the library but for those that are listed (tests/bench/xe/README.md).
#include "ir/base/text.h"
#include "targets/xe/isa/isa_report.h"
#include "targets/xe/isa/offline_compiler.h"
#include "tests/effort.h"
#include "tests/targets/tools/gpu_kernels.h"
#include "tests/targets/xe/emit/gpu_program.h"
#include "tests/targets/xe/isa/shim.h"

#include <algorithm>
#include <limits>

namespace xt::test {
namespace {

// Kernels of examples and of the library that spill on DG2, and how many bytes at most; those whose names end in
// parameters have them from a test.
struct KnownSpill {
  std::string_view kernel;
  int64_t bytes;
};
constexpr KnownSpill kKnownOnDg2[] = {
    {"attention_part", 4512},
    {"paged_attention", 704},
    {"paged_attention_PAGED_T_bf16_PAGED_D_128_PAGED_PAGE_32", 3808},
    {"attention_dq_BACKWARD_T_bf16_BACKWARD_D_32_BACKWARD_BM_32_BACKWARD_BN_64", 224},
    {"attention_dkv_BACKWARD_T_bf16_BACKWARD_D_32_BACKWARD_BM_32_BACKWARD_BN_64", 17696},
};

// The most bytes that a kernel may spill; nothing is demanded of other implementations' kernels on DG2.
int64_t mostBytes(const std::string &gpu, const std::filesystem::path &path, const std::string &kernel) {
  if (gpu == "xe-pvc") return 0;
  std::string folder = path.parent_path().filename().string();
  if (folder != "examples" && folder != "stdlib") return std::numeric_limits<int64_t>::max();
  auto known = std::ranges::find(kKnownOnDg2, kernel, &KnownSpill::kernel);
  return known == std::end(kKnownOnDg2) ? 0 : known->bytes;
}

// Compiles the kernels of a file and checks them. Returns false if the GPU or the compiler does not support them, or if the
// option selects inline assembly, but no kernel has any.
bool check(const std::filesystem::path &path, const std::string &gpu, SpirvExtensions extensions = SpirvExtensions::None) {
  XeEmitOptions options;
  options.definitions = deviceShim();
  options.extensions = extensions;
  GpuProgram program(contentsOf(path.string()), gpu, options);
  if (!program || !program.fits()) return false;
  GpuCode made = program.spirv();
  if (extensions == SpirvExtensions::InlineAssembly && !made.inlineAssembly) return false;
  Result<std::vector<std::string>> listings = compileOffline(made, gpu);
  // 64-bit divisions call functions that Debian's compiler does not contain.
  if (!listings.ok() && listings.error().message.find("`GenISA_fma_rtz`") != std::string::npos) return false;
  if (!listings.ok()) return ADD_FAILURE() << path << ": " << listings.error().message, false;
  for (size_t i = 0; i < made.kernels.size(); ++i) {
    IsaReport report = readIsa((*listings)[i]);
    std::string where = str(gpu, " ", path.filename().string(), " @", made.kernels[i].entry);
    EXPECT_EQ(report.unknownCalls, 0u) << where;
    EXPECT_LE(report.spilledBytes, mostBytes(gpu, path, made.kernels[i].entry)) << where;
  }
  return true;
}

class Spills : public testing::TestWithParam<const char *> {};

TEST_P(Spills, OfEveryKernel) {
  if (Result<ToolOutput> there = runTool("ocloc", "intel-opencl-icd", {"--version"}); !there)
    GTEST_SKIP() << there.error().message;
  if (std::string_view(GetParam()) != "xe-pvc" && !test::everything())
    GTEST_SKIP() << "set XT_LANES_ON_CPU, as tests/run --full does";
  size_t checked = 0;
  for (const std::filesystem::path &path : gpuKernels()) {
    std::string folder = path.parent_path().filename().string();
    bool ours = folder == "examples" || folder == "stdlib";
    if ((ours || test::everything()) && limitsBroken(path, GetParam()).empty()) checked += check(path, GetParam());
  }
  EXPECT_GE(checked, 10u);
}

// Payloads in registers may not make kernels spill. Outside of tests/run --full, only every other file is compiled.
TEST(SpillsOfPayloads, AreNoMore) {
  if (Result<ToolOutput> there = runTool("ocloc", "intel-opencl-icd", {"--version"}); !there)
    GTEST_SKIP() << there.error().message;
  size_t checked = 0, number = 0;
  for (const std::filesystem::path &path : gpuKernels()) {
    std::string folder = path.parent_path().filename().string();
    if ((folder != "examples" && folder != "stdlib") || !isTurn(number++, 0, 2)) continue;
    if (limitsBroken(path, "xe-pvc").empty()) checked += check(path, "xe-pvc", SpirvExtensions::InlineAssembly);
  }
  EXPECT_GE(checked, everything() ? 10u : 5u);
}

INSTANTIATE_TEST_SUITE_P(Gpus, Spills, testing::Values("xe-pvc", "xe-dg2"), [](const auto &param) {
  std::string name(param.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

} // namespace
} // namespace xt::test
