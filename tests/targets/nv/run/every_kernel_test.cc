// Runs the tests of the examples, of the library and of the peers' kernels on the software NVIDIA device, with small sizes: each
// file on one of the GPUs in turn, and in tests/run --full on all of them.
#include "ir/base/text.h"
#include "tests/effort.h"
#include "tests/golden.h"
#include "tests/targets/tools/run_tool.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kGpus[] = {"nv-sm80", "nv-sm89", "nv-sm90"};

// Files with a kernel that needs what these GPUs do not have, and the code of the message that refuses it.
struct Refused {
  std::string_view file, code;
};
constexpr Refused kRefused[] = {
    {"04_shared_memory", "XT0607"}, // 64 subgroups are 2048 lanes
    {"14_lanes", "XT0608"}, // 16 lanes
    {"15_joint_matrix", "XT0612"}, // matrices of 8 rows
};

std::string_view codeThatRefuses(const fs::path &path) {
  for (const Refused &each : kRefused)
    if (path.stem() == each.file) return each.code;
  return "";
}

void runs(const fs::path &path, std::string_view gpu) {
  const char *tests = path.stem() == "01_gemm" ? " --test unaligned --test exact " : " "; // the other tests read files
  test::ToolRun run = test::runTool(str("%bin/xtrun --small --target=", gpu, tests, path.string()));
  std::string_view code = codeThatRefuses(path);
  EXPECT_EQ(run.status, code.empty() ? 0 : 2) << path << " on " << gpu << ":\n" << run.output;
  EXPECT_TRUE(code.empty() || run.output.find(code) != std::string::npos) << path << " on " << gpu << ":\n" << run.output;
}

TEST(NvEveryKernel, RunsOnTheSoftwareDevice) {
  size_t number = 0;
  for (const char *from : {"../examples", "../stdlib", "peers"})
    for (const fs::path &path : test::filesIn(from, ".xt")) {
      if (path.stem() == "00_inputs") continue;
      for (size_t own = 0; own < std::size(kGpus); ++own)
        if (test::isTurn(number, own, std::size(kGpus))) runs(path, kGpus[own]);
      ++number;
    }
  EXPECT_GT(number, 40u);
}

} // namespace
} // namespace xt
