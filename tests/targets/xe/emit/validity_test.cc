// Tests that the SPIR-V of programs is valid and deterministic, and calls only functions that devices know.
#include "ir/base/output_file.h"
#include "tests/effort.h"
#include "tests/targets/xe/emit/gpu_program.h"

#include <algorithm>
#include <filesystem>

namespace xt::test {
namespace {

std::vector<std::string> programs() {
  std::vector<std::string> paths;
  for (const char *folder :
       {"examples", "stdlib", "tests/rfc/mended", "tests/targets/interp/programs", "tests/targets/xe/run", "tests/peers"})
    for (const auto &entry : std::filesystem::directory_iterator(std::string(XT_SOURCE_DIR "/") + folder)) {
      std::string name = entry.path().filename().string();
      // Files that import other files are tested with the tools, not here.
      bool beside = contentsOf(entry.path()).find("import \"") != contentsOf(entry.path()).find("import \"std/");
      if (entry.path().extension() == ".xt" && !name.starts_with("fail_") && name != "moving.xt" && !beside)
        paths.push_back(entry.path().string());
    }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Whether spirv-val knows a capability. Debian 12's is of 2023, and has no cooperative matrices.
bool validatorKnows(const ScratchDirectory &scratch, uint32_t capability) {
  const uint32_t words[] = {0x07230203,
                            0x00010400,
                            0,
                            1,
                            0,                         // the header
                            2u << 16 | 17,
                            capability,
                            2u << 16 | 17,
                            6,
                            2u << 16 | 17,
                            4,
                            2u << 16 | 17,
                            5, // and Kernel, Addresses, Linkage
                            3u << 16 | 14,
                            2,
                            2};                                                // Physical64, OpenCL
  std::string_view bytes(reinterpret_cast<const char *>(words), sizeof words);
  if (!writeOutputFile(scratch.file("c.spv"), {bytes}).ok()) return false;
  Result<ToolOutput> checked = runTool("spirv-val", "spirv-tools", {"c.spv"}, {.directory = scratch.path()});
  return checked.ok() && checked->output.find("Invalid capability operand") == std::string::npos;
}

constexpr const char *kGpus[] = {"xe-pvc", "xe-bmg", "xe-dg2", "spirv", "spirv-coop"};

class Validity : public testing::TestWithParam<const char *> {};

// Outside of tests/run --full, each program is compiled for one of the GPUs in turn. Debian 12's spirv-val knows all but the last
// one, so that one shares the turns of the first.
TEST_P(Validity, OfAllPrograms) {
  Result<ToolOutput> there = runTool("spirv-val", "spirv-tools", {"--version"});
  if (!there) GTEST_SKIP() << there.error().message;
  Result<ScratchDirectory> scratch = ScratchDirectory::make();
  ASSERT_TRUE(scratch.ok());
  constexpr uint32_t kCooperativeMatrices = 6022;
  if (findTargetInfo(GetParam())->cooperativeMatrices && !validatorKnows(*scratch, kCooperativeMatrices))
    GTEST_SKIP() << "spirv-val is too old for SPV_KHR_cooperative_matrix";
  constexpr size_t kTurns = std::size(kGpus) - 1;
  auto own = static_cast<size_t>(std::ranges::find(kGpus, std::string_view(GetParam())) - std::begin(kGpus)) % kTurns;
  size_t looked = 0, number = 0;
  for (const std::string &path : programs()) {
    if (!isTurn(number++, own, kTurns)) continue;
    SCOPED_TRACE(path);
    GpuProgram program(contentsOf(path), GetParam());
    if (!program || !program.fits()) continue;
    GpuCode made = program.spirv();
    std::string_view bytes(reinterpret_cast<const char *>(made.binary.data()), made.binary.size());
    ASSERT_TRUE(writeOutputFile(scratch->file("k.spv"), {bytes}).ok());
    Result<ToolOutput> checked = runTool("spirv-val", "spirv-tools", {"k.spv"}, {.directory = scratch->path()});
    ASSERT_TRUE(checked.ok());
    EXPECT_EQ(checked->status, 0) << checked->output;
    EXPECT_EQ(made.kernels.size(), program.module().kernels.size());
    ++looked;
  }
  EXPECT_GT(looked, everything() ? 45u : 11u);
}

INSTANTIATE_TEST_SUITE_P(Targets, Validity, testing::ValuesIn(kGpus), [](const auto &target) {
  std::string name = target.param;
  std::erase(name, '-');
  return name;
});

TEST(Spirv, IsTheSameEachTime) {
  for (const char *file :
       {"/examples/12_split_k.xt", "/examples/02_fused_reduce.xt", "/stdlib/attention.xt", "/tests/peers/22_atomic_add.xt"})
    for (const char *target : {"xe-pvc", "xe-dg2"}) {
      SCOPED_TRACE(std::string(file) + " for " + target);
      std::string text = contentsOf(std::string(XT_SOURCE_DIR) + file);
      GpuProgram first(text, target), second(text, target);
      ASSERT_TRUE(first && second);
      GpuCode one = first.spirv();
      EXPECT_FALSE(one.binary.empty());
      EXPECT_EQ(one.binary, first.spirv().binary);
      EXPECT_EQ(one.binary, second.spirv().binary);
    }
}

TEST(Spirv, NamesOfKernels) {
  GpuProgram program("param $N : index = 3\nkernel @k(%A: memref<4xf32>) lanes(16) {\n  %x = constant 1.0 : f32\n  "
                     "memref.store %x, %A[$N]\n}\n"
                     "test \"t\" {\n  %A = fill(0.0) : memref<4xf32>\n  launch @k(%A) {N = 2}\n  check %A == %A\n}\n");
  ASSERT_TRUE(program);
  GpuCode made = program.spirv();
  ASSERT_EQ(made.kernels.size(), 2u);
  EXPECT_EQ(made.kernels[0].entry, "k");
  EXPECT_EQ(made.kernels[1].entry, "k_N_2");
}

} // namespace
} // namespace xt::test
