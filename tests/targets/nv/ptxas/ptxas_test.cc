// Assembles the PTX of every kernel with NVIDIA's ptxas: the one in PATH, or that of the Python package nvidia-cuda-nvcc in
// build/ptxas (`python3 -m venv build/ptxas && build/ptxas/bin/pip install nvidia-cuda-nvcc`).
#include "ir/base/text.h"
#include "targets/nv/sass/sass_report.h"
#include "tests/bench/nv/main_loops.h"
#include "tests/effort.h"
#include "tests/targets/tools/folder_test.h"
#include "tests/targets/tools/gpu_kernels.h"

namespace xt {
namespace {

namespace fs = std::filesystem;
using test::runTool;
using test::ToolRun;

class Ptxas : public test::FolderTest {
protected:
  void SetUp() override {
    if (ptxasPath().empty()) GTEST_SKIP() << "there is no ptxas in PATH, and no Python package nvidia-cuda-nvcc in build/ptxas";
  }
  // Compiles and assembles a file; returns the report. `status` of xtc 2: the target refuses it.
  ToolRun assembled(const fs::path &path, const std::string &architecture) {
    return runTool(str("%bin/xtc --target=nv-sm", architecture, " --emit=sass-stats ", path.string()));
  }
};

// Files whose kernels of default sizes need more registers than a lane has: tiles made for other GPUs, with 16 or 32 warps, and
// functions of whole tiles. `bytes` is the most that a lane may spill.
struct KnownSpill {
  std::string_view file;
  int64_t bytes;
};
constexpr KnownSpill kKnownSpills[] = {
    {"peers/16_wg_gemm.xt", 3900},
    {"examples/17_nested_layout.xt", 50},
    {"peers/17_wg_gemm_bf16_prefetch.xt", 2250},
    {"peers/18_wg_gemm_transposed_sum.xt", 500},
    {"peers/24_wg_gemm_wrapped_k.xt", 1950},
    {"stdlib/causal_attention.xt", 50},
    {"stdlib/conv2d.xt", 50},
    {"stdlib/gemm_variants.xt", 50},
    {"stdlib/int8_gemm_weights.xt", 50},
    {"peers/k_blocks.xt", 250},
    {"stdlib/paged_attention.xt", 100},
};

// The most bytes that a lane of one of the kernels stores for lack of registers. Each kernel of the report says whether it
// spills.
int64_t mostSpilled(const std::string &report) {
  static const std::regex kernel(R"(\d+ registers, )"), spill(R"(\d+ registers, (no spills|spills of (\d+) bytes stored))");
  int64_t most = 0, said = 0;
  for (std::sregex_iterator at(report.begin(), report.end(), spill), end; at != end; ++at, ++said)
    if ((*at)[2].matched) most = std::max<int64_t>(most, std::stoll((*at)[2]));
  EXPECT_EQ(said, std::distance(std::sregex_iterator(report.begin(), report.end(), kernel), std::sregex_iterator())) << report;
  EXPECT_GT(said, 0) << report;
  return most;
}

// The last folder and the name of a file.
std::string keyOf(const fs::path &path) { return (path.parent_path().filename() / path.filename()).generic_string(); }

// The library's product, and a quarter of the other files and architectures, or all with --full.
TEST_F(Ptxas, TakesTheCodeOfEveryKernel) {
  size_t taken = 0, number = 0;
  for (const fs::path &path : test::gpuKernels())
    for (const char *architecture : {"80", "89", "90"}) {
      if (keyOf(path) != "stdlib/gemm.xt" && !test::isTurn(number++, 0, 4)) continue;
      ToolRun run = assembled(path, architecture);
      if (run.output.find("error[XT") != std::string::npos) continue; // a limit of the GPU, which other tests check
      EXPECT_EQ(run.status, 0) << path << " for sm_" << architecture << ":\n" << run.output;
      auto known = std::ranges::find(kKnownSpills, keyOf(path), &KnownSpill::file);
      EXPECT_LE(mostSpilled(run.output), known == std::end(kKnownSpills) ? 0 : known->bytes)
          << path << " for sm_" << architecture << ":\n"
          << run.output;
      EXPECT_FALSE(std::regex_search(run.output, std::regex("ptxas.*warning"))) << path << ":\n" << run.output;
      taken += run.status == 0;
    }
  EXPECT_GT(taken, 20u);
}

// A warp holds 64x64 of the result in 128 registers; nothing of it may go to memory.
TEST_F(Ptxas, AProductDoesNotSpill) {
  fs::path path = folder / "gemm.xt";
  std::ofstream(path) << R"(#map = #wg_map<sg_layout = [2, 2], sg_data = [64, 64]>
#a = #wg_map<sg_layout = [2, 2], sg_data = [64, 16]>
#b = #wg_map<sg_layout = [2, 2], sg_data = [16, 64]>
kernel @gemm(%A: memref<4096x4096xf16>, %B: memref<4096x4096xf16>, %C: memref<4096x4096xf32>)
    grid (%i = 0 to 4096 step 128, %j = 0 to 4096 step 128) {
  %ta  = init_tile %A[%i, 0] -> tile<128x32xf16, #a>
  %tb  = init_tile %B[0, %j] -> tile<32x128xf16, #b>
  %acc = constant 0.0 : vector<128x128xf32, #map>
  for %k = 0 to 4096 step 32 {
    %a   = load_tile %ta
    %b   = load_tile %tb
    %acc = tile_mma %a, %b, %acc
    %ta  = update_tile_offset %ta, 0, 32
    %tb  = update_tile_offset %tb, 32, 0
  }
  %tc = init_tile %C[%i, %j] -> tile<128x128xf32, #map>
  store_tile %acc, %tc
}
)";
  for (const char *architecture : {"80", "89", "90"}) {
    ToolRun run = assembled(path, architecture);
    EXPECT_EQ(run.status, 0) << run.output;
    EXPECT_TRUE(has(run, " registers, no spills, ")) << run.output;
  }
}

// Four warps compute 128x128 with K = 64 in each iteration: each multiplies 64x64 in 4 x 8 x 4 products, from 32 loads of four
// matrices each, and copies 16 portions of 16 bytes in each lane. The sm_80 probe in PTX by hand has 101 other instructions.
TEST_F(Ptxas, TheMainLoopOfAProductIsMostlyProducts) {
  fs::path path = folder / "gemm.xt";
  std::ofstream(path) << R"(#map = #wg_map<sg_layout = [2, 2], sg_data = [64, 64]>
kernel @gemm(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>)
    grid (%i = 0 to dim(%C, 0) step 128, %j = 0 to dim(%C, 1) step 128) {
  %ta  = init_tile %A[%i, 0] -> tile<128x64xf16, #map>
  %tb  = init_tile %B[0, %j] -> tile<64x128xf16, #map>
  %acc = constant 0.0 : vector<128x128xf32, #map>
  for %k = 0 to dim(%A, 1) step 64 {
    %a   = load_tile %ta
    %b   = load_tile %tb
    %acc = tile_mma %a, %b, %acc
    %ta  = update_tile_offset %ta, 0, 64
    %tb  = update_tile_offset %tb, 64, 0
  }
  %tc = init_tile %C[%i, %j] -> tile<128x128xf32, #map>
  store_tile %acc, %tc
}
)";
  ToolRun run = assembled(path, "80");
  ASSERT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(has(run, " registers, no spills, ")) << run.output;
  EXPECT_TRUE(has(run, "  loop at line 7: 128 HMMA, ")) << run.output;
  std::string ptx = (folder / "k.ptx").string();
  ASSERT_EQ(runTool("%bin/xtc --target=nv-sm80 --emit=ptx -o " + ptx + " " + path.string()).status, 0);
  std::ifstream in(ptx);
  Result<AssembledPtx> made = assemblePtx(std::string{std::istreambuf_iterator<char>(in), {}}, "sm_80");
  ASSERT_TRUE(made.ok()) << made.error().message;
  Result<std::vector<SassReport>> reports = sassReports(*made, 80);
  ASSERT_TRUE(reports.ok() && reports->size() == 1);
  const SassLoopCounts *main = bench::mainLoop(reports->at(0));
  ASSERT_NE(main, nullptr);
  EXPECT_EQ(main->products, 128u);
  EXPECT_EQ(main->count("LDSM"), 32u);
  EXPECT_EQ(main->count("LDGSTS"), 16u + 16u) << "whole portions, and those at the edges";
  size_t others = main->loop.shortest - main->products;
  EXPECT_GT(others, 32u + 16u);
  EXPECT_LE(others, 128u * 115 / 100) << "1.15 of each product";
  RecordProperty("others", static_cast<int>(others));
}

// The numbers in the cells of a line of a table, without the first cell.
std::vector<double> numbersIn(const std::string &line) {
  std::vector<double> numbers;
  std::istringstream in(line.substr(std::min(line.find('|', 1), line.size())));
  for (std::string word; in >> word;)
    if (std::isdigit(static_cast<unsigned char>(word[0]))) numbers.push_back(std::stod(word));
  return numbers;
}

// Other versions of ptxas than that of the table may take a few registers and instructions more or less.
void expectAlmost(const std::string &counted, const std::string &written) {
  constexpr double kShare = 0.05;
  std::istringstream countedLines(counted), writtenLines(written);
  std::string is, was;
  while (std::getline(countedLines, is)) {
    std::getline(writtenLines, was);
    std::vector<double> numbers = numbersIn(is), before = numbersIn(was);
    ASSERT_EQ(numbers.size(), before.size()) << is << "\n" << was;
    if (!is.starts_with("|")) continue; // the version
    for (size_t i = 0; i < numbers.size(); ++i) EXPECT_NEAR(numbers[i], before[i], kShare * before[i]) << is << "\n" << was;
  }
}

// The page holds the numbers; XT_UPDATE_GOLDEN writes them.
TEST_F(Ptxas, MainLoopsAreThoseOfTheTable) {
  const fs::path page = XT_SOURCE_DIR "/tests/bench/nv/README.md";
  Result<std::string> version = bench::ptxasVersion();
  ASSERT_TRUE(version.ok()) << version.error().message;
  std::string table = bench::tableHead(*version);
  for (const bench::CountedKernel &kernel : bench::countedKernels()) {
    SCOPED_TRACE(kernel.name);
    Result<bench::CountedCode> code = bench::countedCode(kernel, XT_BINARY_DIR "/bin/xtc", XT_SOURCE_DIR);
    ASSERT_TRUE(code.ok()) << code.error().message;
    EXPECT_EQ(code->warnings, std::vector<std::string>());
    EXPECT_EQ(code->report.spilled.stores, 0);
    const SassLoopCounts &main = *bench::mainLoop(code->report);
    EXPECT_EQ(main.products, kernel.products);
    size_t bar = kernel.name.starts_with("product") ? main.products * 215 / 100 : SIZE_MAX;
    EXPECT_LE(main.loop.shortest, bar) << "1.15 others for each product";
    table += bench::row(kernel, code->report);
  }
  std::string text = test::readText(page);
  size_t from = text.find("\nBy ptxas ") + 1, end = text.find("\n\n", text.find("|---", from));
  ASSERT_LT(from, end);
  ASSERT_NE(end, std::string::npos);
  std::string written = text.substr(from, end + 1 - from);
  if (std::getenv("XT_UPDATE_GOLDEN"))
    std::ofstream(page, std::ios::binary) << text.replace(from, written.size(), table);
  else if (written.starts_with(bench::tableHead(*version)))
    EXPECT_EQ(written, table);
  else
    expectAlmost(table, written);
}

// The operands and results of 32 elements in each lane, of which eight are computed at the same time.
TEST_F(Ptxas, FunctionsDoNotSpill) {
  for (const char *function :
       {"math.exp %a", "math.log %a", "math.erf %a", "math.sin %a", "math.cos %a", "math.powf %a, %b", "arith.remf %a, %b"})
    for (const char *elem : {"f64", "f32", "bf16"}) {
      std::string type = str("32x32x", elem);
      fs::path path =
          file(str("kernel @f(%A: memref<", type, ">, %B: memref<", type, ">, %C: memref<", type,
                   ">) {\n  %ta = init_tile %A[0, 0] -> tile<", type, ">\n  %tb = init_tile %B[0, 0] -> tile<", type,
                   ">\n  %tc = init_tile %C[0, 0] -> tile<", type,
                   ">\n  %a = load_tile %ta\n  %b = load_tile %tb\n  %c = ", function, "\n  store_tile %c, %tc\n}\n"));
      for (const char *architecture : {"80", "90"}) {
        ToolRun run = assembled(path, architecture);
        EXPECT_EQ(run.status, 0) << run.output;
        EXPECT_TRUE(has(run, " registers, no spills, ")) << function << " of " << elem << ":\n" << run.output;
      }
    }
}

// 32 warps leave 64 registers for each lane, which the tiles of other GPUs exceed.
TEST_F(Ptxas, SpillsAreWarnedOf) {
  ToolRun run = runTool("%bin/xtc --target=nv-sm80 --emit=sass-stats --report -D TILE=256 %src/examples/01_gemm.xt");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(has(run, "warning[XT0623]: `@gemm` needs more than 64 registers: ")) << run.output;
  EXPECT_TRUE(has(run, " on nv-sm80 (sm_80): 64 registers, spills of ")) << run.output;
  EXPECT_TRUE(has(run, "  1 workgroup of 32 subgroups per multiprocessor: 32 of 64 warps, limited by registers\n"))
      << run.output;
  EXPECT_TRUE(has(run, " bytes of stack per lane\n")) << run.output;
  EXPECT_TRUE(has(run, "bytes  line  buffer")) << run.output;
}

// Kernels of one file have a line table each.
TEST_F(Ptxas, LoopsOfEachKernelAreAtTheirLines) {
  auto kernel = [](const char *name) {
    return str("kernel @", name,
               "(%A: memref<?xf32>, %n: index) lanes(32) {\n  %lane = lane_id()\n  for %i = 0 to %n step 1 {\n",
               "    %x = memref.load %A[%lane]\n    %y = %x * %x\n    memref.store %y, %A[%lane]\n  }\n}\n");
  };
  ToolRun run = assembled(file(kernel("first") + kernel("second")), "90");
  ASSERT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(has(run, "@first on nv-sm90 (sm_90): ")) << run.output;
  EXPECT_TRUE(has(run, "loop at line 3: ")) << run.output;
  EXPECT_TRUE(has(run, "loop at line 11: ")) << run.output;
}

} // namespace
} // namespace xt
