// Compiles every kernel to the blocks of GPUs. It must compute the same results, and its numbers of messages and products for each
// GPU are kept as a golden text, so that changes are noticed.
#include "ir/base/text.h"
#include "passes/pipelines.h"
#include "tests/effort.h"
#include "tests/targets/tools/gpu_kernels.h"
#include "tests/targets/tools/run_tool.h"
#include "tests/temporary_folder.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace xt {
namespace {

namespace fs = std::filesystem;

constexpr const char *kGpus[] = {"xe-pvc", "xe-dg2", "spirv"};

class BlocksOf : public testing::TestWithParam<const char *> {};

// Builds with sanitizers compile the kernels for one GPU only, and only in tests/run --full: other GPUs change the output of
// the compiler, but hardly its use of memory. Outside of --full, each kernel is run as compiled for one of the GPUs in turn.
TEST_P(BlocksOf, EveryKernelComputesTheSame) {
  std::string gpu = GetParam();
  if (test::kSanitized && (gpu != "xe-pvc" || !test::everything())) GTEST_SKIP() << "runs without the sanitizers";
  test::TemporaryFolder folder;
  auto own = static_cast<size_t>(std::ranges::find(kGpus, gpu) - std::begin(kGpus));
  size_t ran = 0, number = 0;
  for (const fs::path &path : test::gpuKernels()) {
    if (!test::isTurn(number++, own, std::size(kGpus)) || !test::limitsTold(path, gpu).empty()) continue;
    fs::path out = folder / path.filename();
    test::ToolRun made =
        test::runTool("%bin/xtc --target=" + gpu + " --round-trip --emit=ir " + path.string() + " -o " + out.string());
    EXPECT_EQ(made.status, 0) << path << made.output;
    if (test::readText(out).find("\ntest ") == std::string::npos) continue;
    std::string tests = path.stem() == "01_gemm" ? " --test unaligned --test exact " : " ";
    // Subgroups exchange the same data on every GPU, so each kernel is checked once.
    bool checked = !test::everything() || gpu == "xe-pvc";
    std::string how = checked ? "--target=interp,cpu --check=race,uninit,divergence" : "--target=cpu";
    test::ToolRun run = test::runTool("%bin/xtrun -q --small " + how + tests + out.string());
    EXPECT_EQ(run.status, 0) << path << '\n' << run.output;
    ++ran;
  }
  EXPECT_GE(ran, test::everything() ? 30u : 10u);
}

TEST_P(BlocksOf, EveryKernelComputesTheSameInLanes) {
  std::string gpu = GetParam();
  // This takes minutes on the CPU's fibers, whereas the software device runs the same lanes in seconds.
  if (!test::everything()) GTEST_SKIP() << "set XT_LANES_ON_CPU, as tests/run --full does";
  test::TemporaryFolder folder;
  std::string passes = join(passNames(kLanePipeline), ",");
  size_t ran = 0;
  for (const fs::path &path : test::gpuKernels()) {
    if (!test::limitsTold(path, gpu).empty()) continue;
    fs::path out = folder / path.filename();
    test::ToolRun made = test::runTool("%bin/xtc --target=" + gpu + " --run=" + passes + " --round-trip --emit=ir " +
                                       path.string() + " -o " + out.string());
    EXPECT_EQ(made.status, 0) << path << made.output;
    if (test::readText(out).find("\ntest ") == std::string::npos) continue;
    std::string tests = path.stem() == "01_gemm" ? " --test exact " : " ";
    test::ToolRun run = test::runTool("%bin/xtrun -q --small --target=cpu" + tests + out.string());
    EXPECT_EQ(run.status, 0) << path << '\n' << run.output;
    ++ran;
  }
  EXPECT_GE(ran, 50u);
}

TEST_P(BlocksOf, CountsAreThoseOfTheTable) {
  if (test::kSanitized && std::string_view(GetParam()) != "xe-pvc") GTEST_SKIP() << "runs without the sanitizers";
  std::string table;
  for (const fs::path &path : test::gpuKernels()) {
    test::ToolRun run =
        test::runTool("%bin/xtc --report --target=" + std::string(GetParam()) + " " + path.string() + " 2>/dev/null");
    EXPECT_EQ(run.status, test::limitsBroken(path, GetParam()).empty() ? 0 : 2) << path;
    if (!run.output.empty())
      table += str("# ", path.parent_path().filename().string(), "/", path.filename().string(), "\n", run.output);
  }
  test::expectGolden(fs::path(XT_SOURCE_DIR) / "tests/targets/tools/block_counts" / str(GetParam(), ".txt"), table);
}

TEST(BlockCounts, AWarningWhereRegistersDoNotSuffice) {
  test::ToolRun spills = test::runTool("%bin/xtc --report --target=xe-dg2 %src/tests/peers/01_gemm_16_bits.xt"),
                fits = test::runTool("%bin/xtc --report --target=xe-dg2 %src/stdlib/gemm.xt"),
                blocks = test::runTool("%bin/xtc --report --target=xe-pvc %src/tests/peers/01_gemm_16_bits.xt");
  EXPECT_NE(spills.output.find(
                "warning[XT0623]: `@gemm` is likely to spill registers to memory: its vectors need 248 registers at one "
                "time, loads of operands about 44 more, and a thread has 256"),
            std::string::npos)
      << spills.output;
  for (const test::ToolRun *run : {&fits, &blocks}) EXPECT_EQ(run->output.find("warning"), std::string::npos) << run->output;
}

// In the RFC's appendix 2.3, the transposed operand is loaded transposed, and subgroups and lanes exchange no data.
TEST(BlockCounts, ATransposedOperandMovesNothingBetweenSubgroups) {
  test::ToolRun run = test::runTool("%bin/xtc --report --target=xe-pvc %src/examples/03_transpose_layout.xt");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_NE(run.output.find("32 dpas, 16 loads"), std::string::npos) << run.output;
  for (const char *moved : {"exchange", "shuffle", "barrier", "SLM", "masked"})
    EXPECT_EQ(run.output.find(moved), std::string::npos) << run.output;
}

// Returns the output of a kernel's prints and the message of its failed assert, without source lines, which differ in a dump.
std::string messagesOf(const test::ToolRun &run) {
  std::string messages;
  std::istringstream lines(run.output);
  for (std::string line; std::getline(lines, line);)
    if (size_t at = line.find("assertion failed"); at != std::string::npos)
      messages += line.substr(at) + "\n";
    else if (line.starts_with("workgroup") || line.starts_with("sums") || line.starts_with("["))
      messages += line + "\n";
  return messages;
}

TEST_P(BlocksOf, MessagesAreThoseOfTheSource) {
  test::TemporaryFolder folder;
  fs::path out = folder / "messages.xt";
  for (const fs::path &path : test::filesIn("targets/tools/messages", ".xt")) {
    test::ToolRun made =
        test::runTool(str("%bin/xtc --target=", GetParam(), " --round-trip --emit=ir ", path.string(), " -o ", out.string()));
    EXPECT_EQ(made.status, 0) << path << made.output;
    for (const char *target : {"interp", "cpu"}) {
      auto run = [&](const fs::path &file) {
        return test::runTool(str("%bin/xtrun -q --target=", target, " ", file.string()));
      };
      std::string wanted = messagesOf(run(path));
      EXPECT_NE(wanted.find("assertion failed: small at [13, 37]"), std::string::npos) << path << '\n' << wanted;
      EXPECT_EQ(messagesOf(run(out)), wanted) << path << " on " << target;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Gpus, BlocksOf, testing::ValuesIn(kGpus), [](const auto &param) {
  std::string name = param.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

} // namespace
} // namespace xt
