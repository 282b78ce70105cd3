// Compiles every kernel with Intel's offline compiler. There must be no unknown functions, on PVC no spills, and on DG2, whose
// registers are half as large, none in the files and kernels whose tiles are chosen for it (tests/bench/xe/README.md).
#include "ir/base/text.h"
#include "targets/xe/isa/isa_report.h"
#include "targets/xe/isa/offline_compiler.h"
#include "tests/targets/tools/effort.h"
#include "tests/targets/tools/gpu_kernels.h"
#include "tests/targets/xe/emit/gpu_program.h"
#include "tests/targets/xe/isa/shim.h"

#include <algorithm>

namespace xt::test {
namespace {

constexpr std::string_view kNoneOnDg2[] = {
    "gemm.xt",        "gemm_variants.xt", "mx_gemm.xt",   "moe.xt",           "layernorm.xt",
    "scan.xt",        "recurrence.xt",    "attention.xt", "fp8_gemm.xt",      "cholesky.xt",
    "fft.xt",         "softmax.xt",       "rmsnorm.xt",   "norm_backward.xt", "int8_gemm_weights.xt",
    "activations.xt", "reductions.xt",    "rope.xt",      "topk.xt",          "cross_entropy.xt",
    "csr.xt",         "gather_rows.xt",   "histogram.xt", "random.xt"};

// Kernels with the parameters of their file, which its tests change.
constexpr std::string_view kKernelsOnDg2[] = {"attention_forward", "attention_delta", "attention_dq", "attention_dkv"};

bool mayNotSpill(const std::string &gpu, const std::string &file, const std::string &kernel) {
  return gpu == "xe-pvc" || std::ranges::find(kNoneOnDg2, file) != std::end(kNoneOnDg2) ||
         std::ranges::find(kKernelsOnDg2, kernel) != std::end(kKernelsOnDg2);
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
    std::string file = path.filename().string(), where = str(gpu, " ", file, " @", made.kernels[i].entry);
    EXPECT_EQ(report.unknownCalls, 0u) << where;
    if (mayNotSpill(gpu, file, made.kernels[i].entry)) {
      EXPECT_EQ(report.spilledBytes, 0) << where;
    }
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

// Payloads in registers may not make kernels spill.
TEST(SpillsOfPayloads, AreNoMore) {
  if (Result<ToolOutput> there = runTool("ocloc", "intel-opencl-icd", {"--version"}); !there)
    GTEST_SKIP() << there.error().message;
  size_t checked = 0;
  for (const std::filesystem::path &path : gpuKernels()) {
    std::string folder = path.parent_path().filename().string();
    if ((folder == "examples" || folder == "stdlib") && limitsBroken(path, "xe-pvc").empty())
      checked += check(path, "xe-pvc", SpirvExtensions::InlineAssembly);
  }
  EXPECT_GE(checked, 10u);
}

INSTANTIATE_TEST_SUITE_P(Gpus, Spills, testing::Values("xe-pvc", "xe-dg2"), [](const auto &param) {
  std::string name(param.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

} // namespace
} // namespace xt::test
