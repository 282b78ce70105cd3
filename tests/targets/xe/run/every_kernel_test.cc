// Runs the tests of every kernel with small sizes, on the software device with the rules of GPUs, and on Intel's OpenCL
// runtime for CPUs, which is independent of this project. The RFCs' snippets, which have no tests, are only built. The result
// of each file is recorded in every_kernel/NAME.txt, so that a new rejection or a skipped test is noticed.
#include "ir/base/text.h"
#include "tests/effort.h"
#include "tests/targets/tools/gpu_kernels.h"
#include "tests/targets/xe/run/xe_device.h"
#include "tests/temporary_folder.h"

#include <cstdlib>
#include <map>

namespace xt {
namespace {

namespace fs = std::filesystem;

// Files that take seconds, which run in tests/run --full only. Quicker files cover the same features.
constexpr std::string_view kLong[] = {
    "examples/02_fused_reduce.xt",
    "examples/03_transpose_layout.xt",
    "examples/05_two_cache_levels.xt",
    "examples/07_dynamic_views.xt",
    "examples/08_epilogue.xt",
    "examples/13_int8.xt",
    "stdlib/activations.xt",
    "stdlib/attention_backward.xt",
    "stdlib/conv2d.xt",
    "stdlib/gemm.xt",
    "stdlib/gemm_variants.xt",
    "stdlib/int4_gemm.xt",
    "stdlib/rope.xt",
    "peers/06_gemm_two_steps.xt",
    "peers/16_wg_gemm.xt",
    "peers/18_wg_gemm_transposed_sum.xt",
    "peers/24_wg_gemm_wrapped_k.xt",
    "peers/k_blocks.xt",
    "peers/17_wg_gemm_bf16_prefetch.xt",
};

constexpr std::string_view kOpenCl = "opencl";

// Each file runs on xe-pvc, and on one of these in turn; every other file that is not long there also on OpenCL. tests/run --full
// runs all files on all of them.
constexpr std::string_view kByTurns[] = {"xe-dg2", "xe-bmg", "spirv", "spirv-coop"};

// Kernels compiled for `spirv` run on OpenCL. Intel's compiler takes 20 seconds to minutes for kernels of more than about 90 KB
// of SPIR-V, so these run in tests/run --full only. Those without an entry in opencl.txt must pass or be rejected there, until
// tests/run --full --update records them.
constexpr std::string_view kLongOnOpenCl[] = {
    "gemm",
    "softmax",
    "attention",
    "layernorm",
    "rmsnorm",
    "reductions",
    "reduction_kinds",
    "activations",
    "02_fused_reduce",
    "03_transpose_layout",
    "04_shared_memory",
    "05_two_cache_levels",
    "08_epilogue",
    "12_split_k",
    "13_int8",
    "16_row_row_row",
    "k_blocks",
    "cholesky",
    "conv2d",
    "cross_entropy",
    "fft",
    "histogram",
    "moe",
    "norm_backward",
    "random",
    "rope",
    "scan",
    "stream_k",
    "topk",
};

// Intel's compiler has not compiled these within 300 seconds; opencl.txt says so in place of a result.
constexpr std::string_view kEndlessOnOpenCl[] = {
    "examples/02_fused_reduce.xt",
    "examples/16_row_row_row.xt",
    "examples/20_ring_attention.xt",
    "stdlib/stream_k.xt",
};
constexpr const char *kEndless = "  not run: Intel's compiler takes more than 300 seconds\n";

// This text is appended to a file without tests, so that all its kernels are built for the device.
constexpr const char *kOneTest = R"(
kernel @built(%out: memref<16xi32>) lanes(16) {
  %lane = lane_id()
  %n = index_cast %lane : index -> i32
  memref.store %n, %out[%lane]
}
test "the others are built" {
  %out = out : memref<16xi32>
  launch @built(%out)
  %lanes = iota : memref<16xi32>
  check %out == %lanes exactly
}
)";

std::string nameOf(const fs::path &path) { return str(path.parent_path().filename().string(), "/", path.filename().string()); }

// Returns "passed 3", or the output: messages without source lines, notes, which contain the numbers, skipped tests with the
// reason, and why the device refuses a kernel, without the device's name, which follows a semicolon.
std::string resultOf(const test::ToolRun &run) {
  std::istringstream lines(run.output);
  std::string kept, summary;
  size_t passed = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("passed  "))
      ++passed;
    else if (line.starts_with("error") || line.starts_with("skipped") || line.starts_with("failed") ||
             line.starts_with("  = ") || line.find(" cannot run on ") != std::string::npos)
      kept += "  " + line + "\n";
    else if (run.status == 3 && line.starts_with("xtrun: "))
      kept += "  " + line.substr(0, line.find(';')) + "\n";
  }
  if (passed) summary = str("  passed ", passed, "\n");
  if (run.status != 0) summary += str("  status ", run.status, "\n");
  return summary + kept;
}

// Returns the entries of a golden file: a line with the file's name, followed by indented lines.
std::map<std::string, std::string> entriesOf(const std::string &text) {
  std::map<std::string, std::string> entries;
  std::istringstream lines(text);
  std::string name;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(" "))
      entries[name] += line + "\n";
    else
      name = line;
  }
  return entries;
}

struct Runner {
  std::string command; // the command up to --target
  std::string whyNot = {}; // the reason why the command cannot run; "" if it can
};
Runner runnerOf(std::string_view name) {
  if (name == kOpenCl) return {str(test::openClDrivers(), " %bin/xtrun --small --device=opencl"), test::whyNoOpenCl()};
  std::string package = test::missingXePackage();
  return {"%bin/xtrun --small --device=soft", package.empty() ? "" : str("Debian's package ", package, " is not installed")};
}

bool isLong(std::string_view name, std::string_view where) {
  auto holds = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  return std::ranges::find(kLong, name) != std::end(kLong) || (where == kOpenCl && std::ranges::any_of(kLongOnOpenCl, holds));
}

class EveryKernel : public testing::TestWithParam<std::string_view> {};

TEST_P(EveryKernel, RunsThere) {
  Runner runner = runnerOf(GetParam());
  if (!runner.whyNot.empty()) GTEST_SKIP() << runner.whyNot;
  std::string gpu(GetParam() == kOpenCl ? "spirv" : GetParam());
  size_t own = std::ranges::find(kByTurns, GetParam()) - std::begin(kByTurns), number = 0, numberOnOpenCl = 0;
  fs::path golden = fs::path(XT_SOURCE_DIR) / "tests/targets/xe/run/every_kernel" / str(GetParam(), ".txt");
  bool kept = fs::exists(golden); // if there is no such file, only the broken limits are checked
  std::map<std::string, std::string> wanted = kept ? entriesOf(test::readText(golden)) : std::map<std::string, std::string>(),
                                     seen = wanted;
  std::set<std::string> there;
  test::TemporaryFolder folder;
  for (fs::path path : test::gpuKernels()) {
    std::string name = nameOf(path), text = test::readText(path);
    bool tested = text.find("\ntest ") != std::string::npos;
    there.insert(name);
    if (!test::everything() && isLong(name, GetParam())) continue;
    if (own < std::size(kByTurns) && !test::isTurn(number++, own, std::size(kByTurns))) continue;
    if (GetParam() == kOpenCl && !test::isTurn(numberOnOpenCl++, 0, 2)) continue;
    if (GetParam() == kOpenCl && std::ranges::find(kEndlessOnOpenCl, name) != std::end(kEndlessOnOpenCl)) {
      seen[name] = kEndless;
      continue;
    }
    if (!tested) std::ofstream(path = folder / path.filename()) << text << kOneTest;
    const char *tests = path.stem() == "01_gemm" ? " --test unaligned --test exact " : " "; // the other tests read files
    test::ToolRun run = test::runTool(str(runner.command, " --target=", gpu, tests, path.string()));
    if (GetParam() == kOpenCl && isLong(name, kOpenCl) && !wanted.contains(name) && !std::getenv("XT_UPDATE_GOLDEN")) {
      EXPECT_TRUE(run.status == 0 || run.status == 2) << name << ":\n" << run.output;
      continue;
    }
    seen[name] = resultOf(run);
    if (!kept) {
      std::set<std::string> broken = test::limitsBroken(path, gpu);
      if (gpu.starts_with("spirv")) // the limits of the actual device apply, which may be higher
        std::erase_if(broken, [&](const std::string &code) {
          return (code == "0602" || code == "0607") && run.output.find("XT" + code) == std::string::npos;
        });
      EXPECT_EQ(run.status, broken.empty() ? 0 : 2) << name << ":\n" << run.output;
      continue;
    }
    EXPECT_TRUE(std::getenv("XT_UPDATE_GOLDEN") || seen[name] == wanted[name])
        << name << ", wanted:\n"
        << wanted[name] << "got status " << run.status << ":\n"
        << run.output;
  }
  std::erase_if(seen, [&](const auto &entry) { return !there.contains(entry.first); });
  std::string text;
  for (const auto &[name, result] : seen) text += name + "\n" + result;
  if (kept) test::expectGolden(golden, text);
}

INSTANTIATE_TEST_SUITE_P(Gpus, EveryKernel, testing::Values("xe-pvc", "xe-dg2", "xe-bmg", "spirv", "spirv-coop", kOpenCl),
                         [](const auto &param) {
                           std::string name(param.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

} // namespace
} // namespace xt
