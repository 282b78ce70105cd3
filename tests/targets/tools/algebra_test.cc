// Tests `xtrun --check=algebra`: correct programs pass, and errors below the derived tolerance are found.
#include "run_tool.h"

#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace xt {
namespace {
using test::runTool;

// An error to plant in a program: `right`, which must occur exactly once, is replaced by `wrong`.
struct Plant {
  std::string_view file, right, wrong;
};
constexpr Plant kPlants[] = {
    // In these programs, a step is missing, counted twice, or uses a wrong part of an operand.
    {"gemm", "0 to dim(%A, 1) step 16", "0 to (dim(%A, 1) - 16) step 16"},
    {"gemm", "%acc = tile_mma %a, %b, %acc", "%acc = tile_mma (select(%k > 60, %a + %a, %a)), %b, %acc"},
    {"gemm", "%tb  = update_tile_offset %tb, 16, 0", "%tb  = update_tile_offset %tb, (select(%k == 48, 15, 16)), 0"},
    {"gemm", "%ta  = update_tile_offset %ta, 0, 16", "%ta  = update_tile_offset %ta, 0, (select(%k == 48, 17, 16))"},
    {"gemm", "tile_mma %a, %b, %acc", "tile_mma (select(%k > 60, 0.0 - %a, %a)), %b, %acc"},
    {"gemm", "tile_mma %a, %b, %acc", "tile_mma %a, (select(%k > 60, 1e-3 * %b, %b)), %acc"},
    // In these programs, a constant is slightly wrong.
    {"gemm", "constant 0.0", "constant 1e-8"},
    {"gemm", "%acc * 0.5", "%acc * 0.50000006"},
    {"gemm", "%acc * 0.5", "%acc * 0.5 + 1e-9"},
    {"gemm", "%acc * 0.5", "%acc * 0.5 + %acc * %acc * 1e-12"},
    {"softmax", "%m    = %new", "%m    = %new + 1e-8"},
    {"softmax", "0 to dim(%X, 1) step 16 {\n    %x    =", "0 to (dim(%X, 1) - 16) step 16 {\n    %x    ="},
    {"softmax", "%part = reduction <add> (exp(%x - %wide)) [1]",
     "%part = reduction <add> (exp(%x - %wide)) [1]\n    %part = select(%j > 40, %part + %part, %part)"},
    {"softmax", "%l * exp(%m - %new) + %part", "%l * exp(%m - %new) * 1.0000001 + %part"},
    {"softmax", "%l * exp(%m - %new) + %part", "%l * exp(%m - %new) + %part * 1.0000001"},
    {"softmax", "{padding = -inf}", "{padding = -40.0}"},
    {"softmax", "exp(%x - %mw) / %lw", "exp(%x - %mw) / (%lw + 1e-9)"},
    {"softmax", "exp(%x - %mw) / %lw", "exp(%x - %mw - 1e-8) / %lw"},
    {"softmax", "exp(%x - %mw) / %lw", "exp(%x - %mw + 1e-8) / %lw"},
    {"softmax", "exp(%x - %mw) / %lw", "exp(%x - %mw) / %lw * 0.99999994"},
    {"attention", "%m    = %new", "%m    = %new + 1e-8"},
    {"attention", "exp(%s - %wide)", "exp(%s - %wide) + 1e-12"},
    {"attention", "0 to dim(%K, 0) step 16", "0 to (dim(%K, 0) - 16) step 16"},
    {"attention", "%s * 0.25, -inf", "%s * 0.25, -60.0"},
    {"attention", "%s * 0.25, -inf", "%s * 0.25000003, -inf"},
    {"attention", "%l * %old + %part", "%l * %old * 1.0000001 + %part"},
    {"attention", "%acc  = tile_mma %p, %v, %acc", "%acc  = tile_mma (select(%j > 0, %p + %p, %p)), %v, %acc"},
    {"attention", "%acc  = tile_mma %p, %v, %acc", "%acc  = tile_mma %p, (select(%j > 0, 0.0 - %v, %v)), %acc"},
    {"attention", "%tv   = update_tile_offset %tv, 16, 0", "%tv   = update_tile_offset %tv, 17, 0"},
    {"attention", "%old  = exp(%m - %new)", "%old  = exp(%m - %new) * 1.0000001"},
    {"attention", "%acc / %lw", "%acc / (%lw + 1e-9)"},
    {"attention", "%acc / %lw", "(%acc + 1e-9) / %lw"},
    {"layernorm", "(%var + 1e-9)", "(%var + 1e-10)"},
    {"layernorm", "(%var + 1e-9)", "(%var)"},
    {"layernorm", "(%var + 1e-9)", "(%var + 2e-9)"},
    {"layernorm", "%total / %n", "%total / (%n + 1e-9)"},
    {"layernorm", "%b  = load_tile %tb", "%b  = load_tile %tb {padding = 1.0}\n  %b  = %b * 0.5"},
    {"layernorm", "%y  = %y + %bw\n", ""},
    {"layernorm", "%y + %bw", "%y - %bw"},
    {"layernorm", "%d * %d", "%d * %d * 1.0000001"},
    {"layernorm", "%tb = init_tile %B[0, 0]", "%tb = init_tile %B[0, 1]"},
    {"layernorm", "%scale  = rsqrt(%var + 1e-9)", "%scale  = rsqrt(%var + 1e-9) * 1.0000001"},
    {"sums", "constant 0.0", "constant 1e-9"},
    {"sums", "0 to dim(%X, 1) step 32", "0 to (dim(%X, 1) - 32) step 32"},
    {"sums", "%sum  = %sum + %part", "%sum  = %sum + select(%j > 90, %part + %part, %part)"},
    {"sums", "%sum * 3.0", "%sum * 3.0000002"},
    {"sums", "+ %w * %w", "+ %w * %w * 2.0"},
    {"sums", "+ %w * %w", "- %w * %w"},
    {"sums", " + %w * %w", ""},
    {"sums", "+ %w * %w", "+ %w * %w + 1e-9 * %w"},
};

std::string readProgram(std::string_view name) {
  std::ifstream file(std::string(XT_SOURCE_DIR "/tests/targets/tools/algebra/") + std::string(name) + ".xt");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Algebra, TheProgramsPassAsTheyAre) {
  for (const char *name : {"gemm", "softmax", "attention", "layernorm", "sums"}) {
    auto run = runTool(std::string("%bin/xtrun --check=algebra %src/tests/targets/tools/algebra/") + name + ".xt");
    EXPECT_EQ(run.status, 0) << run.output;
    EXPECT_NE(run.output.find("algebra"), std::string::npos) << run.output;
  }
}

// Scans, sorts and indices that a kernel has written; the arrays of a check have their content at its line.
TEST(Algebra, HostFunctionsOnArraysPass) {
  auto run =
      runTool("%bin/xtrun --check=algebra --small %src/tests/targets/language/launch_loops.xt %src/stdlib/recurrence.xt");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_NE(run.output.find("7 tests: 7 passed"), std::string::npos) << run.output;
}

// Each program must pass its check with the derived tolerance, and fail the algebraic check.
TEST(Algebra, FindsFiftyErrorsBelowTheDerivedTolerance) {
  static_assert(std::size(kPlants) == 50);
  test::TemporaryFolder folder;
  for (size_t i = 0; i < std::size(kPlants); ++i) {
    const Plant &plant = kPlants[i];
    std::string text = readProgram(plant.file);
    size_t at = text.find(plant.right);
    ASSERT_NE(at, std::string::npos) << plant.file << ": " << plant.right;
    ASSERT_EQ(text.find(plant.right, at + 1), std::string::npos) << plant.file << ": " << plant.right;
    text.replace(at, plant.right.size(), plant.wrong);
    std::filesystem::path file = folder / ("planted_" + std::to_string(i) + ".xt");
    std::ofstream(file) << text;
    auto rounded = runTool("%bin/xtrun --target=interp " + file.string());
    EXPECT_EQ(rounded.status, 0) << plant.file << ": " << plant.wrong << "\n" << rounded.output;
    auto exact = runTool("%bin/xtrun --check=algebra " + file.string());
    EXPECT_EQ(exact.status, 1) << plant.file << ": " << plant.wrong << "\n" << exact.output;
  }
}

// Runs `xtrun` with options on a program.
test::ToolRun runText(const std::string &options, const std::string &text) {
  test::TemporaryFolder folder;
  std::filesystem::path file = folder / "text.xt";
  std::ofstream(file) << text;
  return runTool("%bin/xtrun " + options + " " + file.string());
}

constexpr std::string_view kScale = R"(
kernel @scale(%X: memref<?x?xf64>, %Y: memref<?x?xf64>) grid (%i = 0 to dim(%X, 0) step 8) {
  %tx = init_tile %X[%i, 0] -> tile<8x8xf64>
  %x = load_tile %tx
  %y = %x * FACTOR
  %first = extract %y[0, 0]
  print "first", %first
  print "tile", %y
  %ty = init_tile %Y[%i, 0] -> tile<8x8xf64>
  store_tile %y, %ty
}
test "t" {
  %X = from (i, j) => i * 8 + j + 1 : memref<8x8xf64>
  %Y = out : memref<8x8xf64>
  launch @scale(%X, %Y)
  check %Y == %X * 0.1 within rtol = 1e-6
}
)";
std::string scaledBy(std::string factor) {
  std::string text(kScale);
  return text.replace(text.find("FACTOR"), 6, factor);
}

TEST(Algebra, ComparesF64WithItsOwnDigits) {
  EXPECT_EQ(runText("--check=algebra", scaledBy("0.1")).status, 0);
  EXPECT_EQ(runText("--target=interp", scaledBy("0.1000000001")).status, 0);
  test::ToolRun run = runText("--check=algebra", scaledBy("0.1000000001"));
  EXPECT_EQ(run.status, 1) << run.output;
}

// The logarithm of sums of exponentials, and exponentials that are too small to count, have no identities in the field.
TEST(Algebra, SidesThatAgreeInF64Pass) {
  for (const char *name : {"attention_backward", "causal_attention", "paged_attention"}) {
    auto run = runTool(std::string("%bin/xtrun --small --check=algebra %src/stdlib/") + name + ".xt");
    EXPECT_EQ(run.status, 0) << run.output;
    EXPECT_NE(run.output.find("equal in f64, but not in the field"), std::string::npos) << run.output;
  }
  std::string text = readProgram("../../../../stdlib/attention_backward"),
              right = "check %dK == matmul(transpose(%ds), %Q) * 0.125";
  for (size_t at = 0; (at = text.find(right, at)) != std::string::npos; at += right.size())
    text.replace(at, right.size(), "check %dK == matmul(transpose(%ds), %Q) * 0.12500001");
  test::ToolRun run = runText("--small --check=algebra", text);
  EXPECT_EQ(run.status, 1) << run.output;
}

constexpr std::string_view kOddColumns = R"(
kernel @k(%X: memref<8x16xf32>, %Y: memref<8x8xf32>) {
  %tx    = init_tile %X[0, 0] -> tile<8x16xf32>
  %x     = load_tile %tx
  %p, %q = split %x
  %ty    = init_tile %Y[0, 0] -> tile<8x8xf32>
  store_tile %q, %ty
}
test "odd columns" {
  %X = random(seed = 1) : memref<8x16xf32>
  %Y = out : memref<8x8xf32>
  launch @k(%X, %Y)
  check %Y == %X[:, 1::2]
}
)";

// An op on the bits of numbers keeps the elements of the field whose bits they are.
TEST(Algebra, BitsKeepTheirElements) {
  test::ToolRun run = runText("--check=algebra", std::string(kOddColumns));
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(run.output.find("not in the field"), std::string::npos) << run.output;
}

constexpr std::string_view kSortsEqualNumbers = R"(
kernel @k(%X: memref<8x16xf16>, %Y: memref<8x16xf16>) {
  %tx = init_tile %X[0, 0] -> tile<8x16xf16>
  %x  = load_tile %tx
  %ty = init_tile %Y[0, 0] -> tile<8x16xf16>
  %y  = sort %x [1] {descending}
  store_tile %y, %ty
}
test "equal numbers" {
  %X = ints(0, 3, seed = 1) : memref<8x16xf16>
  %Y = out : memref<8x16xf16>
  launch @k(%X, %Y)
  check %Y[:, ::-1] == sort(%X, 1)
}
)";

TEST(Algebra, SaysWhyEqualNumbersDiffer) {
  test::ToolRun run = runText("--check=algebra", std::string(kSortsEqualNumbers));
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_NE(run.output.find("equal numbers may be different elements of the field"), std::string::npos) << run.output;
}

constexpr std::string_view kLogarithmBefore = R"(
kernel @log(%X: memref<8x16xf64>, %Y: memref<8x16xf64>) {
  %tx = init_tile %X[0, 0] -> tile<8x16xf64>
  %x  = load_tile %tx
  %ty = init_tile %Y[0, 0] -> tile<8x16xf64>
  store_tile (log(%x + 3.0)), %ty
}
kernel @third(%X: memref<8x16xf64>, %Y: memref<8x16xf64>) {
  %tx = init_tile %X[0, 0] -> tile<8x16xf64>
  %x  = load_tile %tx
  %ty = init_tile %Y[0, 0] -> tile<8x16xf64>
  store_tile (%x * 0.3333333333333333), %ty
}
test "a logarithm" {
  %X = random(seed = 1) : memref<8x16xf64>
  %Y = out : memref<8x16xf64>
  launch @log(%X, %Y)
  check %Y == log(%X + 3.0)
}
test "a third" {
  %X = random(seed = 1) : memref<8x16xf64>
  %Y = out : memref<8x16xf64>
  launch @third(%X, %Y)
  check %Y == %X / 3.0
}
)";

TEST(Algebra, LogarithmsOfOtherTestsDoNotCount) {
  test::ToolRun run = runText("--check=algebra", std::string(kLogarithmBefore));
  EXPECT_EQ(run.status, 1) << run.output;
  EXPECT_NE(run.output.find("passed  a logarithm"), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("failed  a third"), std::string::npos) << run.output;
}

TEST(Algebra, PrintsRealValues) {
  test::ToolRun run = runText("--check=algebra", scaledBy("0.5"));
  EXPECT_NE(run.output.find("first: 0.5\n"), std::string::npos) << run.output;
  EXPECT_NE(run.output.find(" 0.5 1.0 1.5 2.0 2.5 3.0 3.5 4.0\n"), std::string::npos) << run.output;
}

TEST(Algebra, RunsOnTheInterpreterAlone) {
  auto run = runTool("%bin/xtrun --check=algebra --target=interp,cpu %src/examples/01_gemm.xt");
  EXPECT_EQ(run.status, 64);
  EXPECT_NE(run.output.find("can run only on the target interp"), std::string::npos) << run.output;
}

} // namespace
} // namespace xt
